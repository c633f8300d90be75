package check_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestVerifySnapshots verifies what only a snapshot has.
func TestVerifySnapshots(t *testing.T) {
	for name, elements := range map[string]int{"inline": 3 * storetest.SumBlock / 8, "file": 66 * storetest.SumBlock / 8} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewDamagedStore(t)
			storetest.ImportAs(t, s, "x", elements)
			storetest.ImportAs(t, s, "gone", elements)
			storetest.Snapshot(t, s, "monday")
			gone := filepath.Join(s.Dir(), filepath.FromSlash(storetest.Stat(t, s, "gone").Storage.File()))
			if err := errors.Join(s.Append(t.Context(), "x", storetest.Source(t, float64(elements), 100)), s.Delete(t.Context(), "gone")); err != nil {
				t.Fatal(err)
			}
			storetest.WantVerified(t, s, 2)
			storetest.Collect(t, s)
			storetest.WantVerified(t, s, 2)
			r, err := s.Verify(t.Context(), &tstore.VerifyOptions{Selectors: []string{"x@monday", "x", "gone@monday[:10]"}})
			if want := int64(16*elements + 800 + storetest.SumBlock); err != nil || len(r.Damage) > 0 || r.Bytes != want {
				t.Errorf("%+v, %v, want %d bytes", r, err, want)
			}
			if err := storetest.FlipByte(gone, storetest.FileHeader+8*9000); err != nil {
				t.Fatal(err)
			}
			r, err = s.Verify(t.Context(), nil)
			if err != nil || len(r.Damage) != 1 {
				t.Fatalf("%+v, %v", r, err)
			}
			want := []tstore.DamagedPart{{Name: "gone@monday", Selector: "gone@monday[8192:16384]"}}
			if diff := cmp.Diff(want, r.Damage[0].Parts); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			p, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Paranoid: true})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if _, err := p.Get(t.Context(), "gone@monday"); !errors.Is(err, tstore.ErrChecksum) {
				t.Errorf("get gone@monday: %v, want ErrChecksum", err)
			}
			storetest.WantValues(t, p, "x@monday[-1:]", float64(elements-1))
			if err := storetest.FlipByte(gone, storetest.FileHeader+8*9000); err != nil {
				t.Fatal(err)
			}
			storetest.Restore(t, s, "monday")
			storetest.WantSealed(t, s, "gone", true)
			storetest.WantVerified(t, s, 2)
			if _, err := s.RemoveSnapshot(t.Context(), "monday"); err != nil {
				t.Fatal(err)
			}
			storetest.Collect(t, s)
			storetest.WantVerified(t, s, 2)
			storetest.WantSound(t, s.Dir())
		})
	}
}

// TestUnsealInSnapshot: elements change in a file of their own, and the snapshot keeps its seal.
func TestUnsealInSnapshot(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.ImportAs(t, s, "x", 66*storetest.SumBlock/8)
	storetest.Snapshot(t, s, "monday")
	if err := errors.Join(s.Unseal(t.Context(), "x"), s.Fill(t.Context(), "x[0]", storetest.Scalar(t, 9)), s.Seal(t.Context(), "x", nil)); err != nil {
		t.Fatal(err)
	}
	storetest.WantVerified(t, s, 2)
	storetest.Collect(t, s)
	storetest.WantValues(t, s, "x[:2]", 9, 1)
	storetest.WantValues(t, s, "x@monday[:2]", 0, 1)
	storetest.Restore(t, s, "monday", "x")
	storetest.WantValues(t, s, "x[:2]", 0, 1)
	storetest.WantVerified(t, s, 1)
	if _, err := s.RemoveSnapshot(t.Context(), "monday"); err != nil {
		t.Fatal(err)
	}
	storetest.Collect(t, s)
	storetest.WantVerified(t, s, 1)
	if n := storetest.SumsFiles(t, s); n != 1 {
		t.Errorf("%d files of sums, want 1", n)
	}
}
