package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// TestParanoidVerifiesOnce reads what it has verified without reading it again.
func TestParanoidVerifiesOnce(t *testing.T) {
	s := storetest.NewDamagedStore(t)
	storetest.ImportAs(t, s, "x", 66*storetest.SumBlock/8)
	p, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Paranoid: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	storetest.WantValues(t, p, "x[100:102]", 100, 101)
	if err := os.Remove(filepath.Join(s.Dir(), storetest.Stat(t, s, "x").Storage.SumsFile())); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, p, "x[200:202]", 200, 201)
	if _, err := p.Get(t.Context(), "x[9000]"); !errors.Is(err, tstore.ErrMissing) {
		t.Errorf("a block that was not verified: %v, want ErrMissing", err)
	}
	if _, err := s.Get(t.Context(), "x"); err != nil {
		t.Errorf("without paranoia: %v", err)
	}
	// Sealed anew, it is verified anew.
	again := errors.Join(s.Unseal(t.Context(), "x"), s.Fill(t.Context(), "x[0]", storetest.Scalar(t, 9)), s.Seal(t.Context(), "x", nil))
	if err := errors.Join(again, storetest.FlipByte(storetest.DataPath(t, s, "x"), storetest.FileHeader)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get(t.Context(), "x[100]"); !errors.Is(err, tstore.ErrChecksum) {
		t.Errorf("damage after another seal: %v, want ErrChecksum", err)
	}
}

// TestParanoidEvaluation: what is computed from damaged elements is an error.
func TestParanoidEvaluation(t *testing.T) {
	s := storetest.NewDamagedStore(t)
	storetest.ImportAs(t, s, "x", 3*storetest.SumBlock/8)
	if err := storetest.FlipByte(storetest.DataPath(t, s, "x"), storetest.FileHeader+2*storetest.SumBlock); err != nil {
		t.Fatal(err)
	}
	p, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Paranoid: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for name, do := range map[string]func() error{
		"eval":   func() error { return storetest.Discard(p.Eval(t.Context(), "x + 1", nil)) },
		"copy":   func() error { return p.Copy(t.Context(), "y", "x", nil) },
		"export": func() error { return p.Export(t.Context(), "x", &bytes.Buffer{}, nil) },
	} {
		if err := do(); !errors.Is(err, tstore.ErrChecksum) {
			t.Errorf("%s: %v, want ErrChecksum", name, err)
		}
	}
}

// TestParanoidAmidAppends reads a tensor whose checksums are replaced each time between the look at
// the catalog and that at the file of them: it is missing only when the catalog goes on naming it.
func TestParanoidAmidAppends(t *testing.T) {
	t.Parallel()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), &tstore.Options{Durability: tstore.DurabilityNone})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const n = 65 * storetest.SumBlock / 8
	storetest.ImportAs(t, s, "x", n)
	faulty := fsx.NewFaulty(fsx.OS)
	faulty.CountReads()
	p, err := storetest.OpenOn(t.Context(), s.Dir(), faulty, &tstore.Options{Paranoid: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	appended := 0
	faulty.FailIf(func(o fsx.Op) error {
		if o.Kind == fsx.OpOpen && strings.HasSuffix(o.Path, ".sums") && appended < 110 {
			appended++
			return s.Append(t.Context(), "x", storetest.Source(t, 7, 1))
		}
		return nil
	})
	storetest.WantValues(t, p, "x[-2:]", 7, 7)
	if x := storetest.Stat(t, s, "x"); x.Layout.Dim(0) != n+appended || appended < 110 {
		t.Errorf("%d elements after %d appends", x.Layout.Dim(0), appended)
	}
	if err := os.Remove(filepath.Join(s.Dir(), storetest.Stat(t, s, "x").Storage.SumsFile())); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get(t.Context(), "x[:1]"); !errors.Is(err, tstore.ErrMissing) {
		t.Errorf("without the file: %v, want ErrMissing", err)
	}
}
