package view_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

// mapTempFile writes data to a file of its own and maps it; the caller releases the storage, or
// hands it to newTensor.
func mapTempFile(t testing.TB, data []byte, mode mmapstore.Mode) *mmapstore.Storage {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.Map(path, 0, -1, mode, nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}
