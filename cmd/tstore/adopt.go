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
	name   string
	json   bool
	given  func(flag string) bool
}

func newAdopt(a *app) *cobra.Command {
	var f adoptFlags
	cmd := &cobra.Command{
		Use:   "adopt FILE...",
		Short: "Name the elements of files that stay where they are",
		Long: `Name the elements of .npy files, or with --raw of files of bare elements, without
copying them. The file stays where it is and stays yours: the tensor is read-only,
and opening it is an error once the file has changed. cp makes a copy in the
store.`,
		Example: `  tstore adopt /data/t2m.npy --name weather/t2m
  tstore adopt frames.bin --dtype uint8 --shape=-1,480,640`,
		GroupID: groupData,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			f.given = cmd.Flags().Changed
			return a.eachFile(cmd.Context(), files, f.name, func(s *tstore.Store, file, name string) error {
				return a.adoptFile(cmd.Context(), s, file, name, &f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "name of the tensor (default: that of the file)")
	f.input.register(flags)
	f.labels.register(flags)
	flags.BoolVar(&f.json, "json", false, "print the new tensor as JSON")
	return cmd
}

func (a *app) adoptFile(ctx context.Context, s *tstore.Store, file, name string, f *adoptFlags) error {
	return a.withInput(ctx, file, &f.input, f.given, func(in input) error {
		where, err := in.Foreign()
		if err != nil {
			return err
		}
		if err := f.labels.apply(&where.Spec); err != nil {
			return err
		}
		if err := s.Adopt(ctx, name, where); err != nil {
			return err
		}
		return a.tellMade(ctx, s, "adopted", name, f.json)
	})
}
