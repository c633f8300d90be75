package tstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
)

// TestParanoidVerifiesOnce reads what it has verified without reading it again.
func TestParanoidVerifiesOnce(t *testing.T) {
	s := newDamagedStore(t)
	importAs(t, s, "x", 66*sumBlock/8)
	p, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Paranoid: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	wantValues(t, p, "x[100:102]", 100, 101)
	if err := os.Remove(filepath.Join(s.Dir(), stat(t, s, "x").Storage.SumsFile())); err != nil {
		t.Fatal(err)
	}
	wantValues(t, p, "x[200:202]", 200, 201)
	if _, err := p.Get(t.Context(), "x[9000]"); !errors.Is(err, tstore.ErrMissing) {
		t.Errorf("a block that was not verified: %v, want ErrMissing", err)
	}
	if _, err := s.Get(t.Context(), "x"); err != nil {
		t.Errorf("without paranoia: %v", err)
	}
	// Sealed anew, it is verified anew.
	again := errors.Join(s.Unseal(t.Context(), "x"), s.Fill(t.Context(), "x[0]", scalar(t, 9)), s.Seal(t.Context(), "x", nil))
	if err := errors.Join(again, flipByte(dataPath(t, s, "x"), fileHeader)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Get(t.Context(), "x[100]"); !errors.Is(err, tstore.ErrChecksum) {
		t.Errorf("damage after another seal: %v, want ErrChecksum", err)
	}
}

// TestParanoidEvaluation: what is computed from damaged elements is an error.
func TestParanoidEvaluation(t *testing.T) {
	s := newDamagedStore(t)
	importAs(t, s, "x", 3*sumBlock/8)
	if err := flipByte(dataPath(t, s, "x"), fileHeader+2*sumBlock); err != nil {
		t.Fatal(err)
	}
	p, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Paranoid: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for name, do := range map[string]func() error{
		"eval":   func() error { return discard(p.Eval(t.Context(), "x + 1", nil)) },
		"copy":   func() error { return p.Copy(t.Context(), "y", "x", nil) },
		"export": func() error { return p.Export(t.Context(), "x", &bytes.Buffer{}, nil) },
	} {
		if err := do(); !errors.Is(err, tstore.ErrChecksum) {
			t.Errorf("%s: %v, want ErrChecksum", name, err)
		}
	}
}
