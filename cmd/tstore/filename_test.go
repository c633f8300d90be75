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
	if _, err := namesOfFiles([]takenFile{{path: "a/x.npy"}, {path: "b/x.npy"}}, "", ""); err == nil {
		t.Error("two files of one name are accepted")
	}
	if _, err := namesOfFiles([]takenFile{{path: "a.npy"}, {path: "b.npy"}}, "c", ""); err == nil {
		t.Error("one name is accepted for two files")
	}
	if got, err := namesOfFiles([]takenFile{{path: "a/x.npy"}}, "y", "p/"); err != nil || got[0] != "p/y" {
		t.Errorf("namesOfFiles = %v, %v", got, err)
	}
	files := []takenFile{{path: "a/x.npy"}, {path: "d/e f/y.npy", in: "d"}}
	if got, err := namesOfFiles(files, "g/{stem}_2", ""); err != nil || got[0] != "g/x_2" || got[1] != "g/e f/y_2" {
		t.Errorf("namesOfFiles = %v, %v", got, err)
	}
}
