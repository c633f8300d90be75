package testdir_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore/internal/testdir"
)

// errorsOf is a test that only counts its errors.
type errorsOf struct {
	testing.TB
	count int
}

func (t *errorsOf) Errorf(string, ...any) { t.count++ }

// TestUnmountInUse takes a file system away in which a file is open.
func TestUnmountInUse(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tstore-test", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("can't mount here (it takes root): %v", err)
	}
	open := filepath.Join(dir, "open")
	f, err := os.Create(open)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	counted := &errorsOf{TB: t}
	testdir.Unmount(counted, dir)
	if counted.count != 1 {
		t.Errorf("%d errors, want 1", counted.count)
	}
	if _, err := os.Stat(open); !os.IsNotExist(err) {
		t.Errorf("the file system is still there: %v", err)
	}
}

func TestMountIsSerial(t *testing.T) {
	t.Run("a test", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if recover() == nil {
				t.Error("a parallel test has mounted a file system")
			}
		}()
		testdir.Mount(t, "tstore-test", "tmpfs", 0, "size=1m")
	})
}
