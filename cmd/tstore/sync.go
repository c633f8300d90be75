package main

import (
	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newSync(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "sync",
		Short: "Make durable what was written with less durability",
		Long: `Wait until everything is on the disk that was committed with --durability process or
none since the machine was started. Changes made with --durability power, the
default, are there already.`,
		Example: "  tstore import *.npy --durability process && tstore sync",
		GroupID: groupMaintain,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				n, err := s.Sync(cmd.Context())
				if err != nil {
					return err
				}
				a.note("synced %s", plural(n, "file"))
				return nil
			})
		},
	}
}
