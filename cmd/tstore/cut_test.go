//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/internal/testdir"
)

// TestCutWhileExporting cuts the file of a tensor that is being exported: the command says so, and
// no output appears.
func TestCutWhileExporting(t *testing.T) {
	dir := testdir.OnDisk(t) // where gigabytes are reserved at no cost
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
	begun := await(func() (bool, error) { return writesInto(cmd.Process.Pid, out) })
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

// writesInto reports whether a file is in a folder, or a process has one open that is to get its
// name there.
func writesInto(process int, folder string) (bool, error) {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) > 0 {
		return err == nil, err
	}
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", process))
	return slices.ContainsFunc(open, func(fd string) bool {
		to, err := os.Readlink(fd)
		return err == nil && strings.HasPrefix(to, folder+"/")
	}), err
}
