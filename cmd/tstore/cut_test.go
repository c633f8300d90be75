//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCutWhileExporting cuts the file of a tensor that is being exported: the
// command says so, and no output appears.
func TestCutWhileExporting(t *testing.T) {
	dir := t.TempDir()
	store, out := filepath.Join(dir, "s"), filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	tstoreIn(t, store, "init")
	tstoreIn(t, store, "create", "huge", "--dtype", "uint8", "--shape", "3000000000", "--reserve", "sparse")
	files, err := filepath.Glob(filepath.Join(store, "storages", "*", "*.npy"))
	if err != nil || len(files) != 1 {
		t.Fatalf("data files %v, %v", files, err)
	}
	cmd := exec.Command("tstore", "--store", store, "--quiet", "export", "huge", filepath.Join(out, "huge.npy"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := await(func() (bool, error) {
		entries, err := os.ReadDir(out)
		return len(entries) > 0, err
	})
	if err := os.Truncate(files[0], 1<<20); err != nil {
		t.Error(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); begun != nil || code != 2 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), filepath.Base(files[0])) {
		t.Errorf("exit code %d, %v, printed %q; want 2, and one line that names the file", code, begun, stderr.String())
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("the output is %v, %v; want none", left, err)
	}
}
