package storetest

import (
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
)

// The bytes of a block that has a checksum, and of the header of a data file.
const (
	SumBlock   = 65536
	FileHeader = 4096
)

// ImportAs imports float64 elements that count up from 0.
func ImportAs(t testing.TB, s *tstore.Store, name string, shape ...int) {
	t.Helper()
	if err := s.Import(t.Context(), name, Source(t, 0, shape...), nil); err != nil {
		t.Fatal(err)
	}
}

// WantVerified fails the test unless Verify reads so many storages and finds no damage.
func WantVerified(t testing.TB, s *tstore.Store, storages int) *tstore.VerifyReport {
	t.Helper()
	r, err := s.Verify(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Damage) > 0 || r.Storages != storages {
		t.Errorf("verified %d storages, want %d; damage %+v", r.Storages, storages, r.Damage)
	}
	return r
}

// WantSealed expects that a tensor is sealed, or not.
func WantSealed(t testing.TB, s *tstore.Store, name string, want bool) {
	t.Helper()
	if got := Stat(t, s, name).Storage.Seal != nil; got != want {
		t.Errorf("%s: sealed %t, want %t", name, got, want)
	}
}

// SumsFiles is the number of files of checksums.
func SumsFiles(t testing.TB, s *tstore.Store) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Dir(), "storages", "*", "*.sums"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
