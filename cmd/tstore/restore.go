package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newSnapshotRestore(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "restore SNAPSHOT [NAME...]",
		Short: "Bring back what a snapshot has",
		Long: `Bring back the tensors, blobs and groups of these names, or without names everything,
so that names made since are deleted: all of it in one transaction. The snapshot and
later ones stay. Elements are copied only where names that are not restored share them
and were changed.`,
		Example: `  tstore snapshot restore monday weather/t2m
  tstore snapshot restore monday --dry-run
  tstore snapshot restore monday`,
		Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return a.completeSnapshots(cmd, args, begun)
			}
			return a.completeNames(cmd, args, begun)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if dryRun {
				return a.reading(cmd.Context(), func(s *tstore.Store) error {
					return a.planRestore(cmd.Context(), s, args[0], args[1:])
				})
			}
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.restoreSnapshot(cmd.Context(), s, args[0], args[1:])
			})
		},
	}

	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would change, name by name, and change nothing")
	return cmd
}

func (a *app) planRestore(ctx context.Context, s *tstore.Store, name string, names []string) error {
	plan, err := s.PlanRestore(ctx, name, names...)
	if err != nil {
		return err
	}

	for _, part := range []struct {
		verb  string
		names []string
	}{{"create", plan.Created}, {"change", plan.Changed}, {"delete", plan.Deleted}} {
		for _, name := range part.names {
			if _, err := fmt.Fprintf(a.stdout, "would %s %s\n", part.verb, printable(name)); err != nil {
				return err
			}
		}
	}

	text := fmt.Sprintf("would restore %s, delete %s", plural(len(plan.Created)+len(plan.Changed), "name"), plural(len(plan.Deleted), "name"))
	_, err = fmt.Fprintln(a.stdout, text+copied(", copy ", plan.Copied))
	return err
}

func (a *app) restoreSnapshot(ctx context.Context, s *tstore.Store, name string, names []string) error {
	done, err := s.RestoreSnapshot(ctx, name, names...)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("restored %s, deleted %s", plural(done.Changed, "name"), plural(done.Deleted, "name"))
	a.note("%s", text+copied(", copied ", done.Copied))
	return nil
}

// copied tells what a restore copies, or nothing if it copies nothing.
func copied(verb string, n int64) string {
	if n == 0 {
		return ""
	}
	return verb + formatBytes(n)
}
