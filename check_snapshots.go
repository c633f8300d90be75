package tstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// checkSnapshots looks at the files of snapshots, and at those of storages that
// only snapshots need. A file that a newer snapshot or the store needs too is
// looked at there.
func (s *Store) checkSnapshots(ctx context.Context) (all []Problem, err error) {
	damaged := func(snap catalog.Snapshot, err error) {
		if _, gone := s.snapshotNamed(ctx, snap.Name); !errors.Is(gone, ErrNotFound) {
			all = append(all, imageProblem(snap, err))
		}
	}
	err = s.eachHeld(ctx, damaged, func(snap catalog.Snapshot, storages []catalog.Storage) error {
		found, err := s.checkHeld(ctx, snap, storages)
		all = append(all, found...)
		return err
	})
	return all, err
}

// imageProblem is that of a snapshot that can't be read.
func imageProblem(snap catalog.Snapshot, err error) Problem {
	return Problem{
		Kind: ProblemSnapshot, File: snap.File(), Detail: err.Error(),
		Remedy: fmt.Sprintf("restore the file from a copy, or remove the snapshot: tstore snapshot rm %q", snap.Name),
	}
}

// eachHeld calls fn for each snapshot, the newest first, with the storages, some at a time, whose files neither a newer
// snapshot nor the store needs too. Of snapshots that can't be read, all or some are left out. If damaged is not nil,
// snapshots are verified first, and it is told of those.
func (s *Store) eachHeld(ctx context.Context, damaged func(catalog.Snapshot, error), fn func(catalog.Snapshot, []catalog.Storage) error) (err error) {
	snaps, err := s.allSnapshots(ctx)
	if err != nil {
		return err
	}
	w := &imageWalk{store: s}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, snap := range slices.Backward(snaps) {
		var failed error // not of the snapshot
		err := w.view(ctx, snap, func(m *catalog.Image, c, newer *catalog.Tx) error {
			if damaged != nil {
				if err := m.Verify(ctx); err != nil {
					return err
				}
			}
			return eachNotIn(c, newer, func(storages []catalog.Storage) error {
				if storages, failed = s.notInStore(ctx, storages); failed == nil {
					failed = fn(snap, storages)
				}
				return failed
			})
		})
		if stop := errors.Join(ctx.Err(), failed); stop != nil {
			return stop
		}
		if err != nil && damaged != nil {
			damaged(snap, err)
		}
	}
	return nil
}

// eachNotIn calls fn with pages of the storages of c whose files are the store's, and that newer, which may be nil, does
// not have with the same file.
func eachNotIn(c, newer *catalog.Tx, fn func([]catalog.Storage) error) error {
	var page []catalog.Storage
	for st, err := range c.StoragesNotIn(newer) {
		if err != nil {
			return err
		}
		if st.Adopted || newer != nil && isTrue(namedBy(newer, st.File())) {
			continue
		}
		if page = append(page, st); len(page) < listPage {
			continue
		}
		if err := fn(page); err != nil {
			return err
		}
		page = nil
	}
	if len(page) == 0 { // as a rule: snapshots share most with the next one
		return nil
	}
	return fn(page)
}

// isTrue is false, too, if that is not known.
func isTrue(b bool, err error) bool { return b && err == nil }

// notInStore are those of storages that the store does not have with the same file.
func (s *Store) notInStore(ctx context.Context, storages []catalog.Storage) (left []catalog.Storage, err error) {
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		left, err = storagesNotIn(c, storages)
		return err
	})
	return left, err
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
