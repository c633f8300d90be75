package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// removeFlags are the flags of rm.
type removeFlags struct {
	recursive, dryRun bool
}

func newRemove(a *app) *cobra.Command {
	var f removeFlags
	cmd := &cobra.Command{
		Use:   "rm NAME|PATTERN...",
		Short: "Delete tensors, blobs and groups",
		Long: `Delete tensors and blobs, and with -r groups with all that is in them: all of it in
one transaction, or nothing. A file goes with the last tensor that shares it;
programs that have a tensor open keep its elements until they close it, and
snapshots keep what they have. Adopted files stay. A lazy name whose expression reads
what is deleted stays, and says what is missing.`,
		Example: `  tstore rm weather/t2m
  tstore rm 'weather/t2m_2023*'
  tstore rm -r weather --dry-run`,
		GroupID: groupChange,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.remove(cmd.Context(), s, args, f)
			})
		},
	}

	cmd.Flags().BoolVarP(&f.recursive, "recursive", "r", false, "delete groups with all that is in them")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be deleted, and delete nothing")
	return cmd
}

func (a *app) remove(ctx context.Context, s *tstore.Store, args []string, f removeFlags) error {
	r := newRemoval(s)

	// A group that is named is refused there, and not passed over, without -r.
	picks := picker{app: a, store: s, recursive: f.recursive}
	for _, word := range args {
		names := []string{strings.TrimSuffix(word, "/")}
		if _, ok := parsePattern(word); ok {
			found, err := picks.pick(ctx, []string{word})
			if err != nil {
				return err
			}
			names = texts(found)
		}
		for _, name := range names {
			if err := r.add(ctx, name, f.recursive); err != nil {
				return err
			}
		}
	}

	// Reckon before deleting: afterwards the records that name the files are gone.
	freed, err := r.freed(ctx)
	if err != nil {
		return err
	}

	verb, frees := "deleted", "freed"
	if f.dryRun {
		verb, frees = "would delete", "would free"
	} else if err := s.Delete(ctx, r.names...); err != nil {
		return err
	}

	_, err = fmt.Fprintf(a.stdout, "%s %s, %s %s\n", verb, plural(len(r.names), "name"), frees, formatBytes(freed))
	return err
}
