package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"

	"github.com/tstore/tstore/catalog"
)

// ErrHeld: a snapshot needs the bytes that were to be changed in place.
var ErrHeld = errors.New("a snapshot has the storage")

// MustBeFreeToWrite returns ErrHeld if a snapshot needs the file of a storage, ErrConflict if the
// file is not the one that was seen, and ErrMoved if it is sealed: restoring a snapshot seals
// without the storage's lock.
func MustBeFreeToWrite(c *catalog.Tx, now, seen catalog.Storage) error {
	if !SameFile(now, seen) {
		return fmt.Errorf("%w: its storage was restored or rewritten: try again", ErrConflict)
	}
	if now.Seal != nil {
		return ErrMoved
	}
	held, err := c.Held(now)
	if held && err == nil {
		err = ErrHeld
	}
	return err
}

// SameFile reports whether a storage has the file, and the length, that it had.
func SameFile(now, seen catalog.Storage) bool {
	return now.Gen == seen.Gen && now.PayloadBytes == seen.PayloadBytes
}

// SealedAs reports whether a storage is sealed now if and only if it was when it was seen.
func SealedAs(now, seen catalog.Storage) bool { return (now.Seal == nil) == (seen.Seal == nil) }

// NextFile returns the record of a storage, whose lock the caller holds, with the generation of its
// next file. No file has that name yet: one that had could be a snapshot's.
func (s *Store) NextFile(st catalog.Storage) (catalog.Storage, error) {
	for next := st; ; next.Gen++ {
		if next.Gen = max(next.Gen, st.Next()); next.Gen == math.MaxUint32 {
			return next, fmt.Errorf("storage %v has had too many files: make a copy of the tensor, with: tstore cp", st.ID)
		}
		switch _, err := s.FS.Stat(s.Path(next.File())); {
		case errors.Is(err, fs.ErrNotExist):
			return next, nil
		case err != nil:
			return next, err
		}
	}
}

// Unshare gives a storage whose lock is held a file that no snapshot has, and no rows behind its
// payload that may be mapped. The new file is a copy, which shares blocks if the file system can do
// that. A sealed storage stays sealed, with the same sums.
func (s *Store) Unshare(ctx context.Context, old catalog.Storage) error {
	next, err := s.NextFile(old)
	if err != nil {
		return err
	}
	st, err := s.Stage(next)
	if err != nil {
		return err
	}
	files := []*Staged{st}

	// The copy of a sealed storage is sealed with the same sums: they are not computed from the
	// copy, so damage that was copied still shows.
	if err = st.CloneFrom(ctx, old); err == nil && old.Seal != nil {
		var sums []uint64
		var more []*Staged
		if sums, err = s.LoadSums(old); err == nil {
			more, err = s.StageSeal(&st.Storage, sums)
			files = append(files, more...)
		}
	}
	if err != nil {
		return errors.Join(err, st.Discard())
	}

	// The copy counts only if the storage still has the file and the seal that were copied.
	return s.Publish(ctx, files, func(c *catalog.Tx) error {
		now, err := StorageOf(c, old.ID)
		if err != nil {
			return err
		}
		if !SameFile(now, old) || !reflect.DeepEqual(now.Seal, old.Seal) {
			return ErrConflict
		}
		// The generation is part of the file's name: with it the storage has the new file.
		now.Gen, now.HeaderSum, now.Seal = next.Gen, st.Storage.HeaderSum, st.Storage.Seal
		return c.PutStorage(now)
	})
}
