package tstore_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
)

// TestVerifySnapshots verifies what only a snapshot has.
func TestVerifySnapshots(t *testing.T) {
	for name, elements := range map[string]int{"inline": 3 * sumBlock / 8, "file": 66 * sumBlock / 8} {
		t.Run(name, func(t *testing.T) {
			s := newDamagedStore(t)
			importAs(t, s, "x", elements)
			importAs(t, s, "gone", elements)
			snapshot(t, s, "monday")
			gone := filepath.Join(s.Dir(), filepath.FromSlash(stat(t, s, "gone").Storage.File()))
			if err := errors.Join(s.Append(t.Context(), "x", source(t, float64(elements), 100)), s.Delete(t.Context(), "gone")); err != nil {
				t.Fatal(err)
			}
			wantVerified(t, s, 2)
			collect(t, s)
			wantVerified(t, s, 2)
			r, err := s.Verify(t.Context(), &tstore.VerifyOptions{Selectors: []string{"x@monday", "x", "gone@monday[:10]"}})
			if want := int64(16*elements + 800 + sumBlock); err != nil || len(r.Damage) > 0 || r.Bytes != want {
				t.Errorf("%+v, %v, want %d bytes", r, err, want)
			}
			if err := flipByte(gone, fileHeader+8*9000); err != nil {
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
			wantValues(t, p, "x@monday[-1:]", float64(elements-1))
			if err := flipByte(gone, fileHeader+8*9000); err != nil {
				t.Fatal(err)
			}
			restore(t, s, "monday")
			wantSealed(t, s, "gone", true)
			wantVerified(t, s, 2)
			if _, err := s.RemoveSnapshot(t.Context(), "monday"); err != nil {
				t.Fatal(err)
			}
			collect(t, s)
			wantVerified(t, s, 2)
			wantSound(t, s.Dir())
		})
	}
}

// TestUnsealInSnapshot: elements change in a file of their own, and the snapshot keeps its seal.
func TestUnsealInSnapshot(t *testing.T) {
	s := newStore(t)
	importAs(t, s, "x", 66*sumBlock/8)
	snapshot(t, s, "monday")
	if err := errors.Join(s.Unseal(t.Context(), "x"), s.Fill(t.Context(), "x[0]", scalar(t, 9)), s.Seal(t.Context(), "x", nil)); err != nil {
		t.Fatal(err)
	}
	wantVerified(t, s, 2)
	collect(t, s)
	wantValues(t, s, "x[:2]", 9, 1)
	wantValues(t, s, "x@monday[:2]", 0, 1)
	restore(t, s, "monday", "x")
	wantValues(t, s, "x[:2]", 0, 1)
	wantVerified(t, s, 1)
	if _, err := s.RemoveSnapshot(t.Context(), "monday"); err != nil {
		t.Fatal(err)
	}
	collect(t, s)
	wantVerified(t, s, 1)
	if n := sumsFiles(t, s); n != 1 {
		t.Errorf("%d files of sums, want 1", n)
	}
}
