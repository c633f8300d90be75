package tstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tstore/tstore/catalog"
)

// checkImages reads the files of all snapshots.
func (s *Store) checkImages(ctx context.Context) ([]Problem, error) {
	snaps, err := s.allSnapshots(ctx)
	if err != nil {
		return nil, err
	}
	var all []Problem
	for _, snap := range snaps {
		err := s.withImage(snap, func(m *catalog.Image) error { return m.Verify(ctx) })
		if err == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return all, err
		}
		if _, gone := s.snapshotNamed(ctx, snap.Name); errors.Is(gone, ErrNotFound) {
			continue
		}
		all = append(all, Problem{
			Kind: ProblemSnapshot, File: snap.File(), Detail: err.Error(),
			Remedy: fmt.Sprintf("restore the file from a copy, or remove the snapshot: tstore snapshot rm %q", snap.Name),
		})
	}
	return all, nil
}

// checkSnapshots looks at the files of snapshots, and at those of storages that
// only snapshots need. A file that a newer snapshot or the store needs too is
// looked at there.
func (s *Store) checkSnapshots(ctx context.Context) ([]Problem, error) {
	all, err := s.checkImages(ctx)
	if err != nil {
		return all, err
	}
	err = s.eachHeld(ctx, func(snap catalog.Snapshot, storages []catalog.Storage) error {
		found, err := s.checkHeld(ctx, snap, storages)
		all = append(all, found...)
		return err
	})
	return all, err
}

// eachHeld calls fn for each snapshot with the storages whose files neither a
// newer snapshot nor the store needs too. Snapshots that can't be read are left
// out.
func (s *Store) eachHeld(ctx context.Context, fn func(catalog.Snapshot, []catalog.Storage) error) error {
	snaps, err := s.allSnapshots(ctx)
	if err != nil {
		return err
	}
	for i, snap := range snaps {
		var storages []catalog.Storage
		err := s.withImage(snap, func(m *catalog.Image) error {
			return m.View(ctx, func(c *catalog.Tx) (err error) {
				storages, err = ownStorages(c)
				return err
			})
		})
		if err != nil {
			continue
		}
		drop := func(c *catalog.Tx) (err error) {
			left, err := storagesNotIn(c, storages)
			if err == nil {
				storages = left
			}
			return err
		}
		err = s.cat.View(ctx, drop)
		if i+1 < len(snaps) && err == nil {
			next := s.withImage(snaps[i+1], func(m *catalog.Image) error { return m.View(ctx, drop) })
			if next != nil && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if err == nil {
			err = fn(snap, storages)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ownStorages are the storages of a snapshot whose files are the store's.
func ownStorages(c *catalog.Tx) ([]catalog.Storage, error) {
	var own []catalog.Storage
	for st, err := range c.Storages() {
		if err != nil {
			return nil, err
		}
		if !st.Adopted {
			own = append(own, st)
		}
	}
	return own, nil
}

// storagesNotIn are those that c does not have with the same file.
func storagesNotIn(c *catalog.Tx, storages []catalog.Storage) ([]catalog.Storage, error) {
	var left []catalog.Storage
	for _, st := range storages {
		named, err := namedBy(c, st.File())
		if err != nil {
			return nil, err
		}
		if !named {
			left = append(left, st)
		}
	}
	return left, nil
}

// checkHeld looks at the files that a snapshot needs.
func (s *Store) checkHeld(ctx context.Context, snap catalog.Snapshot, storages []catalog.Storage) ([]Problem, error) {
	var all []Problem
	for _, st := range storages {
		detail := s.heldFault(st)
		if detail == "" {
			continue
		}
		if _, err := s.snapshotNamed(ctx, snap.Name); errors.Is(err, ErrNotFound) {
			return nil, nil
		} else if err != nil {
			return all, err
		}
		names, err := s.sharersIn(ctx, snap, st.ID)
		if err != nil {
			return all, err
		}
		all = append(all, Problem{
			Kind: ProblemSnapshot, File: st.File(), Names: names, Detail: detail,
			Remedy: fmt.Sprintf("restore the file from a copy; else these tensors are lost to snapshot %q", snap.Name),
		})
	}
	return all, nil
}

// heldFault says what is wrong with a file that only snapshots need, "" when
// nothing is. Its header may be of a later state than st is.
func (s *Store) heldFault(st catalog.Storage) string {
	f, err := s.fs.OpenFile(s.dataPath(st), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "the data file is missing"
	}
	if err != nil {
		return "the data file can't be read: " + err.Error()
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "the data file can't be read: " + err.Error()
	}
	if want := st.HeaderBytes + st.PayloadBytes; fi.Size() < want {
		return fmt.Sprintf("expected %d bytes, found %d", want, fi.Size())
	}
	if sums := st.SumsFile(); sums != "" {
		if _, err := s.fs.Stat(s.path(sums)); err != nil {
			return "the file of its checksums: " + err.Error()
		}
	}
	b := make([]byte, headerBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return "the data file can't be read: " + err.Error()
	}
	if headerSum(b) == st.HeaderSum {
		return ""
	}
	switch _, sp, err := parseFileHeader(bytes.NewReader(b)); {
	case err != nil:
		return "the header: " + err.Error()
	case sp.Storage != st.ID:
		return fmt.Sprintf("the header belongs to storage %v", sp.Storage)
	}
	return ""
}

// sharersIn names tensors of a snapshot that share a storage.
func (s *Store) sharersIn(ctx context.Context, snap catalog.Snapshot, id catalog.ID) (names []string, err error) {
	err = s.withImage(snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) error {
			names, err = c.Sharers(id, problemNames)
			return err
		})
	})
	for i := range names {
		names[i] += "@" + snap.Name
	}
	return names, err
}
