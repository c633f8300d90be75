package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
)

func newFill(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "fill SELECTOR VALUE",
		Short: "Set all elements of a tensor, or of a part of one, to a value",
		Long: `Set every element that SELECTOR picks to VALUE: a number, True or False, nan, inf,
or 1+2j, which must fit the tensor's dtype. SELECTOR is a view, or ends in index
arrays or a mask: 'x[[1, 5]]', 'x[mask]', 'x[y > 0]'. All views that share the elements see
the change; after a crash it has happened or it has not.`,
		Example: `  tstore fill x 0
  tstore fill 'x[:, -1]' nan
  tstore fill 'x[is_missing]' nan
  tstore fill 'x[x > 100]' 100`,
		GroupID: groupChange,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.fill(cmd.Context(), s, args[0], args[1], dryRun)
			})
		},
	}

	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be changed, and change nothing")
	return cmd
}

func (a *app) fill(ctx context.Context, s *tstore.Store, sel, value string, dryRun bool) error {
	info, err := s.StatTarget(ctx, sel)
	if err != nil {
		return err
	}

	v, err := dtype.ParseScalar(info.DType, value)
	if err != nil {
		// Many people mean a file or another tensor: say how to name one.
		if _, there := os.Stat(value); there == nil {
			err = fmt.Errorf("%w: there is a file of that name, whose elements set --from takes", err)
		} else if _, none := s.StatEvaluated(ctx, value); none == nil {
			err = fmt.Errorf("%w: set --from takes elements that are stored or computed", err)
		}
		return err
	}

	if dryRun {
		return a.wouldChange(ctx, s, sel, info)
	}
	if err := s.Fill(ctx, sel, v); err != nil {
		return err
	}

	a.note("changed %s", printable(sel))
	return nil
}
