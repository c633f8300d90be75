package check_test

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
	"github.com/tstore/tstore/internal/storetest"
)

func TestSalvage(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "weather/t2m", storetest.Source(t, 0, 30_000))
	big := storetest.Source(t, 0, 200, 100)
	big.Order, big.Dims = tstore.ColumnMajor, []string{"lat", "lon"}
	storetest.Create(t, s, "fortran", big)
	storetest.Create(t, s, "häufig/☃", storetest.Source(t, 5, 2))
	storetest.Create(t, s, "log", storetest.Source(t, 0, 1, 3))
	storetest.Must(t, s.Append(t.Context(), "log", storetest.Source(t, 3, 2, 3)))
	storetest.Create(t, s, "bf", tstore.FromBytes(tstore.Spec{DType: dtype.BFloat16, Shape: []int{2}}, []byte{0x80, 0x3f, 0, 0x40}))
	storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		for i := range 20 {
			storetest.Must(t, tx.Create(fmt.Sprintf("small/%d", i), storetest.Packed(storetest.Source(t, float64(i), 2))))
		}
		return nil
	}))
	storetest.Must(t, s.View(t.Context(), "v", "log[0]"))
	for _, lost := range []string{"catalog.db", "STORE"} {
		storetest.Must(t, os.Remove(filepath.Join(s.Dir(), lost)))
	}
	storetest.Must(t, s.Close())

	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	storetest.Must(t, err)
	if len(report.Tensors) != 25 || len(report.Skipped) != 0 || len(report.Renamed) != 0 {
		t.Errorf("salvaged %+v", report)
	}
	again, err := tstore.Open(t.Context(), s.Dir(), nil)
	storetest.Must(t, err)
	defer again.Close()
	storetest.WantValues(t, again, "weather/t2m", storetest.UpTo(30_000)...)
	storetest.WantValues(t, again, "fortran[3, :2]", 3, 203)
	storetest.WantValues(t, again, "häufig/☃", 5, 6)
	storetest.WantValues(t, again, "log", storetest.UpTo(9)...)
	storetest.WantValues(t, again, "bf", 1, 2)
	storetest.WantValues(t, again, "small/19", 19, 20)
	info, err := again.Stat(t.Context(), "fortran")
	storetest.Must(t, err)
	if diff := cmp.Diff([]string{"lat", "lon"}, info.Dims()); diff != "" {
		t.Error(diff)
	}
}

func TestSalvageOfReplacedAndBrokenFiles(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 20_000))
	keep, err := os.ReadFile(storetest.OnlyStorage(t, s.Dir()))
	storetest.Must(t, err)
	old := storetest.OnlyStorage(t, s.Dir())
	storetest.Must(t, s.Replace(t.Context(), "x", storetest.Source(t, 1, 20_000)))
	storetest.Must(t, os.WriteFile(old, keep, 0o644))
	short := catalog.Storage{ID: catalog.NewID()}.File()
	storetest.Must(t, os.MkdirAll(filepath.Join(s.Dir(), filepath.Dir(short)), 0o755))
	storetest.Must(t, os.WriteFile(filepath.Join(s.Dir(), short), keep[:5000], 0o644))

	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	storetest.Must(t, err)
	if len(report.Tensors) != 2 || len(report.Renamed) != 1 || len(report.Skipped) != 1 {
		t.Errorf("salvaged %+v", report)
	}
	again, err := tstore.Open(t.Context(), s.Dir(), nil)
	storetest.Must(t, err)
	defer again.Close()
	storetest.WantValues(t, again, "x[:2]", 1, 2)
	for name := range report.Renamed {
		storetest.WantValues(t, again, name+"[:2]", 0, 1)
	}
	storetest.Must(t, os.Remove(filepath.Join(s.Dir(), short)))
}

// TestSalvageOfSharedNames: of the tensors of one transaction and one name the last one gets it,
// and a tensor named as the group for the others is no obstacle.
func TestSalvageOfSharedNames(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("a", storetest.Packed(storetest.Source(t, 1, 1))), tx.Replace("a", storetest.Packed(storetest.Source(t, 2, 1))),
			tx.Replace("a", storetest.Packed(storetest.Source(t, 3, 1))), tx.Replace("a", storetest.Packed(storetest.Source(t, 4, 1))))
	}))
	storetest.Create(t, s, "salvaged", storetest.Source(t, 0, 1))
	report, err := tstore.Salvage(t.Context(), s.Dir(), nil)
	storetest.Must(t, err)
	if len(report.Tensors) != 5 || len(report.Renamed) != 3 {
		t.Errorf("salvaged %+v", report)
	}
	storetest.WantValues(t, s, "a", 4)
	storetest.WantValues(t, s, "salvaged", 0)
}
