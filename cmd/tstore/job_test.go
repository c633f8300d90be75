//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/raw"
)

// interruptImport leaves an import that was interrupted behind its first mark.
func interruptImport(t *testing.T, dir, file, name string) {
	t.Helper()
	s, err := tstore.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f, err := raw.Open(file, raw.Options{DType: dtype.Uint8})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	src := f.Source()
	src.Progress = func(done int64) {
		if done > 80<<20 {
			cancel()
		}
	}
	var interrupted *tstore.JobError
	err = s.Import(ctx, name, src, &tstore.ImportOptions{Journal: tstore.Journal{Must: true}})
	if !errors.As(err, &interrupted) {
		t.Fatalf("interrupted import: %v", err)
	}
}

func TestJobCommands(t *testing.T) {
	store, file := filepath.Join(t.TempDir(), "s"), filepath.Join(t.TempDir(), "file.raw")
	tstoreIn(t, store, "init")
	if err := os.WriteFile(file, []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 100<<20); err != nil {
		t.Fatal(err)
	}
	interruptImport(t, store, file, "a")
	interruptImport(t, store, file, "b")
	listed := tstoreIn(t, store, "job", "ls")
	lines := strings.Split(strings.TrimSpace(listed), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], "interrupted") || !strings.Contains(lines[1], file) {
		t.Fatalf("job ls:\n%s", listed)
	}
	if out := tstoreIn(t, store, "job", "ls", "--json"); strings.Count(out, `"kind":"import","state":"interrupted"`) != 2 || !strings.Contains(out, `"done":67108864,"total":104857600`) {
		t.Errorf("job ls --json:\n%s", out)
	}
	if out := tstoreIn(t, store, "gc"); !strings.Contains(out, "removed 0 files") {
		t.Errorf("gc: %s", out)
	}
	id := strings.Fields(lines[1])[0]
	tstoreIn(t, store, "job", "cancel", id)
	if out := tstoreIn(t, store, "job", "ls"); !strings.Contains(out, "cancelled") {
		t.Errorf("job ls after cancel:\n%s", out)
	}
	tstoreIn(t, store, "job", "resume", "--all")
	if out := tstoreIn(t, store, "ls"); strings.Contains(out, "a") == strings.Contains(out, "b") {
		t.Errorf("ls after resume --all, with one cancelled:\n%s", out)
	}
	tstoreIn(t, store, "job", "rm", id)
	if out := tstoreIn(t, store, "job", "ls"); out != "no jobs\n" {
		t.Errorf("job ls at the end:\n%s", out)
	}
	tstoreIn(t, store, "verify")
}
