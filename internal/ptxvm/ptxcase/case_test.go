package ptxcase_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/internal/ptxvm/ptxcase"
)

var ptxas = flag.String("ptxas", "", "NVIDIA's assembler, which is to take all modules")

// goldenFile is what gpu-check has written on a machine with a GPU.
const goldenFile = "testdata/instructions.golden"

// TestGolden interprets all cases, and compares them with what a GPU has computed.
func TestGolden(t *testing.T) {
	golden := &ptxcase.Golden{Device: "the interpreter itself"}
	f, err := os.Open(goldenFile)
	switch {
	case err == nil:
		if golden, err = ptxcase.Read(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		t.Fatal(err)
	}

	fromDevice := golden.Results != nil
	for _, c := range ptxcase.All() {
		out, err := c.Interpret(t.Context())
		if err != nil {
			t.Errorf("%s: %v\n%s", c.Name, err, c.Text)
			continue
		}
		if !fromDevice {
			golden.Add(c, out)
		}
		if err := golden.Check(c, out); err != nil {
			t.Error(err)
		}
	}
	if !fromDevice {
		t.Skipf("gpu-check writes %s on a machine with a GPU, and there is none so far: all cases ran, and were compared with nothing", goldenFile)
	}
}

// A golden file has what was added, and finds what differs.
func TestGoldenFile(t *testing.T) {
	var all []*ptxcase.Case
	for _, c := range ptxcase.All() {
		switch c.Name {
		case "add.rn.f32", "sub.u16", "ld.shared.v2.s16", "st.global.b8":
			all = append(all, c)
		}
	}
	golden := &ptxcase.Golden{Device: "none"}
	for _, c := range all[1:] {
		out, err := c.Interpret(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		golden.Add(c, out)
	}
	var file bytes.Buffer
	if err := golden.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ptxcase.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(golden, read); diff != "" {
		t.Error(diff)
	}

	c := all[1]
	out := bytes.Clone(golden.Results[c.Name].Out)
	if err := read.Check(c, out); err != nil {
		t.Error(err)
	}
	out[8] ^= 1
	if read.Check(c, out) == nil {
		t.Error("a bit that differs is not found")
	}
	c.In[0] ^= 1
	if read.Check(c, golden.Results[c.Name].Out) == nil {
		t.Error("other operands are not found")
	}
	if read.Check(all[0], nil) == nil {
		t.Error("a case that was not run is not found")
	}
}

// TestAssemble has NVIDIA's assembler take all modules.
func TestAssemble(t *testing.T) {
	if *ptxas == "" {
		t.Skip("no -ptxas: make ptx-check sets it")
	}
	for _, c := range ptxcase.All() {
		file := filepath.Join(t.TempDir(), "case.ptx")
		if err := os.WriteFile(file, []byte(c.Text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(*ptxas, "-arch", "sm_90", "-o", os.DevNull, file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", c.Name, err, out, c.Text)
		}
	}
}
