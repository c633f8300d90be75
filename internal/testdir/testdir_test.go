package testdir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/testdir"
)

func TestUseMemory(t *testing.T) {
	t.Setenv("TMPDIR", "")
	before := os.TempDir()
	testdir.UseMemory()
	if now := os.TempDir(); now != before && fsx.FileSystem(now) != "tmpfs" {
		t.Errorf("temporary folders are in %s, on %s", now, fsx.FileSystem(now))
	}
	var dir string
	t.Run("a test", func(t *testing.T) {
		dir = testdir.OnDisk(t)
		if parent := filepath.Dir(dir); !strings.HasPrefix(parent, before) {
			t.Errorf("the folder on a disk is in %s, want it in %s", parent, before)
		}
	})
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
}

func TestChosenFolder(t *testing.T) {
	chosen := t.TempDir()
	t.Setenv("TMPDIR", chosen)
	testdir.UseMemory()
	if now := os.TempDir(); now != chosen {
		t.Errorf("temporary folders are in %s, want %s", now, chosen)
	}
	t.Run("a test", func(t *testing.T) {
		if dir := testdir.OnDisk(t); !strings.HasPrefix(dir, chosen) {
			t.Errorf("the folder on a disk is in %s, want it in %s", dir, chosen)
		}
	})
}
