package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// adoptFlags are the flags of adopt.
type adoptFlags struct {
	input  inputFlags
	labels labelFlags
	intake intake
	given  func(flag string) bool
}

func newAdopt(a *app) *cobra.Command {
	var f adoptFlags
	cmd := &cobra.Command{
		Use:   "adopt FILE|FOLDER...",
		Short: "Name the elements of files that stay where they are",
		Long: `Name the elements of .npy files, or of files of bare elements (--raw, or a
name that ends in .raw, .bin or .dat), without
copying them. The file stays where it is and stays yours: the tensor is read-only,
and opening it is an error once the file has changed. cp makes a copy in the
store. Of several files all are adopted or none, but with --keep-going each that
can be.`,
		Example: `  tstore adopt /data/t2m.npy --name weather/t2m
  tstore adopt frames.bin --dtype uint8 --shape=-1,480,640`,
		GroupID: groupData,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			f.given = cmd.Flags().Changed
			f.intake.verb = "adopt"
			f.intake.take = func(tx *tstore.Tx, file, name string) error {
				return a.adoptFile(cmd.Context(), tx, file, name, &f)
			}
			return a.takeFiles(cmd.Context(), files, f.input.bare(), &f.intake)
		},
	}

	flags := cmd.Flags()
	f.intake.register(flags)
	f.input.register(flags)
	f.labels.register(flags)

	return cmd
}

func (a *app) adoptFile(ctx context.Context, tx *tstore.Tx, file, name string, f *adoptFlags) error {
	return a.withInput(ctx, file, &f.input, f.given, func(in input) error {
		where, err := in.Foreign()
		if err != nil {
			return err
		}
		if err := f.labels.apply(&where.Spec); err != nil {
			return err
		}
		return tx.Adopt(name, where)
	})
}
