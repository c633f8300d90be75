package main

import "github.com/spf13/cobra"

func newCat(a *app) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "cat SELECTOR",
		Short: "Write elements to standard output as .npy or bare",
		Example: `  tstore cat x > x.npy
  tstore cat 'x[0]' --raw | od -t f4
  tstore cat 'a - b' > difference.npy`,
		GroupID: groupData,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args[0], "-", &f)
		},
	}

	f.how.register(cmd.Flags())
	cmd.Flags().BoolVar(&f.asRaw, "raw", false, "bare little-endian elements in C order")
	cmd.Flags().BoolVar(&f.force, "force", false, "write to a terminal too")

	return cmd
}
