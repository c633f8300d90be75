package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a new, empty store",
		Long: `Make a new, empty store in DIR, or in --store DIR, $TSTORE_DIR or .tstore in this
folder. A folder that holds a store already is an error.`,
		Example: `  tstore init
  tstore init /data/experiments`,
		GroupID: groupStore,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && cmd.Flags().Changed("store") {
				return errors.New("expected DIR or --store, found both")
			}
			s, err := tstore.Init(cmd.Context(), a.newStoreDir(args), a.storeOptions(false))
			if err != nil {
				return err
			}
			a.note("made store %s in %s", s.ID(), printable(s.Dir()))
			if err := s.Close(); err != nil {
				return fmt.Errorf("close the new store: %w", err)
			}
			return nil
		},
	}
}
