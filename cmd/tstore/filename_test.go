package main

import (
	"strings"
	"testing"

	"github.com/tstore/tstore/catalog"
)

func TestNameOfFile(t *testing.T) {
	tests := map[string]string{
		"x.npy":                   "x",
		"/data/run 1/t2m.npy":     "t2m",
		"a.b.npy":                 "a.b",
		"noext":                   "noext",
		"größe.npy":               "größe",
		"a[0](b)@*?\"\\`.raw":     "a_0__b_______",
		"-rf.npy":                 "_rf",
		" space .npy":             "space",
		"bad\xff\x00\x1b.npy":     "bad___",
		"../../etc/passwd":        "passwd",
		".npy":                    "",
		"..":                      "",
		"...npy":                  "",
		"-":                       "",
		strings.Repeat("x", 2000): "",
	}
	for file, want := range tests {
		t.Run(file[:min(len(file), 20)], func(t *testing.T) {
			got, err := nameOfFile(file)
			if got != want || (err != nil) != (want == "") {
				t.Errorf("nameOfFile(%.40q) = %q, %v, want %q", file, got, err, want)
			}
			if err == nil && catalog.CheckName(got) != nil {
				t.Errorf("%q is no name: %v", got, catalog.CheckName(got))
			}
		})
	}
}

func TestNamesOfFiles(t *testing.T) {
	if _, err := namesOfFiles([]string{"a/x.npy", "b/x.npy"}, ""); err == nil {
		t.Error("two files of one name are accepted")
	}
	if _, err := namesOfFiles([]string{"a.npy", "b.npy"}, "c"); err == nil {
		t.Error("one name is accepted for two files")
	}
	if got, err := namesOfFiles([]string{"a/x.npy"}, "y"); err != nil || got[0] != "y" {
		t.Errorf("namesOfFiles = %v, %v", got, err)
	}
}
