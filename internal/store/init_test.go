package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore"
)

func TestInitErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	if _, err := tstore.Init(t.Context(), dir, &tstore.Options{LockTimeout: -1}); err == nil || !strings.Contains(err.Error(), "lock timeout -1ns") {
		t.Errorf("got %v, want an error about the lock timeout", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}
