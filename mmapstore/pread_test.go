package mmapstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

func TestReadFile(t *testing.T) {
	needCuts(t)
	path := filepath.Join(t.TempDir(), "file")
	want := bytes.Repeat([]byte("0123456789"), 2000)
	if err := os.WriteFile(path, want, 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.Map(path, 7, 10_000, mmapstore.ReadOnly, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Release()
	part, err := st.Range(100, 5000)
	if err != nil {
		t.Fatal(err)
	}
	defer part.Release()
	if !part.CanReadFile() {
		t.Skip("mappings are copies in this build")
	}
	got := make([]byte, 500)
	if err := part.ReadFile(got, 20); err != nil || !bytes.Equal(got, want[127:627]) {
		t.Errorf("read %q, error %v", got[:20], err)
	}
	if err := part.ReadFile(got, 4501); err == nil {
		t.Error("a read past the end succeeded")
	}
	if err := os.Truncate(path, 300); err != nil {
		t.Fatal(err)
	}
	var fault *mmapstore.FaultError
	if err := part.ReadFile(got, 0); !errors.As(err, &fault) || fault.Offset != 300 || !errors.Is(err, mmapstore.ErrTruncated) {
		t.Errorf("read of a truncated file: %v", err)
	}
}

func TestReadFileOfMemory(t *testing.T) {
	st, err := mmapstore.New(10)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Release()
	if st.CanReadFile() {
		t.Error("memory has a file")
	}
	if err := st.ReadFile(make([]byte, 1), 0); err == nil {
		t.Error("a read of the file of memory succeeded")
	}
}
