package main

import (
	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newView(a *app) *cobra.Command {
	return &cobra.Command{
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
				return s.View(cmd.Context(), args[0], args[1])
			})
		},
	}
}
