package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// snapshotInfoJSON is what `snapshot show --json` tells.
type snapshotInfoJSON struct {
	snapshotJSON
	Tensors   int   `json:"tensors"`
	Blobs     int   `json:"blobs"`
	Lazy      int   `json:"lazy"`
	Storages  int   `json:"storages"`
	NBytes    int64 `json:"nbytes"`
	OnlyFiles int   `json:"only_files"`
	OnlyBytes int64 `json:"only_bytes"`
}

func newSnapshotLs(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "ls",
		Short:   "List the snapshots, the oldest first",
		Example: "  tstore snapshot ls",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.reading(cmd.Context(), func(s *tstore.Store) error { return a.listSnapshots(cmd.Context(), s, asJSON) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (a *app) listSnapshots(ctx context.Context, s *tstore.Store, asJSON bool) error {
	all, err := s.Snapshots(ctx)
	if err != nil {
		return err
	}
	t := &table{}
	for _, snap := range all {
		if asJSON {
			if err := writeJSON(a.stdout, describeSnapshot(snap)); err != nil {
				return err
			}
			continue
		}
		t.add(a.name(snap.Name), jsonTime(snap.Created), printable(snap.Note))
	}
	return t.write(a.stdout)
}

func newSnapshotShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show SNAPSHOT",
		Short: "Describe a snapshot, and what removing it would free",
		Long: `Describe a snapshot: when it was made, what it holds, and the files that neither the
store nor another snapshot needs, which go with it. tstore ls @SNAPSHOT lists the
names in it.`,
		Example: "  tstore snapshot show monday",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				info, err := s.StatSnapshot(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return a.showSnapshot(info, asJSON)
			})
		},
	}

	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) showSnapshot(info *tstore.SnapshotInfo, asJSON bool) error {
	sum := info.Summary
	d := snapshotInfoJSON{
		snapshotJSON: describeSnapshot(info.Snapshot),
		Tensors:      sum.Tensors, Blobs: sum.Blobs, Lazy: sum.Lazy, Storages: sum.Storages + sum.Adopted, NBytes: sum.Bytes + sum.AdoptedBytes,
		OnlyFiles: info.OnlyFiles, OnlyBytes: info.OnlyBytes,
	}

	if asJSON {
		return writeJSON(a.stdout, d)
	}

	t := &table{}
	t.add("name", printable(d.Name))
	t.add("number", fmt.Sprint(d.Number))
	t.add("created", d.Created)
	if d.Note != "" {
		t.add("note", printable(d.Note))
	}

	t.add("tensors", fmt.Sprint(d.Tensors))
	t.add("blobs", fmt.Sprint(d.Blobs))
	if d.Lazy > 0 {
		t.add("lazy names", fmt.Sprint(d.Lazy))
	}

	t.add("storages", fmt.Sprintf("%d, %s", d.Storages, formatBytes(d.NBytes)))
	t.add("catalog", formatBytes(d.Bytes))
	t.add("rm frees", fmt.Sprintf("%s of %s", formatBytes(d.OnlyBytes), plural(d.OnlyFiles, "file")))
	return t.write(a.stdout)
}

// snapshotDiffJSON is a name that differs.
type snapshotDiffJSON struct {
	Name   string   `json:"name"`
	Change string   `json:"change"`
	What   []string `json:"what"`
}

func newSnapshotDiff(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff SNAPSHOT [SNAPSHOT]",
		Short: "List the names that differ from a snapshot, now or in another one",
		Long: `List the names that differ between a snapshot and the store as it is, or another
snapshot: + is new, - is gone, ~ stands for something else, and what of it differs. No
elements are read: those that were written in between count as different. tstore diff
x@monday x compares elements.

Exit code 0 means the same, 1 different, 2 an error.`,
		Example: `  tstore snapshot diff monday
  tstore snapshot diff monday tuesday --json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.diffSnapshots(cmd.Context(), s, args[0], append(args[1:], "")[0], asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a name")
	return cmd
}

// diffSnapshots prints the names that differ. It returns errFound if there are any.
func (a *app) diffSnapshots(ctx context.Context, s *tstore.Store, from, to string, asJSON bool) error {
	var found error
	for c, err := range s.DiffSnapshots(ctx, from, to) {
		if err != nil {
			return err
		}
		found = errFound
		if err := a.printChange(c, asJSON); err != nil {
			return err
		}
	}
	return found
}

func (a *app) printChange(c tstore.SnapshotChange, asJSON bool) error {
	sign, change := "~ ", "changed"
	switch {
	case c.A == nil:
		sign, change = "+ ", "added"
	case c.B == nil:
		sign, change = "- ", "removed"
	}

	if asJSON {
		return writeJSON(a.stdout, snapshotDiffJSON{Name: c.Name, Change: change, What: notNil(c.What)})
	}

	text := sign + a.name(c.Name)
	if len(c.What) > 0 {
		text += "  (" + strings.Join(c.What, ", ") + ")"
	}

	_, err := fmt.Fprintln(a.stdout, text)
	return err
}
