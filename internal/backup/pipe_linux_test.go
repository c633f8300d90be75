package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestBackupOfPipe finds a named pipe where a data file was: it is missing, and nobody waits for
// what the pipe may bring.
func TestBackupOfPipe(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	path := storetest.DataPath(t, s, "log")
	storetest.Must(t, os.Rename(path, path+".kept"))
	storetest.Must(t, syscall.Mkfifo(path, 0o644))
	dir := t.TempDir()
	for _, name := range []string{"b", "b.tar"} {
		err := atOnce(t, func() error {
			_, err := s.Backup(t.Context(), filepath.Join(dir, name), nil)
			return err
		})
		if !errors.Is(err, tstore.ErrMissing) {
			t.Errorf("%s: got %v, want ErrMissing", name, err)
		}
	}
	storetest.Must(t, os.Remove(path))
	storetest.Must(t, os.Rename(path+".kept", path))
}

// TestPipes finds a named pipe in place of one file of a store or of a backup after the other: an
// error, and nobody waits.
func TestPipes(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	snapshot, err := s.CreateSnapshot(t.Context(), "march", "")
	storetest.Must(t, err)
	b := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, b, nil)
	storetest.Must(t, s.Close())
	read := func() error {
		s, err := tstore.Open(t.Context(), s.Dir(), nil)
		if err != nil {
			return err
		}
		_, err = s.Stat(t.Context(), "log@march")
		return errors.Join(err, s.Close())
	}
	verify := func() error {
		_, err := tstore.VerifyBackup(t.Context(), b, nil)
		return err
	}
	manifests, err := filepath.Glob(filepath.Join(b, "manifests", "*"))
	storetest.Must(t, err)
	for _, test := range []struct {
		file string
		use  func() error
	}{
		{filepath.Join(s.Dir(), "catalog.db"), read},
		{filepath.Join(s.Dir(), "snapshots", snapshot.ID.String()+".db"), read},
		{filepath.Join(b, "catalog.db"), verify},
		{manifests[0], verify},
	} {
		storetest.Must(t, test.use())
		storetest.Must(t, os.Rename(test.file, test.file+".kept"))
		storetest.Must(t, syscall.Mkfifo(test.file, 0o644))
		if err := atOnce(t, test.use); err == nil || !strings.Contains(err.Error(), "named pipe") {
			t.Errorf("%s: got %v, want an error that tells of a named pipe", test.file, err)
		}
		storetest.Must(t, os.Rename(test.file+".kept", test.file))
	}
}

// atOnce returns the error of what must not wait.
func atOnce(t *testing.T, fn func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatal("it waits")
		return nil
	}
}
