package main

import (
	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newCat(a *app) *cobra.Command {
	var asRaw, force bool
	var how computeFlags
	cmd := &cobra.Command{
		Use:   "cat SELECTOR",
		Short: "Write elements to standard output as .npy or bare",
		Example: `  tstore cat x > x.npy
  tstore cat 'x[0]' --raw | od -t f4`,
		GroupID: groupData,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			encode, err := encoderFor("-", asRaw)
			if err != nil {
				return err
			}
			opts, done, err := how.options(a, "compute "+printable(args[0]))
			if err != nil {
				return err
			}
			defer done()
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.exportStdout(cmd.Context(), s, args[0], encode, opts, force)
			})
		},
	}
	how.register(cmd.Flags())
	cmd.Flags().BoolVar(&asRaw, "raw", false, "bare little-endian elements in C order")
	cmd.Flags().BoolVar(&force, "force", false, "write to a terminal too")
	return cmd
}
