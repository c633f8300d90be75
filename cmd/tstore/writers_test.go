package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
)

// TestBesideWriter runs commands while part of a tensor is written in place.
func TestBesideWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Create(t.Context(), "x", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{4, 4}}}); err != nil {
		t.Fatal(err)
	}
	w, err := s.OpenWritable(t.Context(), "x[2:]")
	if err != nil {
		t.Fatal(err)
	}
	me := fmt.Sprint(os.Getpid())
	for _, c := range []struct {
		command string
		fails   bool
		says    []string
		linux   bool
	}{
		{"eval --in-place x[:2]=7", false, nil, false},
		{"eval --in-place x[:,0]=7", true, []string{"waited ", `"x"`, "bytes 8 to 16", "x[2:]"}, false},
		{"fill x[0] 1", true, []string{"waited ", `"x"`, "this process"}, true},
		{"set x[0,0] 1", true, []string{"waited ", `"x"`, "this process"}, true},
		{"show x[0]", false, []string{"7 7 7 7"}, false},
		{"show x", true, []string{"process " + me + " (", "x[2:]", "bytes 8 to 16", "since "}, false},
		{"snapshot create a", true, []string{"process " + me + " (", "x[2:]"}, false},
		{"locks", false, []string{"x[2:]", "exclusive", me, "8 to 16", "BYTES"}, true},
		{"locks --json", false, []string{`"part":"x[2:]"`, `"bytes":[8,16]`, `"since":"`, `"pid":` + me}, true},
	} {
		if c.linux && runtime.GOOS != "linux" {
			continue
		}
		var out bytes.Buffer
		args := append([]string{"--store", dir, "--lock-timeout", "20ms"}, strings.Fields(c.command)...)
		code := run(args, strings.NewReader(""), &out, &out)
		if (code != 0) != c.fails {
			t.Errorf("%s: exit code %d: %s", c.command, code, &out)
		}
		for _, part := range c.says {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: does not say %q: %s", c.command, part, &out)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
