package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// checkFiles looks at the files of snapshots, at those of storages that only snapshots need, and
// for files that nothing needs. A snapshot is read once for all of these.
func (s *Store) checkFiles(ctx context.Context) ([]Problem, error) {
	u, err := s.Engine.ListUnused(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.checkSnapshots(ctx, u)
	if err != nil {
		return all, err
	}
	found, err := s.checkFolders(ctx, u)
	return append(all, found...), err
}

// checkSnapshots looks at the files of snapshots, and at those of storages that only snapshots
// need. If a newer snapshot or the store needs a file too, it is looked at there. Files of u that a
// snapshot needs are taken out of u.
func (s *Store) checkSnapshots(ctx context.Context, u *engine.Unused) (all []Problem, err error) {
	w := &engine.HeldWalk{Store: s.Engine, Unused: u}
	w.Damaged = func(snap catalog.Snapshot, err error) {
		if _, gone := s.Engine.SnapshotNamed(ctx, snap.Name); !errors.Is(gone, store.ErrNotFound) {
			all = append(all, imageProblem(snap, err))
		}
	}
	err = w.Each(ctx, func(st engine.HeldStorage) error {
		p, err := s.checkHeld(ctx, st)
		if p != nil {
			all = append(all, *p)
		}
		return err
	})
	return all, err
}

// imageProblem returns the problem of a snapshot that can't be read.
func imageProblem(snap catalog.Snapshot, err error) Problem {
	return Problem{
		Kind: ProblemSnapshot, File: snap.File(), Detail: err.Error(),
		Remedy: engine.ImageRemedy(snap),
	}
}

// checkHeld looks at a file that only snapshots need.
func (s *Store) checkHeld(ctx context.Context, st engine.HeldStorage) (*Problem, error) {
	detail := s.heldFault(st.Storage)
	if detail == "" {
		return nil, nil
	}

	// The walk reads the snapshots before their files, and a snapshot may be removed in between.
	now, err := s.Engine.SnapshotNamed(ctx, st.Snapshot.Name)
	if errors.Is(err, store.ErrNotFound) || err == nil && now.ID != st.Snapshot.ID {
		return nil, nil // it was removed meanwhile
	}
	if err != nil {
		return nil, err
	}

	names, err := s.sharersIn(ctx, st.Snapshot, st.ID)
	if err != nil {
		return nil, err
	}

	return &Problem{
		Kind: ProblemSnapshot, File: st.File(), Names: names, Detail: detail,
		Remedy: fmt.Sprintf("restore the file from a copy; else these tensors are lost to snapshot %q", st.Snapshot.Name),
	}, nil
}

// heldFault returns what is wrong with a file that only snapshots need, or "" if nothing is. The
// file may have the header of a later state than st.
func (s *Store) heldFault(st catalog.Storage) string {
	f, err := s.Engine.FS.OpenFile(s.Engine.DataPath(st), os.O_RDONLY, 0)
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
		if _, err := s.Engine.FS.Stat(s.Engine.Path(sums)); err != nil {
			return "the file of its checksums: " + err.Error()
		}
	}

	b := make([]byte, storefile.HeaderBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return "the data file can't be read: " + err.Error()
	}

	// A header of a later state describes the same storage.
	if storefile.HeaderSum(b) == st.HeaderSum {
		return ""
	}
	switch _, sp, err := storefile.ParseHeader(bytes.NewReader(b)); {
	case err != nil:
		return "the header: " + err.Error()
	case sp.Storage != st.ID:
		return fmt.Sprintf("the header belongs to storage %v", sp.Storage)
	}
	return ""
}

// sharersIn names tensors of a snapshot that share a storage.
func (s *Store) sharersIn(ctx context.Context, snap catalog.Snapshot, id catalog.ID) (names []string, err error) {
	err = s.Engine.WithImage(snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) error {
			names, err = c.Sharers(id, engine.ProblemNames)
			return err
		})
	})
	for i := range names {
		names[i] += "@" + snap.Name
	}
	return names, err
}
