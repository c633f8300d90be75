package fsx_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/internal/fsx"
)

// TestPublish fails each step of Publish in turn. The steps come in order, each once, and none
// after a failed one.
func TestPublish(t *testing.T) {
	steps := []fsx.OpKind{fsx.OpSync, fsx.OpRename, fsx.OpSyncDir}
	for failing := range len(steps) + 1 {
		dir := t.TempDir()
		tmp, final := filepath.Join(dir, "tmp"), filepath.Join(dir, "final")
		fsys := fsx.NewFaulty(fsx.OS)
		f := create(t, fsys, tmp)
		if _, err := f.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(final, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
		fsys.FailAt(3+failing, syscall.EIO)
		err := fsx.Publish(fsys, f, tmp, final)
		if failed := errors.Is(err, syscall.EIO); failed != (failing < len(steps)) {
			t.Errorf("step %d failing: %v", failing, err)
		}
		var got []fsx.OpKind
		for _, o := range fsys.Log()[2:] {
			got = append(got, o.Kind)
		}
		if diff := cmp.Diff(steps[:min(failing+1, len(steps))], got); diff != "" {
			t.Errorf("step %d failing (-want +got):\n%s", failing, diff)
		}
		want := "old"
		if slices.Contains(got, fsx.OpSyncDir) {
			want = "new"
		}
		if b, err := os.ReadFile(final); err != nil || string(b) != want {
			t.Errorf("step %d failing: the file has %q, %v, want %q", failing, b, err, want)
		}
	}
}

func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	if err := fsx.OS.SyncDir(dir); err != nil {
		t.Error(err)
	}
}
