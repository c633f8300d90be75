package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// backupFlags are the flags of backup.
type backupFlags struct {
	since                          string
	noSnapshots, skipDamaged, json bool
	verify                         bool
}

func newBackup(a *app) *cobra.Command {
	var f backupFlags
	cmd := &cobra.Command{
		Use:   "backup FOLDER|FILE.tar|-",
		Short: "Copy the whole store, while it is used, or bring such a copy up to date",
		Long: `Copy the store as it is at one commit, while others go on to use and to change it: into
a folder, a tar file, or as a tar to standard output. What is sealed is verified on
the way, and everything gets a checksum.

A folder can be read like a store, with --store, and nothing changes it. A later
backup into the same folder copies what has changed since: appended rows, and the
files of storages that were written. The backup that is there stays whole until the
new one takes its place in one step.

With --since a tar has only what an earlier backup, a folder or a tar, lacks.
Snapshots are in the backup; adopted files and unfinished jobs are not. Elements that
are being written in place are an error that names the tensors.`,
		Example: `  tstore backup /mnt/disk/weather
  tstore backup monday.tar
  tstore backup tuesday.tar --since monday.tar
  tstore backup - | ssh host 'cat > weather.tar'
  tstore backup --verify /mnt/disk/weather`,
		GroupID: groupStore,
		Args:    cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.verify {
				return a.verifyBackup(cmd.Context(), args[0], f)
			}
			return a.reading(cmd.Context(), func(s *tstore.Store) error { return a.backup(cmd.Context(), s, args[0], f) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "", "leave out what this earlier backup has: a folder or a tar")
	flags.BoolVar(&f.noSnapshots, "no-snapshots", false, "leave out the snapshots, and the files that only they need")
	flags.BoolVar(&f.skipDamaged, "skip-damaged", false, "go on where the store is damaged, and say where")
	flags.BoolVar(&f.verify, "verify", false, "make no backup: read one and compare it with its checksums")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	cmd.MarkFlagsMutuallyExclusive("verify", "since")
	cmd.MarkFlagsMutuallyExclusive("verify", "no-snapshots")
	cmd.MarkFlagsMutuallyExclusive("verify", "skip-damaged")
	return cmd
}

func (a *app) backup(ctx context.Context, s *tstore.Store, dest string, f backupFlags) error {
	bar, tell := a.copying("backup")
	o := &tstore.BackupOptions{Since: f.since, NoSnapshots: f.noSnapshots, SkipDamaged: f.skipDamaged, Progress: tell}

	var r *tstore.BackupReport
	var err error
	if dest == "-" {
		if a.terminalOut {
			return errors.New("a tar is nothing to look at: send standard output to a file or a program")
		}
		if f.json {
			return errors.New("--json and a tar on standard output: name a file")
		}
		r, err = s.BackupTo(ctx, a.stdout, o)
	} else {
		r, err = s.Backup(ctx, dest, o)
	}

	bar().done()
	if err != nil {
		return err
	}

	if len(r.Adopted) > 0 {
		a.note("not in the backup are the elements of adopted files: %s", namesText(r.Adopted, ""))
	}
	if r.Unknown {
		a.note("the store does not know the earlier backup (the store was rolled back, nothing could be written to it then, or an earlier version made one of them): all that is not sealed was copied anew")
	}

	if dest == "-" {
		for _, d := range r.Damage {
			a.note("skipped: %s", d.Err)
		}
	} else if err := a.writeBackup(r, f.json); err != nil {
		return err
	}

	if len(r.Damage) > 0 {
		return errFound
	}
	return nil
}

// copying returns a Progress function for a copy, and a function that returns the line it draws.
func (a *app) copying(label string) (bar func() *progress, tell func(done, total int64)) {
	var p *progress
	return func() *progress { return p }, func(done, total int64) {
		if p == nil {
			p = a.progress(label, total)
		}
		p.update(done)
	}
}

// backupJSON is the outcome of `backup --json`.
type backupJSON struct {
	ID          string   `json:"id"`
	Created     string   `json:"created"`
	Files       int      `json:"files"`
	Bytes       int64    `json:"bytes"`
	Copied      int      `json:"copied"`
	CopiedBytes int64    `json:"copied_bytes"`
	Removed     int      `json:"removed"`
	Snapshots   []string `json:"snapshots"`
	Adopted     []string `json:"adopted"`
	Damaged     int      `json:"damaged"`
	Unknown     bool     `json:"unknown"`
}

func (a *app) writeBackup(r *tstore.BackupReport, json bool) error {
	if json {
		return writeJSON(a.stdout, backupJSON{r.ID.String(), jsonTime(r.Created), r.Files, r.Bytes, r.Copied, r.CopiedBytes, r.Removed, notNil(r.Snapshots), notNil(r.Adopted), len(r.Damage), r.Unknown})
	}
	var b strings.Builder
	for _, d := range r.Damage {
		b.WriteString(damageText(d))
	}
	fmt.Fprintf(&b, "backed up %s, %s: copied %s, %s", plural(r.Files, "file"), formatBytes(r.Bytes), plural(r.Copied, "file"), formatBytes(r.CopiedBytes))
	if r.Removed > 0 {
		fmt.Fprintf(&b, "; removed %s", plural(r.Removed, "file"))
	}
	_, err := fmt.Fprintln(a.stdout, b.String())
	return err
}

func (a *app) verifyBackup(ctx context.Context, source string, f backupFlags) error {
	bar, tell := a.copying("verify")
	var r *tstore.VerifyReport
	err := a.withStream(ctx, []string{source}, func(sources []string, stdin io.Reader) (err error) {
		r, err = tstore.VerifyBackup(ctx, sources[0], &tstore.RestoreOptions{Stdin: stdin, Progress: tell})
		return err
	})
	bar().done()
	if err != nil {
		return err
	}
	return a.tellVerified(r, f.json)
}

func newRestore(a *app) *cobra.Command {
	var names []string
	cmd := &cobra.Command{
		Use:   "restore FOLDER|FILE.tar|-...",
		Short: "Make a store of a backup, or bring names back from one",
		Long: `Make a new store, in the folder that --store or $TSTORE_DIR names, of a backup: of a
folder or of tars, those that were made with --since together with the earlier ones,
in any order. Everything is compared with its checksums, and the store is there when
all of it is.

With --name, tensors, blobs, lazy names and groups are brought back into the store that
is there, in one transaction; names that are there are replaced. A name of a snapshot
that is in the backup, x@monday, is brought back as x.`,
		Example: `  tstore restore /mnt/disk/weather --store new
  tstore restore monday.tar tuesday.tar --store new
  tstore restore monday.tar --name weather/t2m --name log@monday`,
		GroupID: groupStore,
		Args:    cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(names) > 0 {
				return a.changing(cmd.Context(), func(s *tstore.Store) error { return a.restoreNames(cmd.Context(), s, args, names) })
			}
			return a.restore(cmd.Context(), args)
		},
	}
	cmd.Flags().StringArrayVar(&names, "name", nil, "bring back only this name or group, into the store that is there; can be repeated")
	return cmd
}

func (a *app) restore(ctx context.Context, sources []string) error {
	dir := a.newStoreDir(nil)
	bar, tell := a.copying("restore")

	var r *tstore.RestoreReport
	err := a.withStream(ctx, sources, func(sources []string, stdin io.Reader) (err error) {
		r, err = tstore.Restore(ctx, sources, dir, &tstore.RestoreOptions{Stdin: stdin, Progress: tell, AllowNetworkFS: a.allowNetworkFS})
		return err
	})

	// End the bar before anything else is printed: it shares the terminal with it.
	bar().done()
	if err != nil {
		return err
	}

	a.note("restored %s, %s, as of %s", plural(r.Files, "file"), formatBytes(r.Bytes), jsonTime(r.Created))
	for _, p := range r.Problems {
		a.note("%s: %s", namesText(p.Names, p.File), p.Detail)
	}

	if len(r.Problems) > 0 {
		return errFound
	}
	return nil
}

func (a *app) restoreNames(ctx context.Context, s *tstore.Store, sources, names []string) error {
	bar, tell := a.copying("unpack")
	var n int
	err := a.withStream(ctx, sources, func(sources []string, stdin io.Reader) (err error) {
		n, err = s.RestoreNames(ctx, sources, names, &tstore.RestoreOptions{Stdin: stdin, Progress: tell})
		return err
	})
	bar().done()
	if err != nil {
		return err
	}

	a.note("restored %s", plural(n, "name"))
	return nil
}
