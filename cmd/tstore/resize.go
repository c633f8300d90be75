package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newResize(a *app) *cobra.Command {
	var dryRun, force, asJSON bool
	cmd := &cobra.Command{
		Use:   "resize NAME SHAPE",
		Short: "Give a tensor another shape of the same rank",
		Long: `Give a tensor another shape of the same rank. Elements keep their indexes, new ones
are zero, those outside the new shape are gone, which needs --force. A shorter first axis takes no
time and frees no space; a longer one extends the file; anything else writes the
tensor anew.`,
		Example: "  tstore resize log 1000,3",
		GroupID: groupChange,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			shape, err := parseShape(args[1])
			if err != nil {
				return err
			}
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				if dryRun {
					return a.wouldResize(cmd.Context(), s, args[0], shape)
				}
				if err := resize(cmd.Context(), s, args[0], shape, force); err != nil {
					return err
				}
				return a.tellMade(cmd.Context(), s, "resized", args[0], asJSON)
			})
		},
	}

	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would change, and change nothing")
	cmd.Flags().BoolVar(&force, "force", false, "drop the elements outside the new shape")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the tensor as JSON")
	return cmd
}

// resize gives a tensor another shape. Without force it drops no element.
func resize(ctx context.Context, s *tstore.Store, name string, shape []int, force bool) error {
	if force {
		return s.Resize(ctx, name, shape...)
	}
	err := s.Grow(ctx, name, shape...)
	if errors.Is(err, tstore.ErrDrops) {
		err = fmt.Errorf("%w: --force drops them", err)
	}
	return err
}

func (a *app) wouldResize(ctx context.Context, s *tstore.Store, name string, shape []int) error {
	info, err := s.Stat(ctx, name)
	if err != nil {
		return err
	}
	cost, err := info.ResizeCost(shape...)
	if err != nil {
		return fmt.Errorf("resize %q: %w", name, err)
	}
	_, err = fmt.Fprintf(a.stdout, "would resize %q from %s to %s: writes %s, frees %s\n", name,
		formatTuple(info.Layout.Shape()), formatTuple(shape), formatBytes(cost.Written), formatBytes(cost.Freed))
	return err
}
