package main

import (
	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newMove(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "mv OLD NEW",
		Short:   "Rename a tensor, a blob or a whole group",
		Long:    `Rename a tensor, a blob, or a group with all that is in it. No element is copied.`,
		Example: "  tstore mv weather/t2m weather/temperature\n  tstore mv weather archive/2024",
		GroupID: groupChange,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return s.Rename(cmd.Context(), args[0], args[1])
			})
		},
	}
}
