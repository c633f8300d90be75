package tstore

import (
	"context"

	"github.com/tstore/tstore/internal/check"
)

// Damage is a run of bytes that are not what was sealed.
type Damage struct {
	// File is relative to the store, or absolute for adopted files. It is the file of the checksums
	// if that one is damaged.
	File string
	// Offset and Bytes are where in the file: whole blocks of 64 KiB. Bytes is
	// -1 where it is about the file as a whole.
	Offset, Bytes int64
	// Parts are the tensors that have elements there, the first hundred.
	Parts []DamagedPart
	// Err says what is wrong: ErrChecksum, ErrTruncated, ErrMissing, ErrChanged or an error of the
	// file system.
	Err error
}

// DamagedPart is the smallest part of a tensor, as ranges of indexes, that holds all damaged
// elements.
type DamagedPart struct {
	Name string
	// Selector is the part: "x[3:5, 0:7]".
	Selector string
}

func damageOf(d check.Damage) Damage {
	return Damage{
		File: d.File, Offset: d.Offset, Bytes: d.Bytes, Err: d.Err,
		Parts: each(d.Parts, func(p check.DamagedPart) DamagedPart { return DamagedPart(p) }),
	}
}

func (d Damage) inner() check.Damage {
	return check.Damage{
		File: d.File, Offset: d.Offset, Bytes: d.Bytes, Err: d.Err,
		Parts: each(d.Parts, func(p DamagedPart) check.DamagedPart { return check.DamagedPart(p) }),
	}
}

// VerifyOptions of Verify. Nil means the defaults.
type VerifyOptions struct {
	// Selectors name what to verify: tensors, parts of them, groups, also those of snapshots. None
	// means everything, and the files that only snapshots need.
	Selectors []string
	// Rate bounds the bytes that are read a second. Zero means no bound.
	Rate int64
	// Progress, when set, is called now and then with the bytes read so far and all that are to be.
	// Calls do not overlap.
	Progress func(done, total int64)
}

// VerifyReport is what Verify found.
type VerifyReport struct {
	// Storages and Bytes are what was read.
	Storages int
	Bytes    int64
	// Damage is in the order of files and places. None means that all is well.
	Damage []Damage
	// Unsealed are the storages that have no checksums, and were not read.
	Unsealed []UnsealedStorage
}

func verifyReportOf(r *check.VerifyReport) *VerifyReport {
	if r == nil {
		return nil
	}
	return &VerifyReport{
		Storages: r.Storages, Bytes: r.Bytes, Damage: each(r.Damage, damageOf),
		Unsealed: each(r.Unsealed, func(u check.UnsealedStorage) UnsealedStorage { return UnsealedStorage(u) }),
	}
}

// UnsealedStorage is a storage that can't be verified.
type UnsealedStorage struct {
	// Names are tensors in it, the first hundred of them.
	Names []string
	// File is relative to the store, or absolute for adopted files.
	File string
	// Bytes is its payload.
	Bytes int64
}

// Verify reads the elements of sealed storages from the disk, past the page cache, and compares
// them with their checksums. It may run while others use the store. The report lists damage. An
// error means that Verify could not do its work.
func (s *Store) Verify(ctx context.Context, o *VerifyOptions) (*VerifyReport, error) {
	r, err := s.check().Verify(ctx, (*check.VerifyOptions)(o))
	return verifyReportOf(r), err
}

// Problems returns the damage in the form that Check has.
func (r *VerifyReport) Problems() []Problem {
	return each(check.Problems(each(r.Damage, Damage.inner)), problemOf)
}
