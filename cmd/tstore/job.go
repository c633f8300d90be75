package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// journalBytes is the least size of work that becomes a job.
const journalBytes = 256 << 20

// journalFlags say whether long work is a job.
type journalFlags struct{ must, never bool }

func (f *journalFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.must, "resumable", false, "note progress so that tstore job resume can go on, whatever the size (default from 256 MiB on, where it can be)")
	flags.BoolVar(&f.never, "no-resume", false, "note no progress: what is interrupted starts anew")
}

func (f *journalFlags) journal() (tstore.Journal, error) {
	switch {
	case f.must && f.never:
		return tstore.Journal{}, errors.New("--resumable and --no-resume: give one of them")
	case f.never:
		return tstore.Journal{}, nil
	}
	return tstore.Journal{From: journalBytes, Must: f.must}, nil
}

// jobJSON is one job.
type jobJSON struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`
	State   string    `json:"state"`
	Target  string    `json:"target"`
	Targets []string  `json:"targets,omitempty"` // where there are several
	What    string    `json:"what"`
	Done    int64     `json:"done"`
	Total   int64     `json:"total"`
	Error   string    `json:"error,omitempty"`
	Writer  string    `json:"writer"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

func newJob(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "job",
		Short: "List, resume and remove interrupted work",
		Long: `Long imports, copies and evaluations are jobs: they note every few seconds how far
they are. When one is interrupted, or its process or the machine dies, job resume goes on behind
what is done, with the same result. gc leaves the files of jobs alone. An ID may be shortened.`,
		Example: `  tstore job ls
  tstore job resume 1f3a
  tstore job resume --all`,
		GroupID: groupMaintain,
		Args:    noSuchSubcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}

	for _, sub := range []*cobra.Command{newJobLs(a), newJobResume(a), newJobCancel(a), newJobRm(a)} {
		sub.Args = withUsage(sub.Args)
		cmd.AddCommand(sub)
	}

	return cmd
}

func newJobLs(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "List jobs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.reading(cmd.Context(), func(s *tstore.Store) error { return a.printJobs(cmd.Context(), s, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a job")
	return cmd
}

func (a *app) printJobs(ctx context.Context, s *tstore.Store, asJSON bool) error {
	jobs, err := s.Jobs(ctx)
	if err != nil {
		return err
	}

	if len(jobs) == 0 && !asJSON {
		_, err := fmt.Fprintln(a.stdout, "no jobs")
		return err
	}

	t := table{right: map[int]bool{3: true, 4: true}}
	t.add("ID", "KIND", "STATE", "DONE", "OF", "TARGET", "WHAT")
	for _, j := range jobs {
		if asJSON {
			targets := j.Targets()
			if len(targets) == 1 {
				targets = nil
			}
			err := writeJSON(a.stdout, jobJSON{
				ID: j.ID().String(), Kind: j.Kind.String(), State: jobState(j), Target: j.Record.Name, Targets: targets, What: j.What(), Done: j.Done, Total: j.Total,
				Error: j.Err, Writer: j.Writer, Created: j.Created, Updated: j.Updated,
			})
			if err != nil {
				return err
			}
			continue
		}
		t.add(j.ID().String()[:8], j.Kind.String(), jobState(j), humanBytes(j.Done), humanBytes(j.Total), jobTargets(j), printable(j.What()))
	}

	if asJSON {
		return nil
	}
	return t.write(a.stdout)
}

// jobTargets returns the names of the tensors that a job makes.
func jobTargets(j tstore.Job) string { return printable(strings.Join(j.Targets(), ", ")) }

// jobState returns the state of a job in one word.
func jobState(j tstore.Job) string {
	switch {
	case j.Running:
		return "running"
	case j.State == catalog.JobRunning:
		return "interrupted"
	}
	return j.State.String()
}

func newJobResume(a *app) *cobra.Command {
	var all bool
	var f computeFlags
	cmd := &cobra.Command{
		Use:   "resume ID... | --all",
		Short: "Go on with interrupted work",
		Args: func(_ *cobra.Command, ids []string) error {
			if all == (len(ids) > 0) {
				return errors.New("expected the ids of jobs, or --all")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				jobs, err := findJobs(cmd.Context(), s, ids)
				if err != nil {
					return err
				}
				return a.resumeJobs(cmd.Context(), s, jobs, &f)
			})
		},
	}

	cmd.Flags().BoolVar(&all, "all", false, "all jobs that no process works on and nobody has cancelled")
	f.register(cmd.Flags())
	return cmd
}

// findJobs returns the jobs with these ids; without ids, those that wait to be resumed.
func findJobs(ctx context.Context, s *tstore.Store, ids []string) ([]tstore.Job, error) {
	var jobs []tstore.Job

	for _, id := range ids {
		j, err := s.FindJob(ctx, id)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j)
	}
	if len(ids) > 0 {
		return jobs, nil
	}

	all, err := s.Jobs(ctx)
	for _, j := range all {
		if !j.Running && j.State != catalog.JobCancelled {
			jobs = append(jobs, j)
		}
	}
	return jobs, err
}

// resumeJobs resumes one job after the other, also after one that fails.
func (a *app) resumeJobs(ctx context.Context, s *tstore.Store, jobs []tstore.Job, f *computeFlags) error {
	var failed []error
	for _, j := range jobs {
		opts, done, err := f.options(a, j.Kind.String()+" "+jobTargets(j))
		if err != nil {
			return err
		}
		err = s.ResumeJob(ctx, j.ID(), &tstore.ResumeOptions{Compute: opts.Compute})

		done()
		for _, name := range j.Targets() {
			if err == nil {
				err = a.tellMade(ctx, s, "finished", name, false)
			}
		}

		failed = append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}

	return errors.Join(failed...)
}

func newJobCancel(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel ID",
		Short: "Stop the process that works on a job",
		Long:  `Stop the process that works on a job, when it next notes how far it is. The job stays: resume goes on with it, rm drops it.`,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changingJob(cmd.Context(), args[0], func(s *tstore.Store, j tstore.Job) error {
				return s.CancelJob(cmd.Context(), j.ID())
			})
		},
	}
}

func newJobRm(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rm ID",
		Short: "Drop a job and what it has done",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changingJob(cmd.Context(), args[0], func(s *tstore.Store, j tstore.Job) error {
				freed, err := s.RemoveJob(cmd.Context(), j.ID())
				if err == nil {
					a.note("removed job %.8s: %s", j.ID().String(), formatBytes(freed))
				}
				return err
			})
		},
	}
}

// changingJob runs fn on the job of an id.
func (a *app) changingJob(ctx context.Context, id string, fn func(*tstore.Store, tstore.Job) error) error {
	return a.changing(ctx, func(s *tstore.Store) error {
		j, err := s.FindJob(ctx, id)
		if err != nil {
			return err
		}
		return fn(s, j)
	})
}
