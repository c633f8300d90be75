package main

import (
	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newView(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "view NAME SELECTOR",
		Short: "Name a part of a tensor, without copying it",
		Long: `Give the part of a tensor that SELECTOR picks a name of its own. No element is
copied: both names share the bytes, and a change through one shows in the other. What is
computed is no view: tstore eval 'NAME = EXPRESSION' makes a tensor of it, tstore define a
lazy name.`,
		Example: `  tstore view winter 'weather/t2m[0:90]'
  tstore view flipped 'photo[::-1, :, 0]'
  tstore view columns 'x.T'`,
		GroupID: groupChange,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				if err := s.View(cmd.Context(), args[0], args[1]); err != nil {
					return err
				}
				return a.tellMade(cmd.Context(), s, "made view", args[0], asJSON)
			})
		},
	}

	cmd.Flags().BoolVar(&asJSON, "json", false, "print the view as JSON")
	return cmd
}
