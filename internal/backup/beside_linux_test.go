package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storetest"
)

// opened reports whether this process has a file open so many times.
func opened(t *testing.T, path string, times int) bool {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if target, err := os.Readlink(filepath.Join("/proc/self/fd", fd.Name())); err == nil && target == path {
			times--
		}
	}
	return times <= 0
}

// TestBackupWaitsForOneThatFails waits for a first backup that fails, and removes the folder that
// it has made, with the file whose lock is waited for.
func TestBackupWaitsForOneThatFails(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	text, err := os.ReadFile(filepath.Join(dest, "BACKUP"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"removed", "emptied"} {
		t.Run(folder, func(t *testing.T) {
			dest := filepath.Join(t.TempDir(), "b")
			if err := os.Mkdir(dest, 0o755); err != nil {
				t.Fatal(err)
			}
			storetest.WriteFile(t, filepath.Join(dest, "BACKUP"), string(text))
			lock := filepath.Join(dest, "lock")
			first, err := filelock.Lock(context.Background(), lock, 2, filelock.Exclusive)
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error)
			go func() {
				_, err := s.Backup(context.Background(), dest, nil)
				done <- err
			}()
			for !opened(t, lock, 2) {
				runtime.Gosched()
			}
			remove := []string{lock, filepath.Join(dest, "BACKUP")}
			if folder == "removed" {
				remove = append(remove, dest)
			}
			for _, path := range remove {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			if err := first.Unlock(); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			storetest.Backup(t, s, dest, nil)
			storetest.WantContents(t, dest, storetest.Contents(t, s))
		})
	}
}
