package testdir

import (
	"os"
	"strings"
	"testing"
)

const (
	// memory is the file system in memory that Linux systems have.
	memory = "/dev/shm"
	// disk is where temporary folders are while no TMPDIR is set.
	disk = "/tmp"
	// leastBytes is how much must be free in memory.
	leastBytes = 2 << 30
)

// UseMemory puts the temporary folders of this process, and of those that it starts, into memory.
func UseMemory() {
	if os.Getenv("TMPDIR") == "" && freeInMemory() >= leastBytes {
		os.Setenv("TMPDIR", memory)
	}
}

// OnDisk returns a folder on a disk, which is removed when the test ends.
func OnDisk(t testing.TB) string {
	t.Helper()
	if os.Getenv("TMPDIR") != memory {
		return t.TempDir()
	}

	dir, err := os.MkdirTemp(disk, strings.ReplaceAll(t.Name(), "/", "-"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
