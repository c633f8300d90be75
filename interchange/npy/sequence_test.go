package npy_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/npy"
)

// concat are files one behind another.
func concat(t *testing.T, names ...string) []byte {
	t.Helper()
	var all []byte
	for _, name := range names {
		b, err := os.ReadFile(golden(name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// sequences are a Sequence of the same bytes, from a file and from streams.
func sequences(t *testing.T, b []byte, o npy.Options) map[string]*npy.Sequence {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all.npy")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := o.OpenSequence(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return map[string]*npy.Sequence{
		"file":         file,
		"stream":       o.NewSequence(struct{ io.Reader }{bytes.NewReader(b)}),
		"byte by byte": o.NewSequence(iotest.OneByteReader(bytes.NewReader(b))),
	}
}

// take reads a whole sequence: how many arrays there are, their elements, and what ends it.
func take(s *npy.Sequence, read bool) (shapes [][]int, elements []byte, err error) {
	for {
		var src tstore.Source
		if src, err = s.Next(); err != nil {
			return shapes, elements, err
		}
		shapes = append(shapes, src.Shape)
		if !read {
			continue
		}
		b, err := io.ReadAll(src.Data)
		if err != nil {
			return shapes, elements, err
		}
		elements = append(elements, b...)
	}
}

func TestSequence(t *testing.T) {
	names := []string{"c_line", "big_i2", "f_int16", "c_empty", "c_scalar"}
	var want []byte
	var wantShapes [][]int
	for _, name := range names {
		f, err := npy.Open(golden(name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(f.Source().Data)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		want, wantShapes = append(want, b...), append(wantShapes, f.Source().Shape)
	}
	for _, read := range []bool{true, false} {
		for kind, s := range sequences(t, concat(t, names...), npy.Options{}) {
			shapes, got, err := take(s, read)
			if err != io.EOF || read && !bytes.Equal(got, want) {
				t.Errorf("%s, read %t: %d bytes, error %v, want %d bytes", kind, read, len(got), err, len(want))
			}
			if diff := cmp.Diff(wantShapes, shapes); diff != "" {
				t.Errorf("%s, read %t: shapes (-want +got):\n%s", kind, read, diff)
			}
			if _, err := s.Next(); err != io.EOF {
				t.Errorf("%s: after the end: %v", kind, err)
			}
		}
	}
}

func TestSequenceErrors(t *testing.T) {
	two := concat(t, "c_line", "c_line")
	for name, tc := range map[string]struct {
		content []byte
		opts    npy.Options
		arrays  int
		want    string // "" for io.EOF
	}{
		"nothing":          {nil, npy.Options{}, 0, "an empty file"},
		"cut":              {two[:len(two)-3], npy.Options{}, 1, "24 bytes"},
		"cut in a header":  {two[:len(two)/2+20], npy.Options{}, 1, "array 2 of "},
		"cut in the magic": {two[:len(two)/2+3], npy.Options{}, 1, "array 2 of "},
		"garbage":          {append(concat(t, "c_line"), "garbage"...), npy.Options{}, 1, "not a .npy file"},
		"garbage left out": {append(concat(t, "c_line"), "garbage"...), npy.Options{AllowTrailing: true}, 1, ""},
		"other type":       {concat(t, "c_line", "c_int32"), npy.Options{DType: dtype.Int16}, 1, "array 2 of "},
	} {
		for kind, s := range sequences(t, tc.content, tc.opts) {
			shapes, _, err := take(s, true)
			if tc.want == "" {
				if err != io.EOF || len(shapes) != tc.arrays {
					t.Errorf("%s, %s: %d arrays, error %v", name, kind, len(shapes), err)
				}
				continue
			}
			if err == io.EOF || err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, %s: error %v, want %q", name, kind, err, tc.want)
			}
		}
	}
}

// TestTrailing reads an array with bytes behind it.
func TestTrailing(t *testing.T) {
	content := append(concat(t, "big_f4"), "behind"...)
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := npy.Open(path); err == nil || !strings.Contains(err.Error(), "found 6 bytes behind the elements") {
		t.Errorf("open: %v, %v", f, err)
	}
	f, err := npy.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(f.Source().Data); err == nil || !strings.Contains(err.Error(), "found at least 6 bytes behind the elements") {
		t.Errorf("stream: %v", err)
	}
}
