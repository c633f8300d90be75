package archtest_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/internal/archtest"
)

// TestRepository applies the rules to this repository.
func TestRepository(t *testing.T) {
	breaches, err := archtest.Check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breaches {
		t.Error(b)
	}
}

// tree builds a module m whose files are given as name, text pairs.
func tree(files ...string) fstest.MapFS {
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module example.org/m\n\ngo 1.26\n")}}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return fsys
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		file string
		text string
		want string // "" for no breach, else what it says after the position
	}{
		{"downward import", "view/a.go", "package view\nimport _ \"example.org/m/dtype\"\n", ""},
		{"same layer", "internal/a/a.go", "package a\nimport _ \"example.org/m/internal/b\"\n", ""},
		{"other module", "dtype/a.go", "package dtype\nimport _ \"example.org/more/view\"\n", ""},
		{"command imports root", "cmd/tstore/a.go", "package main\nimport _ \"example.org/m\"\n", ""},
		{"upward import", "view/a.go", "package view\nimport _ \"example.org/m/compute\"\n",
			"imports upward: compute (layer compute) lies above layer view"},
		{"upward to root", "compute/internal/plan/a.go", "package plan\nimport _ \"example.org/m\"\n",
			"imports upward: . (layer .) lies above layer compute/internal"},
		{"graph to pass", "compute/internal/graph/a.go", "package graph\nimport _ \"example.org/m/compute/internal/pass\"\n",
			"imports upward: compute/internal/pass (layer compute/internal/pass) lies above layer compute/internal/graph"},
		{"kernel to graph", "compute/internal/kernel/a.go", "package kernel\nimport _ \"example.org/m/compute/internal/graph\"\n",
			"imports upward: compute/internal/graph (layer compute/internal/graph) lies above layer compute/internal"},
		{"root to cudabridge", "a.go", "package m\nimport _ \"example.org/m/cudabridge\"\n",
			"imports upward: cudabridge (layer cudabridge) lies above layer ."},
		{"root to cudabridge in a test", "a_test.go", "package m_test\nimport s \"example.org/m/cudabridge\"\n",
			"imports upward: cudabridge (layer cudabridge) lies above layer ."},
		{"root in a test behind the API", "internal/store/a_test.go", "package store_test\nimport _ \"example.org/m\"\n", ""},
		{"root in a test inside the package", "internal/store/a_test.go", "package store\nimport _ \"example.org/m\"\n",
			"imports upward: . (layer .) lies above layer internal/store"},
		{"backup to work", "internal/backup/a.go", "package backup\nimport _ \"example.org/m/internal/work\"\n",
			"imports internal/work: internal/backup and internal/work do not know each other"},
		{"behind a build tag", "dtype/a_plan9.go", "//go:build ignore\n\npackage dtype\nimport _ \"example.org/m/cudabridge/x\"\n",
			"imports upward: cudabridge/x (layer cudabridge) lies above layer dtype"},
		{"internal imports dtype", "internal/fsx/a.go", "package fsx\nimport _ \"example.org/m/dtype\"\n",
			"imports upward: dtype (layer dtype) lies above layer internal"},
		{"npyheader imports dtype", "internal/npyheader/a.go", "package npyheader\nimport _ \"example.org/m/dtype\"\n", ""},
		{"catalog imports view", "catalog/a.go", "package catalog\nimport _ \"example.org/m/view\"\n",
			"imports view: catalog and view do not know each other"},
		{"catalog imports mmapstore", "catalog/a_test.go", "package catalog_test\nimport _ \"example.org/m/mmapstore\"\n",
			"imports mmapstore: catalog and mmapstore do not know each other"},
		{"unknown folder", "misc/a.go", "package misc\n",
			"folder misc belongs to no layer: name it in internal/archtest/layers.go"},
		{"import of unknown folder", "view/a.go", "package view\nimport _ \"example.org/m/misc\"\n",
			"imports misc, which belongs to no layer"},
		{"nested module", "compute/internal/kernel/_gen/main.go", "package main\nimport _ \"example.org/m/cudabridge\"\n",
			"imports upward: cudabridge (layer cudabridge) lies above layer compute/internal"},
		{"testdata package", "testdata/a.go", "package testdata\nimport _ \"example.org/m/view\"\n",
			"imports upward: view (layer view) lies above layer testdata"},
		{"deeper testdata", "view/testdata/a.go", "package broken\nimport _ \"example.org/m/cudabridge\"\n", ""},
		{"hidden folder", ".cache/a.go", "not Go", ""},

		{"cgo", "mmapstore/a.go", "package mmapstore\nimport \"C\"\n",
			`imports "C" without the build tag cuda: default builds use no cgo`},
		{"cgo with cuda", "cudabridge/a.go", "//go:build cuda && linux\n\npackage cudabridge\nimport \"C\"\n", ""},
		{"cgo with cuda or", "cudabridge/a.go", "//go:build cuda || linux\n\npackage cudabridge\nimport \"C\"\n",
			`imports "C" without the build tag cuda: default builds use no cgo`},
		{"cgo without cuda", "cudabridge/a.go", "//go:build !cuda\n\npackage cudabridge\nimport \"C\"\n",
			`imports "C" without the build tag cuda: default builds use no cgo`},
		{"cgo with negated or", "cudabridge/a.go", "//go:build !(linux || !cuda)\n\npackage cudabridge\nimport \"C\"\n", ""},

		{"os.Exit", "view/a.go", "package view\nimport \"os\"\nfunc f() { os.Exit(1) }\n",
			"calls os.Exit: only commands end the process; return an error"},
		{"os.Exit under another name", "view/a.go", "package view\nimport sys \"os\"\nfunc f() { sys.Exit(1) }\n",
			"calls sys.Exit: only commands end the process; return an error"},
		{"os.Exit in a command", "cmd/tstore/a.go", "package main\nimport \"os\"\nfunc main() { os.Exit(1) }\n", ""},
		{"os.Exit in a tool", "view/_disk/main.go", "package main\nimport \"os\"\nfunc main() { os.Exit(1) }\n", ""},
		{"os.Exit in a generator", "view/_gen/main.go", "package main\nimport \"os\"\nfunc main() { os.Exit(1) }\n", ""},
		{"os.Exit in a test", "view/a_test.go", "package view\nimport \"os\"\nfunc f() { os.Exit(1) }\n", ""},
		{"log.Fatalf", "a.go", "package m\nimport \"log\"\nfunc f() { log.Fatalf(\"\") }\n",
			"calls log.Fatalf: only commands end the process; return an error"},
		{"other Exit", "a.go", "package m\nfunc f(os interface{ Exit(int) }) { os.Exit(1) }\n", ""},

		{"unfinished", "a.go", "package m // TODO: all\n", "TODO in a comment: finish the work or leave the note out"},
		{"unfinished block", "a.go", "package m\n/* a\nFIXME */\n", "FIXME in a comment: finish the work or leave the note out"},
		{"context.TODO", "a.go", "package m\nimport \"context\"\nvar c = context.TODO()\n", ""},

		{"skip", "a_test.go", "package m\nfunc f(t T) { t.Skip() }\n", "calls t.Skip without a reason"},
		{"skip blank", "a_test.go", "package m\nfunc f(b T) { b.Skip(\" \") }\n", "calls b.Skip without a reason"},
		{"skip now", "a_test.go", "package m\nfunc f(tb T) { tb.SkipNow() }\n", "calls tb.SkipNow without a reason"},
		{"skip with a reason", "a_test.go", "package m\nfunc f(t T) { t.Skip(\"no fallocate here\") }\n", ""},
		{"skip of a decoder", "a.go", "package m\nfunc f(dec T) { dec.Skip() }\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			breaches, err := archtest.Check(tree(test.file, test.text))
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, b := range breaches {
				got = append(got, b.What)
				if !strings.HasPrefix(b.Pos, test.file+":") {
					t.Errorf("position %q is not in %q", b.Pos, test.file)
				}
			}
			if test.want != "" {
				want = []string{test.want}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("breaches (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckErrors(t *testing.T) {
	tests := []struct {
		name string
		tree fstest.MapFS
	}{
		{"no go.mod", fstest.MapFS{"a.go": {Data: []byte("package m\n")}}},
		{"no module line", fstest.MapFS{"go.mod": {Data: []byte("go 1.26\n")}}},
		{"broken file", tree("view/a.go", "package view\nfunc {\n")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if breaches, err := archtest.Check(test.tree); err == nil {
				t.Errorf("Check = %v, want an error", breaches)
			}
		})
	}
}
