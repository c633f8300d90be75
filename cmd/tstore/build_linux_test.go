package main

import (
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBuild looks at the program that users get.
func TestBuild(t *testing.T) {
	if *builtTstore == "" {
		t.Skip("make build-check builds the program and gives its path with -tstore")
	}
	t.Run("static", testStatic)
	t.Run("stamped", testStamped)
}

// A static program has neither libraries nor a loader that finds them.
func testStatic(t *testing.T) {
	f, err := elf.Open(*builtTstore)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("it needs %q, %v; want no library", libraries, err)
	}
	for _, part := range f.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			t.Errorf("it has a part %v: want one that starts without a loader", part.Type)
		}
	}
}

// The stamp is the commit that is checked out. Go finds none in a work tree beside its repository.
func testStamped(t *testing.T) {
	const root = "../.."
	if fi, err := os.Stat(filepath.Join(root, ".git")); err != nil || !fi.IsDir() {
		t.Skip("the source is no clone")
	}
	head, err := exec.Command("git", "-C", root, "log", "-1", "--format=%H %ct").Output()
	if err != nil {
		t.Skip("git does not tell the commit: ", err)
	}

	info, err := buildinfo.ReadFile(*builtTstore)
	if err != nil {
		t.Fatal(err)
	}
	v := buildInfoOf(info)
	when, err := time.Parse(time.RFC3339, v.Date)
	if err != nil {
		t.Fatalf("date %q: %v", v.Date, err)
	}
	got, want := fmt.Sprint(v.Revision, " ", when.Unix()), strings.TrimSpace(string(head))
	if got != want {
		t.Errorf("it is of %s, want %s", got, want)
	}
	if v.Version == "(devel)" || v.Version == "" {
		t.Errorf("version %q: want a tag, or what Go makes of a commit", v.Version)
	}

	out, err := exec.Command(*builtTstore, "version").Output()
	if err != nil || !strings.Contains(string(out), v.Version+" (revision "+v.Revision[:12]+" of "+v.Date+")") {
		t.Errorf("tstore version prints %q, %v", out, err)
	}
}
