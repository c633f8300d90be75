package tstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/internal/storetest"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// TestGCKeepsWhatADamagedCatalogLost damages the key of a storage, which then seems to be nobody's.
func TestGCKeepsWhatADamagedCatalogLost(t *testing.T) {
	s := damaged(t, func(*testing.T, *tstore.Store, string) {})
	id := stat(t, s, "x").Storage.ID
	path := filepath.Join(s.Dir(), "catalog.db")
	b, err := os.ReadFile(path)
	must(t, err)
	for at := bytes.Index(b, id[:]); at >= 0; at = bytes.Index(b, id[:]) {
		b[at+15] ^= 1
	}
	must(t, os.WriteFile(path, b, 0o644))
	if found, err := s.GC(t.Context(), nil); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("gc removed %v, %v", found, err)
	}
	if n := storageFiles(t, s.Dir()); n != 2 {
		t.Errorf("%d storage files are left", n)
	}
}

// TestOnlyUnusedStorageFilesAreRemoved forges the trash list, and puts copies of storage files
// where they don't belong.
func TestOnlyUnusedStorageFilesAreRemoved(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 20_000))
	file := stat(t, s, "x").Storage.File()
	must(t, storetest.Queue(t.Context(), s, "STORE", file))
	must(t, s.PutBlob(t.Context(), "b", catalog.IntValue(1)))
	backup := filepath.Join(s.Dir(), "storages", "backup", filepath.Base(file))
	must(t, os.Mkdir(filepath.Dir(backup), 0o755))
	must(t, os.WriteFile(backup, []byte("kept"), 0o644))
	found, err := s.GC(t.Context(), nil)
	must(t, err)
	if len(found) > 0 {
		t.Errorf("gc removed %v", found)
	}
	for _, path := range []string{filepath.Join(s.Dir(), "STORE"), filepath.Join(s.Dir(), file), backup} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	must(t, err)
	if len(report.Tensors) != 1 || len(report.Skipped) != 1 {
		t.Errorf("salvaged %+v", report)
	}
}

// TestGCByTheCatalogOfAnotherStore puts one store's catalog into the folder of another that is
// open.
func TestGCByTheCatalogOfAnotherStore(t *testing.T) {
	s := damaged(t, func(*testing.T, *tstore.Store, string) {})
	other := newStore(t)
	b, err := os.ReadFile(filepath.Join(other.Dir(), "catalog.db"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.Dir(), "catalog.db"), b, 0o644))
	if found, err := s.GC(t.Context(), nil); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("gc removed %v, %v", found, err)
	}
	if err := s.PutBlob(t.Context(), "b", catalog.IntValue(1)); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("a change of another store's catalog: %v", err)
	}
}
