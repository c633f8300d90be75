package main

import (
	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newCompact(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Give the catalog's free space back to the disk",
		Long: `Write catalog.db anew without the free pages that deleted names have left; by itself
it never shrinks, and very many of them make changes slow. Others wait meanwhile,
a few seconds for a million names. Data files are not touched: see tstore gc.`,
		Example: "  tstore compact",
		GroupID: groupMaintain,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				before, after, err := s.Compact(cmd.Context())
				if err != nil {
					return err
				}
				a.note("catalog.db: %s, before %s", formatBytes(after), formatBytes(before))
				return nil
			})
		},
	}
}
