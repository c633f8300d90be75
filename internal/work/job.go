package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// Job is long work that has been begun and not finished; see Journal.
type Job struct {
	catalog.Job
	Running bool
}

// What returns the work in a few words: the file, the selector or the statement.
func (j Job) What() string {
	if j.Kind == catalog.JobImport {
		return j.From.Path
	}
	return j.Text
}

// Targets returns the names of the tensors that it makes.
func (j Job) Targets() []string {
	var names []string
	for _, rec := range j.Records() {
		names = append(names, rec.Name)
	}
	return names
}

// Jobs returns the jobs, the oldest first.
func (s *Store) Jobs(ctx context.Context) ([]Job, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return nil, err
	}

	var list []catalog.Job
	err := s.Engine.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		list, err = c.Jobs()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}

	slices.SortStableFunc(list, func(a, b catalog.Job) int { return cmp.Compare(a.Created.UnixNano(), b.Created.UnixNano()) })

	jobs := make([]Job, len(list))
	for i, j := range list {
		busy, err := s.Engine.StorageBusy(j.ID())
		if err != nil {
			return nil, fmt.Errorf("list jobs: %w", err)
		}
		jobs[i] = Job{Job: j, Running: busy}
	}
	return jobs, nil
}

// FindJob returns the job whose id starts with the given text.
func (s *Store) FindJob(ctx context.Context, id string) (Job, error) {
	all, err := s.Jobs(ctx)
	if err != nil {
		return Job{}, err
	}
	all = slices.DeleteFunc(all, func(j Job) bool { return id == "" || !strings.HasPrefix(j.ID().String(), strings.ToLower(id)) })
	switch len(all) {
	case 0:
		return Job{}, fmt.Errorf("job %q %w (tstore job ls lists the jobs)", id, store.ErrNotFound)
	case 1:
		return all[0], nil
	}
	return Job{}, fmt.Errorf("job %q: the ids of %d jobs start so: give more of it", id, len(all))
}

// ResumeOptions of ResumeJob.
type ResumeOptions struct {
	Compute compute.Options
}

// ResumeJob goes on with a job behind what is done, and publishes the tensors, as the interrupted
// call would have.
func (s *Store) ResumeJob(ctx context.Context, id catalog.ID, o *ResumeOptions) error {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()
	if o == nil {
		o = &ResumeOptions{}
	}
	if err := s.resumeJob(ctx, id, o); err != nil {
		return fmt.Errorf("resume job %.8s: %w", id.String(), err)
	}
	return nil
}

func (s *Store) resumeJob(ctx context.Context, id catalog.ID, o *ResumeOptions) error {
	w, err := s.reopenJob(ctx, id)
	if err != nil {
		return err
	}
	if w.job.Kind == catalog.JobImport {
		return w.end(w.resumeImport(o))
	}
	return w.end(w.resumeExpr(o))
}

// CancelJob has the process that works on a job stop when it next notes how far it is, with
// ErrCancelled.
func (s *Store) CancelJob(ctx context.Context, id catalog.ID) error {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()
	return s.Engine.Commit(ctx, func(c *catalog.Tx) error {
		j, err := c.Job(id)
		if err != nil {
			return err
		}
		j.State, j.Err = catalog.JobCancelled, ""
		return c.PutJob(j)
	})
}

// RemoveJob drops a job and what it has done, and returns the bytes on the disk that this gives
// back.
func (s *Store) RemoveJob(ctx context.Context, id catalog.ID) (freed int64, err error) {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return 0, err
	}
	defer end()
	lock, err := s.lockJob(ctx, id)
	if err != nil {
		return 0, fmt.Errorf("remove job %.8s: %w", id.String(), err)
	}
	freed, err = s.dropJob(ctx, id)
	if err := errors.Join(err, lock.Unlock()); err != nil {
		return freed, fmt.Errorf("remove job %.8s: %w", id.String(), err)
	}
	return freed, nil
}

// lockJob locks a job. It returns ErrBusy while another process works on it.
func (s *Store) lockJob(ctx context.Context, id catalog.ID) (*filelock.Held, error) {
	lock, err := s.Engine.LockStorageSoon(ctx, id, "")
	if errors.Is(err, store.ErrBusy) {
		return nil, fmt.Errorf("%w: %s works on it (tstore job cancel stops it)", store.ErrBusy, engine.LockHolder(s.Engine.LockPath(), engine.StorageKey(id)))
	}
	return lock, err
}

// dropJob takes a job out of the catalog and then removes its files. The caller holds the job's
// lock.
func (s *Store) dropJob(ctx context.Context, id catalog.ID) (freed int64, err error) {
	gc, err := s.Engine.LockGC(ctx, filelock.Shared)
	if err != nil {
		return 0, err
	}
	defer gc.Unlock()

	more := 0
	drop := func(c *catalog.Tx) error {
		if there, err := c.HasJob(id); err != nil || !there {
			return errors.Join(err, notFoundUnless(there, id))
		}
		if j, err := c.Job(id); err == nil { // one that can't be read is dropped all the same
			more = len(j.More)
		}
		return c.DropJob(id)
	}

	// The job goes first: a crash in between leaves files that gc sweeps, never a job without its
	// files. The disk may be full, so the commit may use the reserve.
	err = s.Engine.WithReserve(func() error {
		if err := s.Engine.Commit(ctx, drop); err != nil {
			return err
		}
		for _, file := range storefile.JobFiles(id, more) {
			freed += s.Engine.DiskBytes([]string{file})
			// What can't be removed is swept by gc: nothing names it.
			_ = s.Engine.FS.Remove(s.Engine.Path(file))
		}
		return nil
	})
	return freed, err
}

func notFoundUnless(there bool, id catalog.ID) error {
	if there {
		return nil
	}
	return fmt.Errorf("job %.8s %w", id.String(), store.ErrNotFound)
}
