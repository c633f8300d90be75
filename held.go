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

// mustBeFreeToWrite is errHeld when a snapshot needs the file of a storage, ErrConflict
// when the file is not the one that was seen, and errMoved when it is sealed: restoring a
// snapshot seals without the storage's lock.
func mustBeFreeToWrite(c *catalog.Tx, now, seen catalog.Storage) error {
	if !sameFile(now, seen) {
		return fmt.Errorf("%w: its storage was restored or rewritten: try again", ErrConflict)
	}
	if now.Seal != nil {
		return errMoved
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

// sealedAs reports whether a storage is sealed if it was, and else is not.
func sealedAs(now, seen catalog.Storage) bool { return (now.Seal == nil) == (seen.Seal == nil) }

// mustBeSealedAs returns ErrConflict if the storage of a tensor was sealed or unsealed since
// the tensor was seen: a copy that takes its place is sealed as it was then.
func mustBeSealedAs(c *catalog.Tx, seen *Info) error {
	now, err := storageOf(c, seen.Storage.ID)
	if err == nil && !sealedAs(now, seen.Storage) {
		err = fmt.Errorf("%w: it was sealed or unsealed while it was copied: try again", ErrConflict)
	}
	return err
}

// IsHeld reports whether a snapshot needs the file of a storage, which then stays
// when nothing else uses it.
func (s *Store) IsHeld(ctx context.Context, st catalog.Storage) (held bool, err error) {
	if err := s.checkOpen(); err != nil {
		return false, err
	}
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		held, err = c.Held(st)
		return err
	})
	return held, err
}

// nextFile describes the next file of a storage whose lock is held. Its name is
// none that a file has: that may be a snapshot's.
func (s *Store) nextFile(st catalog.Storage) (catalog.Storage, error) {
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
func (s *Store) unshare(ctx context.Context, info *Info) error {
	old := info.Storage
	next, err := s.nextFile(old)
	if err != nil {
		return err
	}
	st, err := s.stage(next)
	if err != nil {
		return err
	}
	files := []*staged{st}
	if err = st.cloneFrom(ctx, info); err == nil && old.Seal != nil {
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
			return ErrConflict
		}
		now.Gen, now.HeaderSum, now.Seal = next.Gen, st.storage.HeaderSum, st.storage.Seal
		return c.PutStorage(now)
	})
}
