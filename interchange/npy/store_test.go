package npy_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/view"
)

// store is a new, empty store.
func store(t *testing.T) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestRoundTripThroughStore imports NumPy's files and exports the same bytes.
func TestRoundTripThroughStore(t *testing.T) {
	s := store(t)
	for _, name := range []string{"c_float32", "c_scalar", "c_empty", "c_rank9", "f_float64", "f_int16"} {
		f, err := npy.Open(golden(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Import(t.Context(), name, f.Source(), nil); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		want, err := os.ReadFile(golden(name))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := s.Export(t.Context(), name, &got, npy.Encode); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: exported %q, want %q", name, got.Bytes(), want)
		}
	}
}

// TestImportBigEndian imports a file that is long enough to be read by several goroutines.
func TestImportBigEndian(t *testing.T) {
	s := store(t)
	const n = 5<<20 + 3
	values := make([]int32, n)
	for i := range values {
		values[i] = int32(i * 2654435761)
	}
	want, err := view.FromSlice(values)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := npy.Encode(t.Context(), &file, want); err != nil {
		t.Fatal(err)
	}
	content := bytes.Replace(file.Bytes(), []byte("<i4"), []byte(">i4"), 1)
	dtype.SwapBytes(content[len(content)-4*n:], dtype.Int32)
	path := filepath.Join(t.TempDir(), "big.npy")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := npy.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := s.Import(t.Context(), "big", f.Source(), nil); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), "big")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if same, err := view.Equal(t.Context(), want, got.Tensor); err != nil || !same {
		t.Errorf("imported equal: %t, error %v", same, err)
	}
}
