package tstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"

	"github.com/tstore/tstore/catalog"
)

// errHeld: a snapshot needs the bytes that were to be changed in place.
var errHeld = errors.New("a snapshot has the storage")

// mustBeFreeToWrite is errHeld when a snapshot needs the file of a storage, and
// ErrConflict when the file is not the one that was seen.
func mustBeFreeToWrite(c *catalog.Tx, now, seen catalog.Storage) error {
	if !sameFile(now, seen) {
		return fmt.Errorf("%w: its storage was restored or rewritten: try again", errConflict)
	}
	held, err := c.Held(now)
	if held && err == nil {
		err = errHeld
	}
	return err
}

// sameFile reports whether a storage has the file, and the length, that it had.
func sameFile(now, seen catalog.Storage) bool {
	return now.Gen == seen.Gen && now.PayloadBytes == seen.PayloadBytes
}

// nextFile describes the next file of a storage whose lock is held. Its name is
// none that a file has: that may be a snapshot's.
func (s *engineStore) nextFile(st catalog.Storage) (catalog.Storage, error) {
	for next := st; ; next.Gen++ {
		if next.Gen = max(next.Gen, st.Next()); next.Gen == math.MaxUint32 {
			return next, fmt.Errorf("storage %v has had too many files: make a copy of the tensor, with: tstore cp", st.ID)
		}
		switch _, err := s.fs.Stat(s.path(next.File())); {
		case errors.Is(err, fs.ErrNotExist):
			return next, nil
		case err != nil:
			return next, err
		}
	}
}

// unshare gives a storage whose lock is held a file that no snapshot has, and
// nothing behind its payload that may be mapped: a copy of the one it has now,
// sharing blocks where the file system can do that. What is sealed stays sealed,
// with the sums that it has.
func (s *engineStore) unshare(ctx context.Context, old catalog.Storage) error {
	next, err := s.nextFile(old)
	if err != nil {
		return err
	}
	st, err := s.stage(next)
	if err != nil {
		return err
	}
	files := []*staged{st}
	if err = st.cloneFrom(ctx, old); err == nil && old.Seal != nil {
		var sums []uint64
		var more []*staged
		if sums, err = s.loadSums(old); err == nil {
			more, err = s.stageSeal(&st.storage, sums)
			files = append(files, more...)
		}
	}
	if err != nil {
		return errors.Join(err, st.discard())
	}
	return s.publish(ctx, files, func(c *catalog.Tx) error {
		now, err := storageOf(c, old.ID)
		if err != nil {
			return err
		}
		if !sameFile(now, old) || !reflect.DeepEqual(now.Seal, old.Seal) {
			return errConflict
		}
		now.Gen, now.HeaderSum, now.Seal = next.Gen, st.storage.HeaderSum, st.storage.Seal
		return c.PutStorage(now)
	})
}
