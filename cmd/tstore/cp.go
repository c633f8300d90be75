package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// copyFlags are the flags of cp.
type copyFlags struct {
	computeFlags
	journalFlags
	overwrite, dryRun bool
}

func newCopy(a *app) *cobra.Command {
	var f copyFlags
	cmd := &cobra.Command{
		Use:   "cp SELECTOR NAME",
		Short: "Copy a tensor, or a part of one, to a new name",
		Long: `Copy a tensor, or the part that SELECTOR picks, to a tensor of its own, in C order,
with its attributes. A copy shares nothing with the original: a view or an
adopted file becomes independent this way. What no view can express, such as
index arrays, masks and astype, is copied too; of a lazy name what it makes now, and of
an expression what it makes.
A long copy that is interrupted goes on with tstore job resume.`,
		Example: `  tstore cp adopted own
  tstore cp 'x[x_is_valid].astype(float32)' valid
  tstore cp 'weather/t2m[::10]' weather/sample --overwrite
  tstore cp 'a - b' difference`,
		GroupID: groupChange,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, done, err := f.options(a, "copy "+printable(args[0]))
			if err != nil {
				return err
			}
			defer done()
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.copy(cmd.Context(), s, args[0], args[1], f, opts)
			})
		},
	}

	f.computeFlags.register(cmd.Flags())
	f.journalFlags.register(cmd.Flags())
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a tensor that has the name already")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be written, and write nothing")

	return cmd
}

func (a *app) copy(ctx context.Context, s *tstore.Store, sel, name string, f copyFlags, o *tstore.EvalOptions) error {
	if err := a.tellNumbers(ctx, s, sel); err != nil {
		return err
	}
	if !f.dryRun {
		journal, err := f.journal()
		if err != nil {
			return err
		}
		return orOverwrite(s.Copy(ctx, name, sel, &tstore.ImportOptions{Overwrite: f.overwrite, Eval: o, Journal: journal}), f.overwrite)
	}
	info, err := s.StatEvaluated(ctx, sel)
	if err != nil {
		return err
	}
	return a.wouldWrite(ctx, s, name, numBytes(info.DType, info.Layout), f.overwrite)
}
