package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// fsckFlags are the flags of fsck.
type fsckFlags struct {
	repair, salvage, deep, dryRun, json bool
	acceptDirty                         []string
}

func newFsck(a *app) *cobra.Command {
	var f fsckFlags
	cmd := &cobra.Command{
		Use:   "fsck",
		Short: "Look for damage, and repair it",
		Long: `Read the whole catalog and the header and size of every file, and say in plain
words what is wrong. Elements are not read, but with --deep those of sealed tensors,
as tstore verify does. Leftovers that harm no tensor are notes.

--repair puts right what needs no guess and takes out of use what it can't put
right; it deletes nothing. Tensors whose in-place writer died stay shut until
--accept-dirty NAME takes them as they are. --salvage makes a new catalog from the
data files, for when catalog.db is lost: names, dtypes and shapes come back;
views, attributes and blobs do not. Stop all other users of the store first.`,
		Example: `  tstore fsck
  tstore fsck --repair --dry-run
  tstore fsck --accept-dirty weather/t2m
  tstore fsck --salvage`,
		GroupID: groupMaintain,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.fsck(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.repair, "repair", false, "put right what needs no guess")
	flags.StringArrayVar(&f.acceptDirty, "accept-dirty", nil, "take this tensor as it is, though an in-place writer died (repeatable)")
	flags.BoolVar(&f.salvage, "salvage", false, "make a new catalog from the data files")
	flags.BoolVar(&f.deep, "deep", false, "also read the elements of sealed tensors, and verify them")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --repair: say what would be repaired, and repair nothing")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a problem")
	return cmd
}

func (f fsckFlags) check() error {
	repairs := f.repair || len(f.acceptDirty) > 0
	switch {
	case f.salvage && (repairs || f.deep || f.dryRun):
		return errors.New("--salvage stands alone: repair afterwards")
	case f.dryRun && !repairs:
		return errors.New("--dry-run is for --repair")
	}
	return nil
}

func (a *app) fsck(ctx context.Context, f fsckFlags) error {
	err := a.fsckMode(ctx, f)
	if !f.salvage && (errors.Is(err, tstore.ErrCorrupt) || errors.Is(err, catalog.ErrNotCatalog)) {
		return fmt.Errorf("%w: tstore fsck --salvage makes a new catalog from the data files", err)
	}
	return err
}

func (a *app) fsckMode(ctx context.Context, f fsckFlags) error {
	switch {
	case f.salvage:
		return a.salvage(ctx, f.json)
	case f.dryRun:
		return a.reading(ctx, func(s *tstore.Store) error { return a.wouldRepair(ctx, s, f) })
	case f.repair || len(f.acceptDirty) > 0:
		return a.changing(ctx, func(s *tstore.Store) error { return a.repair(ctx, s, f) })
	}
	return a.reading(ctx, func(s *tstore.Store) error { return a.check(ctx, s, f) })
}

// check prints what is wrong, and is errFound when that is more than leftovers.
func (a *app) check(ctx context.Context, s *tstore.Store, f fsckFlags) error {
	found, err := s.Check(ctx)
	if err == nil && f.deep {
		var r *tstore.VerifyReport
		if r, err = a.verified(ctx, s, &tstore.VerifyOptions{}); err == nil {
			found = append(found, r.Problems()...)
		}
	}
	if err := errors.Join(a.printProblems(found, false, f.json), err); err != nil {
		return err
	}
	return a.verdict(found, f.json)
}

// repair says what it repaired, and then what a check finds.
func (a *app) repair(ctx context.Context, s *tstore.Store, f fsckFlags) error {
	if err := checkTensors(ctx, s, f.acceptDirty); err != nil {
		return err
	}
	done, err := s.Repair(ctx, &tstore.RepairOptions{AcceptDirty: f.acceptDirty})
	if err := errors.Join(a.printProblems(done, true, f.json), err); err != nil {
		return err
	}
	if err := a.printAccepted("accepted", f); err != nil {
		return err
	}
	return a.check(ctx, s, f)
}

// wouldRepair says what there is to be repaired.
func (a *app) wouldRepair(ctx context.Context, s *tstore.Store, f fsckFlags) error {
	if err := checkTensors(ctx, s, f.acceptDirty); err != nil {
		return err
	}
	if err := a.printAccepted("would accept", f); err != nil {
		return err
	}
	return a.check(ctx, s, f)
}

func (a *app) printAccepted(verb string, f fsckFlags) error {
	if f.json {
		return nil
	}
	for _, name := range f.acceptDirty {
		if _, err := fmt.Fprintf(a.stdout, "%s %q as it is\n", verb, name); err != nil {
			return err
		}
	}
	return nil
}

// checkTensors is an error when one of the names is no tensor's.
func checkTensors(ctx context.Context, s *tstore.Store, names []string) error {
	for _, name := range names {
		_, err := s.Stat(ctx, name)
		if errors.Is(err, tstore.ErrNotFound) {
			return notFound(ctx, s, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
