package raw_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/raw"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// counting is n bytes that count up.
func counting(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// write makes a file and returns its path.
func write(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "elements.bin")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

var layouts = []struct {
	name  string
	bytes int
	opts  raw.Options
	shape []int
}{
	{"all", 24, raw.Options{DType: dtype.Int32}, []int{6}},
	{"open axis", 24, raw.Options{DType: dtype.Int16, Shape: []int{3, -1}}, []int{3, 4}},
	{"open axis behind offset", 24, raw.Options{DType: dtype.Int32, Shape: []int{-1, 2}, Offset: 8}, []int{2, 2}},
	{"odd offset", 25, raw.Options{DType: dtype.Float64, Shape: []int{3}, Offset: 1}, []int{3}},
	{"scalar", 8, raw.Options{DType: dtype.Complex64, Shape: []int{}}, []int{}},
	{"empty file", 0, raw.Options{DType: dtype.Complex64}, []int{0}},
	{"empty axis", 0, raw.Options{DType: dtype.Int8, Shape: []int{0, 5}}, []int{0, 5}},
	{"trailing", 24, raw.Options{DType: dtype.Int64, Shape: []int{2}, AllowTrailing: true}, []int{2}},
	{"big-endian", 32, raw.Options{DType: dtype.Complex128, BigEndian: true}, []int{2}},
	{"Fortran", 24, raw.Options{DType: dtype.Float16, Shape: []int{4, 3}, Order: tstore.ColumnMajor}, []int{4, 3}},
}

func TestOpen(t *testing.T) {
	for _, tt := range layouts {
		t.Run(tt.name, func(t *testing.T) {
			content := counting(tt.bytes)
			path := write(t, content)
			f, err := raw.Open(path, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			want := tstore.Spec{DType: tt.opts.DType, Shape: tt.shape, Order: tt.opts.Order}
			src := f.Source()
			if diff := cmp.Diff(want, src.Spec); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			elems := elements(t, content, tt.opts, want)
			checkSource(t, src, elems)
			checkForeign(t, f, tt.opts, want, path)
		})
	}
}

// elements are the bytes that a file of the given content must give.
func elements(t *testing.T, content []byte, o raw.Options, sp tstore.Spec) []byte {
	t.Helper()
	n, err := sp.NumBytes()
	if err != nil {
		t.Fatal(err)
	}
	elems := bytes.Clone(content[o.Offset:][:n])
	if o.BigEndian {
		dtype.SwapBytes(elems, o.DType)
	}
	return elems
}

func checkSource(t *testing.T, src tstore.Source, want []byte) {
	t.Helper()
	got, err := io.ReadAll(src.Data)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("Data reads %v, %v, want %v", got, err, want)
	}
	at, ok := src.Data.(io.ReaderAt)
	if !ok {
		t.Fatalf("Data of a file is a %T, which is no io.ReaderAt", src.Data)
	}
	for off := range want {
		p := make([]byte, len(want)-off)
		if _, err := at.ReadAt(p, int64(off)); err != nil && err != io.EOF || !bytes.Equal(p, want[off:]) {
			t.Errorf("ReadAt %d: %v, %v, want %v", off, p, err, want[off:])
		}
	}
}

func checkForeign(t *testing.T, f *raw.File, o raw.Options, sp tstore.Spec, path string) {
	t.Helper()
	foreign, err := f.Foreign()
	if o.BigEndian {
		if err == nil || !strings.Contains(err.Error(), "import the file instead") {
			t.Errorf("Foreign of a big-endian file: error %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tstore.Foreign{Spec: sp, Path: path, Offset: o.Offset}, foreign); diff != "" {
		t.Errorf("foreign (-want +got):\n%s", diff)
	}
}

func TestNewReader(t *testing.T) {
	for _, tt := range layouts {
		t.Run(tt.name, func(t *testing.T) {
			content := counting(tt.bytes)
			o := tt.opts
			o.Shape = tt.shape
			f, err := raw.NewReader(bytes.NewReader(content), o)
			if err != nil {
				t.Fatal(err)
			}
			src := f.Source()
			got, err := io.ReadAll(src.Data)
			if want := elements(t, content, o, src.Spec); err != nil || !bytes.Equal(got, want) {
				t.Errorf("Data reads %v, %v, want %v", got, err, want)
			}
			if _, err := f.Foreign(); err == nil || !strings.Contains(err.Error(), "import it instead") {
				t.Errorf("Foreign of a stream: error %v", err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts raw.Options
		want string
	}{
		{"no dtype", raw.Options{}, "no dtype given"},
		{"too long", raw.Options{DType: dtype.Int8, Shape: []int{23}}, "shape [23] of int8 needs 23 bytes from byte 0 on, the file has 24 there"},
		{"too short", raw.Options{DType: dtype.Int32, Shape: []int{2, 3}, Offset: 2}, "shape [2 3] of int32 needs 24 bytes from byte 2 on, the file has 22 there"},
		{"too short with trailing", raw.Options{DType: dtype.Int8, Shape: []int{25}, AllowTrailing: true}, "needs 25 bytes from byte 0 on, the file has 24"},
		{"no multiple", raw.Options{DType: dtype.Int32, Shape: []int{-1, 4}}, "24 bytes are not a multiple of 16 bytes"},
		{"no whole elements", raw.Options{DType: dtype.Int32, Offset: 1}, "23 bytes are not a multiple of 4 bytes"},
		{"two open axes", raw.Options{DType: dtype.Int32, Shape: []int{-1, -1}}, "only one axis can be -1"},
		{"nothing to divide by", raw.Options{DType: dtype.Int32, Shape: []int{-1, 0}}, "could have any length"},
		{"negative axis", raw.Options{DType: dtype.Int32, Shape: []int{-2}}, "-2"},
		{"overflow", raw.Options{DType: dtype.Int32, Shape: []int{1 << 40, 1 << 40}}, "1099511627776"},
		{"overflow beside open axis", raw.Options{DType: dtype.Int32, Shape: []int{-1, 1 << 62}}, "larger than a file can be"},
		{"too many axes", raw.Options{DType: dtype.Int32, Shape: make([]int, 65)}, "65"},
		{"negative offset", raw.Options{DType: dtype.Int32, Offset: -1}, "offset -1 is negative"},
		{"offset beyond", raw.Options{DType: dtype.Int32, Offset: 25}, "offset 25 is negative or beyond"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, counting(24))
			_, err := raw.Open(path, tt.opts)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want one with %q and the path", err, tt.want)
			}
		})
	}
	if _, err := raw.Open(t.TempDir(), raw.Options{DType: dtype.Int8}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("opening a folder: %v", err)
	}
	if _, err := raw.Open(filepath.Join(t.TempDir(), "none"), raw.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening nothing: %v", err)
	}
}

func TestStreamErrors(t *testing.T) {
	in := func(n int) io.Reader { return bytes.NewReader(counting(n)) }
	for _, o := range []raw.Options{{DType: dtype.Int8}, {DType: dtype.Int8, Shape: []int{2}, Offset: 9}} {
		if _, err := raw.NewReader(in(8), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	for _, big := range []bool{false, true} {
		for n, want := range map[int]string{7: "expected 8 bytes of elements, found 7", 9: "found at least 1 bytes behind the elements"} {
			f, err := raw.NewReader(in(n), raw.Options{DType: dtype.Int32, Shape: []int{2}, BigEndian: big})
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(f.Source().Data)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%d bytes, big-endian %t: error %v", n, big, err)
			}
			if n == 7 && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error %v is not io.ErrUnexpectedEOF", err)
			}
		}
	}
}

func TestFileCutWhileOpen(t *testing.T) {
	path := write(t, counting(32))
	f, err := raw.Open(path, raw.Options{DType: dtype.Int64, BigEndian: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 20); err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(f.Source().Data)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "expected 32 bytes of elements, found 20") {
		t.Errorf("error %v", err)
	}
}

func TestEncode(t *testing.T) {
	for _, l := range tensortest.Layouts() {
		t.Run(l.Name, func(t *testing.T) {
			b := tensortest.Buffer(l.Span*2, l.Skew)
			copy(b, counting(len(b)))
			var want []byte
			for _, pos := range l.Positions() {
				want = append(want, b[2*pos:2*pos+2]...)
			}
			var got bytes.Buffer
			if err := raw.Encode(t.Context(), &got, tensor(t, b, dtype.Int16, l)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("got %v, want %v", got.Bytes(), want)
			}
		})
	}
}

// tensor lays a layout over bytes.
func tensor(t *testing.T, b []byte, dt dtype.Type, l tensortest.Layout) *view.Tensor {
	t.Helper()
	layout, err := view.MakeLayout(l.Shape, l.Strides, l.Offset)
	if err != nil {
		t.Fatal(err)
	}
	st := mmapstore.FromBytes(b)
	x, err := view.NewTensor(st, dt, layout)
	if err := errors.Join(err, st.Release()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func TestEncodeEnds(t *testing.T) {
	x, err := view.FromSlice(make([]int64, 1<<18))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := &failing{room: 1 << 20, full: cancel}
	if err := raw.Encode(ctx, w, x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	w = &failing{room: 1 << 20}
	if err := raw.Encode(t.Context(), w, x); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("disk full: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := raw.Encode(t.Context(), io.Discard, x); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// failing is a writer with little room. When it is full it calls full, or else fails.
type failing struct {
	room int
	full func()
}

func (f *failing) Write(p []byte) (int, error) {
	f.room -= len(p)
	if f.room > 0 {
		return len(p), nil
	}
	if f.full == nil {
		return 0, io.ErrShortWrite
	}
	f.full()
	return len(p), nil
}
