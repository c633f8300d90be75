package tstore

import (
	"context"

	"github.com/tstore/tstore/internal/check"
)

// ProblemKind names a kind of damage, stably enough for scripts.
type ProblemKind string

// What Check finds.
const (
	ProblemCatalog     ProblemKind = "catalog"      // the catalog's pages or records do not read back
	ProblemRefs        ProblemKind = "refs"         // a reference count or the reverse index is off
	ProblemMissing     ProblemKind = "missing-file" // a storage's file is not there
	ProblemUnreadable  ProblemKind = "unreadable"   // a storage's file is there and can't be read
	ProblemShort       ProblemKind = "short-file"   // a storage's file is shorter than what was committed
	ProblemHeader      ProblemKind = "header"       // a file's header is not what the catalog expects
	ProblemSums        ProblemKind = "sums"         // the checksums of a sealed storage are missing or damaged
	ProblemChecksum    ProblemKind = "checksum"     // elements of a sealed storage are not those that were sealed; only Verify looks
	ProblemBounds      ProblemKind = "bounds"       // a record reaches beyond its storage
	ProblemUnsynced    ProblemKind = "unsynced"     // the disk may not have got what was written
	ProblemDirty       ProblemKind = "dirty"        // in-place writing was not finished
	ProblemPatch       ProblemKind = "patch"        // a small change was interrupted
	ProblemChanged     ProblemKind = "changed"      // an adopted file is not the one adopted
	ProblemQuarantined ProblemKind = "quarantined"  // a storage is out of use
	ProblemOrphan      ProblemKind = "orphan"       // a file that nothing names; gc removes it
	ProblemSnapshot    ProblemKind = "snapshot"     // a snapshot, or a file that it needs, is damaged
	ProblemUnknown     ProblemKind = "unknown-file" // a file that is not the store's
)

// Problem is one finding of Check, in plain words.
type Problem struct {
	Kind ProblemKind
	// Names are tensors that it concerns, the first hundred of them.
	Names []string
	// File is the file it is about, relative to the store; empty when none is.
	File string
	// Detail is what was expected and what was found.
	Detail string
	// Remedy is what Repair does about it, or what a person can do.
	Remedy string
	// Repairable is true when Repair can put it right without a guess.
	Repairable bool
	// Harmless is true for what an interruption leaves and does no harm to any tensor: leftovers, a
	// header that lacks the last rows, a small change that is still in the catalog.
	Harmless bool
}

func problemOf(p check.Problem) Problem {
	return Problem{
		Kind: ProblemKind(p.Kind), Names: p.Names, File: p.File, Detail: p.Detail, Remedy: p.Remedy,
		Repairable: p.Repairable, Harmless: p.Harmless,
	}
}

// Check looks for damage: it reads the whole catalog and the header and size of every file, but not
// the elements. It may run while others use the store. Its memory grows with the number of problems
// only.
func (s *Store) Check(ctx context.Context) ([]Problem, error) {
	r, err := s.check().Check(ctx)
	return each(r, problemOf), err
}

// RepairOptions of Repair. Nil means the defaults.
type RepairOptions struct {
	// AcceptDirty names tensors whose storage is to be accepted as it is, though an in-place writer
	// did not finish.
	AcceptDirty []string
}

// Repair mends what Check finds and what needs no guess, takes storages out of use that it can't
// mend, and returns what it did. It removes nothing and is idempotent.
func (s *Store) Repair(ctx context.Context, o *RepairOptions) ([]Problem, error) {
	r, err := s.check().Repair(ctx, (*check.RepairOptions)(o))
	return each(r, problemOf), err
}
