package mmapstore

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFailedWritebackIsFinal fails a write in the place of the disk: the system tells of it once.
func TestFailedWritebackIsFinal(t *testing.T) {
	s, err := Map(filepath.Join(t.TempDir(), "new"), 0, 4096, Create, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if !s.FileBacked() {
		t.Skip("nothing is written back in this build")
	}
	failing := func(*dataFile, int64, int64) error { return syscall.EIO }
	if err := s.writeback("write back", 0, 10, failing); !errors.Is(err, syscall.EIO) || errors.Is(err, ErrPoisoned) {
		t.Fatalf("the first error is %v, want EIO", err)
	}
	for name, err := range map[string]error{"StartWriteback": s.StartWriteback(0, 10), "Flush": s.Flush(0, -1)} {
		if !errors.Is(err, ErrPoisoned) || !errors.Is(err, syscall.EIO) {
			t.Errorf("%s after it: %v, want ErrPoisoned and EIO", name, err)
		}
	}
}
