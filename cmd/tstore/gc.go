package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
)

// garbageJSON is one file that nothing names.
type garbageJSON struct {
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
	Removed bool   `json:"removed"`
}

func newGC(a *app) *cobra.Command {
	var dryRun, asJSON bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove files that nothing uses",
		Long: `Remove what interrupted commands left in the store's folder: files that no tensor
uses. Files of other programs are left alone, and writers are not disturbed.`,
		Example: "  tstore gc --dry-run",
		GroupID: groupMaintain,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			with := a.changing
			if dryRun {
				with = a.reading
			}
			return with(cmd.Context(), func(s *tstore.Store) error {
				found, err := s.GC(cmd.Context(), &tstore.GCOptions{DryRun: dryRun})
				if err != nil && len(found) == 0 {
					return err
				}
				return errors.Join(err, a.printGarbage(found, dryRun, asJSON))
			})
		},
	}

	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be removed, and remove nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a file")
	return cmd
}

func (a *app) printGarbage(found []tstore.Garbage, dryRun, asJSON bool) error {
	verb := "removed"
	if dryRun {
		verb = "would remove"
	}

	var total int64
	for _, g := range found {
		total += g.Bytes
		if asJSON {
			if err := writeJSON(a.stdout, garbageJSON{File: g.File, Bytes: g.Bytes, Removed: !dryRun}); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintf(a.stdout, "%s %s: %s\n", verb, printable(g.File), formatBytes(g.Bytes)); err != nil {
			return err
		}
	}

	if asJSON {
		return nil
	}
	_, err := fmt.Fprintf(a.stdout, "%s %s, %s\n", verb, plural(len(found), "file"), formatBytes(total))
	return err
}
