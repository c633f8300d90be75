package fsx

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSyncErrorIsFinal: the kernel reports a lost write once, so a File must go on reporting it.
func TestSyncErrorIsFinal(t *testing.T) {
	f, err := OS.OpenFile(filepath.Join(t.TempDir(), "a"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	lost := errors.New("lost write")
	if err := f.(*osFile).syncError(lost); err != lost {
		t.Errorf("%v, want the error that was given", err)
	}
	if err := f.Sync(); err != lost {
		t.Errorf("Sync: %v, want the first error", err)
	}
	if err := f.WaitWriteback(0, 1); err != lost {
		t.Errorf("WaitWriteback: %v, want the first error", err)
	}
}
