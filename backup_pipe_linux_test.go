package tstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tstore/tstore"
)

// TestBackupOfPipe finds a named pipe where a data file was: it is missing, and nobody waits for what the pipe may bring.
func TestBackupOfPipe(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	path := dataPath(t, s, "log")
	must(t, os.Rename(path, path+".kept"))
	must(t, syscall.Mkfifo(path, 0o644))
	dir := t.TempDir()
	for _, name := range []string{"b", "b.tar"} {
		done := make(chan error, 1)
		go func() {
			_, err := s.Backup(t.Context(), filepath.Join(dir, name), nil)
			done <- err
		}()
		select {
		case err := <-done:
			if !errors.Is(err, tstore.ErrMissing) {
				t.Errorf("%s: got %v, want ErrMissing", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the backup waits", name)
		}
	}
	must(t, os.Remove(path))
	must(t, os.Rename(path+".kept", path))
}
