package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteFileLeavesNothing looks at the folder while a file is being written: what a kill would
// leave.
func TestWriteFileLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npy")
	for _, content := range []string{"first", "second"} {
		before, _ := os.ReadFile(path)
		err := writeFile(t.Context(), path, true, 100, func(w io.Writer) error {
			if _, err := io.WriteString(w, content); err != nil {
				return err
			}
			entries, err := os.ReadDir(dir)
			if len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "x.npy" {
				t.Errorf("the folder holds %v", entries)
			}
			if now, _ := os.ReadFile(path); string(now) != string(before) {
				t.Errorf("the file holds %q, want %q until it is whole", now, before)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		fi, err := os.Stat(path)
		if err != nil || fi.Mode().Perm()&^0o022 != 0o644&^0o022 {
			t.Errorf("mode %v, error %v", fi.Mode(), err)
		}
		if now, _ := os.ReadFile(path); string(now[:len(content)]) != content {
			t.Errorf("the file holds %q, want %q", now, content)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, error %v", entries, err)
	}
}
