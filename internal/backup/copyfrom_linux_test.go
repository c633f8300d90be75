package backup_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestCopyFromItself names the store itself by another path, and by another mount: it is refused.
func TestCopyFromItself(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	link := filepath.Join(t.TempDir(), "link")
	storetest.Must(t, unix.Symlink(s.Dir(), link))
	paths := []string{s.Dir(), link}

	there := t.TempDir()
	if err := unix.Mount(s.Dir(), there, "", unix.MS_BIND, ""); err != nil {
		t.Logf("can't mount a folder a second time here (it takes root): %v", err)
	} else {
		t.Cleanup(func() { storetest.Must(t, unix.Unmount(there, 0)) })
		paths = append(paths, there)
	}

	for _, path := range paths {
		_, err := s.CopyFrom(t.Context(), path, []string{"log"}, &tstore.CopyFromOptions{Overwrite: true})
		if err == nil || !strings.Contains(err.Error(), "it is the store itself") {
			t.Errorf("copy from %s: got %v", path, err)
		}
	}
	storetest.WantSound(t, s.Dir())
}
