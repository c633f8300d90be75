package tstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibraryPage holds the code on docs/library.md against the examples that run: every block of
// it must stand in them, line by line.
func TestLibraryPage(t *testing.T) {
	page, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("example*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var examples []byte
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, b...)
	}
	blocks := strings.Split(string(page), "```go\n")[1:]
	if len(blocks) < 5 {
		t.Fatalf("found %d blocks of code", len(blocks))
	}
	for _, b := range blocks {
		code, _, closed := strings.Cut(b, "```")
		if !closed || !strings.Contains(string(examples), code) {
			t.Errorf("this block is in no example:\n%s", code)
		}
	}
}
