package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// TestGCKeepsWhatADamagedCatalogLost damages the key of a storage, which then seems to be nobody's.
func TestGCKeepsWhatADamagedCatalogLost(t *testing.T) {
	s := storetest.Damaged(t, func(*testing.T, *tstore.Store, string) {})
	id := storetest.Stat(t, s, "x").Storage.ID
	path := filepath.Join(s.Dir(), "catalog.db")
	b, err := os.ReadFile(path)
	storetest.Must(t, err)
	for at := bytes.Index(b, id[:]); at >= 0; at = bytes.Index(b, id[:]) {
		b[at+15] ^= 1
	}
	storetest.Must(t, os.WriteFile(path, b, 0o644))
	if found, err := s.GC(t.Context(), nil); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("gc removed %v, %v", found, err)
	}
	if n := storetest.StorageFiles(t, s.Dir()); n != 2 {
		t.Errorf("%d storage files are left", n)
	}
}

// TestOnlyUnusedStorageFilesAreRemoved forges the trash list, and puts copies of storage files
// where they don't belong.
func TestOnlyUnusedStorageFilesAreRemoved(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 20_000))
	file := storetest.Stat(t, s, "x").Storage.File()
	storetest.Must(t, storetest.Queue(t.Context(), s, "STORE", file))
	storetest.Must(t, s.PutBlob(t.Context(), "b", catalog.IntValue(1)))
	backup := filepath.Join(s.Dir(), "storages", "backup", filepath.Base(file))
	storetest.Must(t, os.Mkdir(filepath.Dir(backup), 0o755))
	storetest.Must(t, os.WriteFile(backup, []byte("kept"), 0o644))
	found, err := s.GC(t.Context(), nil)
	storetest.Must(t, err)
	if len(found) > 0 {
		t.Errorf("gc removed %v", found)
	}
	for _, path := range []string{filepath.Join(s.Dir(), "STORE"), filepath.Join(s.Dir(), file), backup} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	storetest.Must(t, err)
	if len(report.Tensors) != 1 || len(report.Skipped) != 1 {
		t.Errorf("salvaged %+v", report)
	}
}

// TestGCByTheCatalogOfAnotherStore puts one store's catalog into the folder of another that is
// open.
func TestGCByTheCatalogOfAnotherStore(t *testing.T) {
	s := storetest.Damaged(t, func(*testing.T, *tstore.Store, string) {})
	other := storetest.NewStore(t)
	b, err := os.ReadFile(filepath.Join(other.Dir(), "catalog.db"))
	storetest.Must(t, err)
	storetest.Must(t, os.WriteFile(filepath.Join(s.Dir(), "catalog.db"), b, 0o644))
	if found, err := s.GC(t.Context(), nil); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("gc removed %v, %v", found, err)
	}
	if err := s.PutBlob(t.Context(), "b", catalog.IntValue(1)); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("a change of another store's catalog: %v", err)
	}
}
