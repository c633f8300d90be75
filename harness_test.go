package tstore_test

import (
	"context"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// wholeSweeps is set by make sweeps.
var wholeSweeps = flag.Bool("long", false, "run the sweeps whole, not in steps")

// newStore makes a store that is checked for damage when the test ends.
func newStore(t testing.TB) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		wantSound(t, s.Dir())
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// wantSound fails the test when Check finds damage; leftovers are allowed.
func wantSound(t testing.TB, dir string) {
	t.Helper()
	for _, p := range problems(t, dir) {
		if !p.Harmless {
			t.Errorf("%s: %v %s: %s", p.Kind, p.Names, p.File, p.Detail)
		}
	}
}

func problems(t testing.TB, dir string) []tstore.Problem {
	t.Helper()
	s, err := tstore.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found, err := s.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// source is a float64 tensor that counts up from first.
func source(t testing.TB, first float64, shape ...int) tstore.Source {
	t.Helper()
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := make([]float64, n)
	for i := range data {
		data[i] = first + float64(i)
	}
	if len(shape) == 0 {
		return tstore.FromBytes(tstore.Spec{DType: dtype.Float64}, binary.LittleEndian.AppendUint64(nil, math.Float64bits(first)))
	}
	src, err := tstore.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func create(t testing.TB, s *tstore.Store, name string, src tstore.Source) {
	t.Helper()
	if err := s.Create(t.Context(), name, src); err != nil {
		t.Fatal(err)
	}
}

// values are the elements of a selector in C order.
func values(t testing.TB, s *tstore.Store, sel string) []float64 {
	t.Helper()
	x, err := s.Get(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	return elements(t, x.Tensor)
}

func elements(t testing.TB, x *view.Tensor) []float64 {
	t.Helper()
	out := []float64{}
	size := x.DType().Size()
	err := x.Blocks(1<<16, func(b []byte) error {
		for ; len(b) > 0; b = b[size:] {
			out = append(out, dtype.Load(x.DType(), b).Float64())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantValues(t testing.TB, s *tstore.Store, sel string, want ...float64) {
	t.Helper()
	if got := values(t, s, sel); !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", sel, got, want)
	}
}

func upTo(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

func storageFiles(t testing.TB, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "storages", "*", "*.npy"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// few is how much of a sweep runs: so much, or with -long all n of it.
func few(n, usual int) int {
	if *wholeSweeps {
		return n
	}
	return usual
}

// every is the step through a sweep: so many, with -long 1, with -short three times as many.
func every(usual int) int {
	switch {
	case *wholeSweeps:
		return 1
	case testing.Short():
		return 3 * usual
	}
	return usual
}
