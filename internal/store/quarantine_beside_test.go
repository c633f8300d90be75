package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// keptAndFilled makes a tensor of which a snapshot has other elements, in another file.
func keptAndFilled(t *testing.T, s *tstore.Store) {
	t.Helper()
	storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
	_, err := s.CreateSnapshot(t.Context(), "monday", "")
	storetest.Must(t, errors.Join(err, s.Fill(t.Context(), "x", dtype.ScalarOf(9.0))))
}

// TestRestoredWhileQuarantined restores a tensor, whose file is missing, from a snapshot while a
// repair takes it out of use: what was restored is whole.
func TestRestoredWhileQuarantined(t *testing.T) {
	s := storetest.NewStore(t)
	keptAndFilled(t, s)
	info, err := s.Stat(t.Context(), "x")
	storetest.Must(t, err)
	file := filepath.Join(s.Dir(), filepath.FromSlash(info.Storage.File()))
	storetest.Must(t, os.Remove(file))

	// The repair looks at the file for the second time when it has its lock.
	looks := 0
	faulty := fsx.NewFaulty(fsx.OS)
	faulty.CountReads()
	faulty.FailIf(func(o fsx.Op) error {
		if o.Kind == fsx.OpStat && o.Path == file {
			if looks++; looks == 2 {
				_, err := s.RestoreSnapshot(t.Context(), "monday")
				storetest.Must(t, err)
			}
		}
		return nil
	})
	repairing, err := storetest.OpenOn(t.Context(), s.Dir(), faulty, nil)
	storetest.Must(t, err)
	defer repairing.Close()
	if _, err := repairing.Repair(t.Context(), nil); err != nil || looks < 2 {
		t.Errorf("repair: %v, after %d looks", err, looks)
	}
	storetest.WantValues(t, s, "x", 1, 2, 3)
}

// TestRestoredBesideFailingWriter restores a tensor while it is open to be written in place. That
// what was written can't be made durable takes nothing of what was restored out of use.
func TestRestoredBesideFailingWriter(t *testing.T) {
	s := storetest.NewStore(t)
	keptAndFilled(t, s)
	faulty := fsx.NewFaulty(fsx.OS)
	failing, err := storetest.OpenOn(t.Context(), s.Dir(), faulty, nil)
	storetest.Must(t, err)
	defer failing.Close()
	w, err := failing.OpenWritable(t.Context(), "x")
	storetest.Must(t, errors.Join(err, s.Delete(t.Context(), "x")))
	_, err = s.RestoreSnapshot(t.Context(), "monday")
	storetest.Must(t, err)

	faulty.FailIf(func(o fsx.Op) error {
		if o.Kind == fsx.OpSync {
			return syscall.EIO
		}
		return nil
	})
	if err := w.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("close: got %v, want EIO", err)
	}
	faulty.FailIf(nil)
	storetest.WantValues(t, s, "x", 1, 2, 3)
}
