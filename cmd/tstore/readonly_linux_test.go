package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/testdir"
)

// TestBackupReadOnly backs a store up where nothing can be written.
func TestBackupReadOnly(t *testing.T) {
	dir, dest := filepath.Join(t.TempDir(), "s"), filepath.Join(t.TempDir(), "b")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Create(t.Context(), "x", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{9}}}); err != nil {
		t.Fatal(err)
	}
	there := testdir.Mount(t, dir, "", unix.MS_BIND, "")
	if err := unix.Mount("", there, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("can't mount read-only here: %v", err)
	}
	for _, line := range [][]string{{there, "backup", dest}, {there, "backup", dest}, {there, "backup", dest + ".tar"}, {there, "backup", "-"}, {dest, "get", "x"}} {
		var out, errs bytes.Buffer
		if code := run(append([]string{"--store"}, line...), strings.NewReader(""), &out, &errs); code != 0 {
			t.Errorf("%v: exit code %d, %q", line, code, errs.String())
		}
	}
}
