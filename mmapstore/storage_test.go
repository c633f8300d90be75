package mmapstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

func TestCreateWriteReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	s, err := mmapstore.Map(path, 100, 10_000, mmapstore.Create, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte("0123456789"), 1000)
	if err := s.With(func(b []byte) error { copy(b, want); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(0, -1); err != nil {
		t.Fatal(err)
	}
	if err := s.Grow(20_000); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(); !errors.Is(err, mmapstore.ErrClosed) {
		t.Fatalf("second Release: %v, want ErrClosed", err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got[100:10_100], want) || len(got) != 20_100 {
		t.Fatalf("file has %d bytes and not what was stored", len(got))
	}
}
