package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/view"
)

func newSet(a *app) *cobra.Command {
	var from string
	var cut, dryRun bool
	cmd := &cobra.Command{
		Use:   "set SELECTOR [VALUE]",
		Short: "Change elements: to a value, or to those of a file or another tensor",
		Long: `Set the elements that SELECTOR picks to VALUE, or with --from to those of a .npy
file, of standard input (-) or of another selector, which are converted to the
tensor's dtype and repeated along axes as in NumPy's assignment. All views that
share the elements see the change; after a crash it has happened or it has not.`,
		Example: `  tstore set 'x[3, 4]' -1.5
  tstore set 'x[10:20]' --from patch.npy
  tstore set 'x[0]' --from 'x[1]'`,
		GroupID: groupChange,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			hasFrom := cmd.Flags().Changed("from")
			if hasFrom == (len(args) == 2) {
				return errors.New("expected VALUE or --from, and not both")
			}
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				if !hasFrom {
					return a.fill(cmd.Context(), s, args[0], args[1], dryRun)
				}
				return a.setFrom(cmd.Context(), s, args[0], from, cut, dryRun)
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "take the elements of this .npy `FILE`, of - or of another selector")
	cmd.Flags().BoolVar(&cut, "allow-trailing", false, "leave out bytes behind the elements of the file")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be changed, and change nothing")
	return cmd
}

func (a *app) setFrom(ctx context.Context, s *tstore.Store, sel, from string, cut, dryRun bool) error {
	info, err := s.StatTarget(ctx, sel)
	if err != nil {
		return err
	}
	return a.withElements(ctx, s, from, npy.Options{DType: info.DType, AllowTrailing: cut}, func(src *view.Tensor) error {
		if dryRun {
			return a.wouldChange(ctx, s, sel, info)
		}
		return s.Set(ctx, sel, src)
	})
}

// withElements runs fn on a .npy file, on standard input when it is "-", or on
// what a selector picks. A file that does not say its type has that in o.
func (a *app) withElements(ctx context.Context, s *tstore.Store, from string, o npy.Options, fn func(*view.Tensor) error) error {
	if from == "-" || isFile(ctx, s, from) {
		return a.withNpyFile(ctx, from, o, fn)
	}
	return withTensor(ctx, s, from, nil, func(t *tstore.Tensor) error { return fn(t.Tensor) })
}
