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
	var how computeFlags
	cmd := &cobra.Command{
		Use:   "set SELECTOR [VALUE]",
		Short: "Change elements: to a value, or to those of a file or another tensor",
		Long: `Set the elements that SELECTOR picks to VALUE, or with --from to those of a .npy
file, of standard input (-), of another selector or of an expression, which are converted
to the tensor's dtype and repeated along axes as in NumPy's assignment. SELECTOR is a
view, or ends in index arrays or a mask, which may be expressions. All views that
share the elements see the change; after a crash it has happened or it has not.`,
		Example: `  tstore set 'x[3, 4]' -1.5
  tstore set 'x[10:20]' --from patch.npy
  tstore set 'x[0]' --from 'x[1]'
  tstore set 't2m[land == 0]' 0
  tstore set 'x[x < 0]' --from '-x[x < 0]'`,
		GroupID: groupChange,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			hasFrom := cmd.Flags().Changed("from")
			if hasFrom == (len(args) == 2) {
				return errors.New("expected VALUE or --from, and not both")
			}
			opts, done, err := how.options(a, "set")
			if err != nil {
				return err
			}
			defer done()
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				if !hasFrom {
					return a.fill(cmd.Context(), s, args[0], args[1], dryRun)
				}
				return a.setFrom(cmd.Context(), s, args[0], from, cut, dryRun, opts)
			})
		},
	}

	cmd.Flags().StringVar(&from, "from", "", "take the elements of this .npy `FILE`, of -, of another selector or of an expression")
	cmd.Flags().BoolVar(&cut, "allow-trailing", false, "leave out bytes behind the elements of the file")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be changed, and change nothing")
	how.register(cmd.Flags())
	return cmd
}

func (a *app) setFrom(ctx context.Context, s *tstore.Store, sel, from string, cut, dryRun bool, how *tstore.EvalOptions) error {
	info, err := s.StatTarget(ctx, sel)
	if err != nil {
		return err
	}
	return a.withElements(ctx, s, from, npy.Options{DType: info.DType, AllowTrailing: cut}, how, func(src *view.Tensor) error {
		if dryRun {
			return a.wouldChange(ctx, s, sel, info)
		}
		if err := s.Set(ctx, sel, src); err != nil {
			return err
		}
		a.note("changed %s", printable(sel))
		return nil
	})
}

// withElements runs fn on a .npy file, on standard input when it is "-", or on what a selector
// picks or an expression makes. A file that does not say its type has that in o; how says how to
// compute.
func (a *app) withElements(ctx context.Context, s *tstore.Store, from string, o npy.Options, how *tstore.EvalOptions, fn func(*view.Tensor) error) error {
	if from == "-" || isFile(ctx, s, from) {
		return a.withNpyFile(ctx, from, o, fn)
	}
	return a.withTensor(ctx, s, from, how, func(t *tstore.Tensor) error { return fn(t.Tensor) })
}
