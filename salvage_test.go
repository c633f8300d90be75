package tstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

func TestSalvage(t *testing.T) {
	s := newStore(t)
	create(t, s, "weather/t2m", source(t, 0, 30_000))
	big := source(t, 0, 200, 100)
	big.Order, big.Dims = tstore.ColumnMajor, []string{"lat", "lon"}
	create(t, s, "fortran", big)
	create(t, s, "häufig/☃", source(t, 5, 2))
	create(t, s, "log", source(t, 0, 1, 3))
	must(t, s.Append(t.Context(), "log", source(t, 3, 2, 3)))
	create(t, s, "bf", tstore.FromBytes(tstore.Spec{DType: dtype.BFloat16, Shape: []int{2}}, []byte{0x80, 0x3f, 0, 0x40}))
	must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		for i := range 20 {
			must(t, tx.Create(fmt.Sprintf("small/%d", i), packed(source(t, float64(i), 2))))
		}
		return nil
	}))
	must(t, s.View(t.Context(), "v", "log[0]"))
	for _, lost := range []string{"catalog.db", "STORE"} {
		must(t, os.Remove(filepath.Join(s.Dir(), lost)))
	}
	must(t, s.Close())

	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	must(t, err)
	if len(report.Tensors) != 25 || len(report.Skipped) != 0 || len(report.Renamed) != 0 {
		t.Errorf("salvaged %+v", report)
	}
	again, err := tstore.Open(t.Context(), s.Dir(), nil)
	must(t, err)
	defer again.Close()
	wantValues(t, again, "weather/t2m", upTo(30_000)...)
	wantValues(t, again, "fortran[3, :2]", 3, 203)
	wantValues(t, again, "häufig/☃", 5, 6)
	wantValues(t, again, "log", upTo(9)...)
	wantValues(t, again, "bf", 1, 2)
	wantValues(t, again, "small/19", 19, 20)
	info, err := again.Stat(t.Context(), "fortran")
	must(t, err)
	if diff := cmp.Diff([]string{"lat", "lon"}, info.Dims()); diff != "" {
		t.Error(diff)
	}
}

func TestSalvageOfReplacedAndBrokenFiles(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 20_000))
	keep, err := os.ReadFile(onlyStorage(t, s.Dir()))
	must(t, err)
	old := onlyStorage(t, s.Dir())
	must(t, s.Replace(t.Context(), "x", source(t, 1, 20_000)))
	must(t, os.WriteFile(old, keep, 0o644))
	short := catalog.Storage{ID: catalog.NewID()}.File()
	must(t, os.MkdirAll(filepath.Join(s.Dir(), filepath.Dir(short)), 0o755))
	must(t, os.WriteFile(filepath.Join(s.Dir(), short), keep[:5000], 0o644))

	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	must(t, err)
	if len(report.Tensors) != 2 || len(report.Renamed) != 1 || len(report.Skipped) != 1 {
		t.Errorf("salvaged %+v", report)
	}
	again, err := tstore.Open(t.Context(), s.Dir(), nil)
	must(t, err)
	defer again.Close()
	wantValues(t, again, "x[:2]", 1, 2)
	for name := range report.Renamed {
		wantValues(t, again, name+"[:2]", 0, 1)
	}
	must(t, os.Remove(filepath.Join(s.Dir(), short)))
}

func onlyStorage(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "storages", "*", "*.npy"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("found %d storage files", len(files))
	}
	return files[0]
}

// TestSalvageOfSharedNames: of the tensors of one transaction and one name the last one gets it,
// and a tensor named as the group for the others is no obstacle.
func TestSalvageOfSharedNames(t *testing.T) {
	s := newStore(t)
	must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("a", packed(source(t, 1, 1))), tx.Replace("a", packed(source(t, 2, 1))),
			tx.Replace("a", packed(source(t, 3, 1))), tx.Replace("a", packed(source(t, 4, 1))))
	}))
	create(t, s, "salvaged", source(t, 0, 1))
	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	must(t, err)
	if len(report.Tensors) != 5 || len(report.Renamed) != 3 {
		t.Errorf("salvaged %+v", report)
	}
	wantValues(t, s, "a", 4)
	wantValues(t, s, "salvaged", 0)
}
