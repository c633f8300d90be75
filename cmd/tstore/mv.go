package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

func newMove(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mv OLD|PATTERN... NEW|GROUP/",
		Short: "Rename tensors, blobs and groups",
		Long: `Rename a tensor, a blob, or a group with all that is in it, or put any number of them
into a group, which is written with a slash at its end and need not be there: all of it
in one transaction. No element is copied.`,
		Example: `  tstore mv weather/t2m weather/temperature
  tstore mv weather archive/2024
  tstore mv t2m wind 'old_*' weather/`,
		GroupID: groupChange,
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.move(cmd.Context(), s, args[:len(args)-1], args[len(args)-1])
			})
		},
	}
}

// move gives a source another name, or puts sources into a group.
func (a *app) move(ctx context.Context, s *tstore.Store, sources []string, target string) error {
	p := picker{app: a, store: s, whole: true}
	picks, err := p.pick(ctx, sources)
	if err != nil {
		return err
	}
	into, err := isInto(sources, picks, target)
	if err != nil {
		return err
	}
	if !into {
		return s.Rename(ctx, strings.TrimSuffix(sources[0], "/"), target)
	}

	return s.Update(ctx, func(tx *tstore.Tx) error {
		for _, one := range picks {
			if err := tx.Rename(strings.TrimSuffix(one.text, "/"), target+one.inner); err != nil {
				return err
			}
		}
		return nil
	})
}
