package npy_test

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
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/internal/npyheader"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// counted are n elements of dt that count up from 0, as golden.py makes them.
func counted(dt dtype.Type, n int) []dtype.Scalar {
	elems := make([]dtype.Scalar, n)
	for i := range elems {
		elems[i] = dtype.ScalarOf(int64(i)).Convert(dt)
	}
	return elems
}

// packed are elements in a row.
func packed(elems []dtype.Scalar) []byte {
	var b []byte
	for _, e := range elems {
		var elem [16]byte
		e.Store(elem[:])
		b = append(b, elem[:e.Type().Size()]...)
	}
	return b
}

// tensor lays a shape and strides over bytes.
func tensor(t *testing.T, b []byte, dt dtype.Type, shape, strides []int, offset int) *view.Tensor {
	t.Helper()
	l, err := view.MakeLayout(shape, strides, offset)
	if err != nil {
		t.Fatal(err)
	}
	st := mmapstore.FromBytes(b)
	x, err := view.NewTensor(st, dt, l)
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

// countedTensor is a tensor of the description whose elements count up in C order.
func countedTensor(t *testing.T, sp tstore.Spec) *view.Tensor {
	t.Helper()
	l, err := view.NewLayout(sp.Shape...)
	if sp.Order == tstore.ColumnMajor {
		l, err = view.NewFortranLayout(sp.Shape...)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, l.NumElems()*sp.DType.Size())
	x := tensor(t, b, sp.DType, sp.Shape, l.Strides(), 0)
	if _, err := x.Writer().Write(packed(counted(sp.DType, l.NumElems()))); err != nil {
		t.Fatal(err)
	}
	return x
}

func golden(name string) string { return filepath.Join("testdata", name+".npy") }

var goldenFiles = []struct {
	name  string
	opts  npy.Options
	spec  tstore.Spec
	adopt string // why it can't be adopted
}{
	{name: "c_scalar", spec: tstore.Spec{DType: dtype.Int32, Shape: []int{}}},
	{name: "c_empty", spec: tstore.Spec{DType: dtype.Int32, Shape: []int{3, 0, 2}}},
	{name: "c_line", spec: tstore.Spec{DType: dtype.Int16, Shape: []int{12}}},
	{name: "c_rank9", spec: tstore.Spec{DType: dtype.Uint8, Shape: []int{1, 2, 1, 2, 1, 2, 1, 2, 1}}},
	{name: "f_float64", spec: tstore.Spec{DType: dtype.Float64, Shape: []int{2, 3}, Order: tstore.ColumnMajor}},
	{name: "f_int16", spec: tstore.Spec{DType: dtype.Int16, Shape: []int{4, 3, 2}, Order: tstore.ColumnMajor}},
	{name: "v2", spec: tstore.Spec{DType: dtype.Float32, Shape: []int{2, 3}}},
	{name: "v3", spec: tstore.Spec{DType: dtype.Float32, Shape: []int{2, 3}}},
	{name: "big_i2", spec: tstore.Spec{DType: dtype.Int16, Shape: []int{2, 3}}, adopt: "import the file instead"},
	{name: "big_u8", spec: tstore.Spec{DType: dtype.Uint64, Shape: []int{2, 3}}, adopt: "import the file instead"},
	{name: "big_f4", spec: tstore.Spec{DType: dtype.Float32, Shape: []int{2, 3}}, adopt: "import the file instead"},
	{name: "big_c16", spec: tstore.Spec{DType: dtype.Complex128, Shape: []int{2, 3}}, adopt: "import the file instead"},
	{name: "big_fortran", spec: tstore.Spec{DType: dtype.Float64, Shape: []int{2, 3}, Order: tstore.ColumnMajor}, adopt: "import the file instead"},
	{name: "void_bfloat16", opts: npy.Options{DType: dtype.BFloat16}, spec: tstore.Spec{DType: dtype.BFloat16, Shape: []int{2, 3}}},
	{name: "void_float8_e4m3fn", opts: npy.Options{DType: dtype.Float8E4M3FN}, spec: tstore.Spec{DType: dtype.Float8E4M3FN, Shape: []int{2, 3}}},
	{name: "e5m2", spec: tstore.Spec{DType: dtype.Float8E5M2, Shape: []int{2, 3}}},
	{name: "c_float32", opts: npy.Options{DType: dtype.Float32}, spec: tstore.Spec{DType: dtype.Float32, Shape: []int{2, 3}}},
}

// wantElements are the bytes of the elements of a golden file, in its order.
func wantElements(t *testing.T, sp tstore.Spec) []byte {
	t.Helper()
	x := countedTensor(t, sp)
	if sp.Order == tstore.ColumnMajor {
		x = x.Transpose()
	}
	b, err := io.ReadAll(x.Reader())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOpen(t *testing.T) {
	for _, tt := range goldenFiles {
		t.Run(tt.name, func(t *testing.T) {
			f, err := tt.opts.Open(golden(tt.name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			src, want := f.Source(), wantElements(t, tt.spec)
			if diff := cmp.Diff(tt.spec, src.Spec); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			got, err := io.ReadAll(src.Data)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("Data reads %v, %v, want %v", got, err, want)
			}
			checkReadAt(t, src.Data, want)
			checkForeign(t, f, tt.spec, golden(tt.name), tt.adopt)
		})
	}
}

func checkReadAt(t *testing.T, r io.Reader, want []byte) {
	t.Helper()
	at, ok := r.(io.ReaderAt)
	if !ok {
		t.Fatalf("Data of a file is a %T, which is no io.ReaderAt", r)
	}
	for off := range want {
		p := make([]byte, len(want)-off)
		if _, err := at.ReadAt(p, int64(off)); err != nil && err != io.EOF || !bytes.Equal(p, want[off:]) {
			t.Errorf("ReadAt %d: %v, %v, want %v", off, p, err, want[off:])
		}
	}
}

func checkForeign(t *testing.T, f *npy.File, sp tstore.Spec, path, why string) {
	t.Helper()
	foreign, err := f.Foreign()
	if why != "" {
		if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), path) {
			t.Errorf("Foreign: error %v, want one with %q", err, why)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tstore.Foreign{Spec: sp, Path: path, Offset: foreign.Offset}, foreign); diff != "" {
		t.Errorf("foreign (-want +got):\n%s", diff)
	}
	if want := wantElements(t, sp); !bytes.Equal(content[foreign.Offset:], want) {
		t.Errorf("the elements are not at byte %d", foreign.Offset)
	}
}

func TestNewReader(t *testing.T) {
	for _, tt := range goldenFiles {
		t.Run(tt.name, func(t *testing.T) {
			content, err := os.ReadFile(golden(tt.name))
			if err != nil {
				t.Fatal(err)
			}
			in := bytes.NewReader(append(content, "next"...))
			tt.opts.AllowTrailing = true
			f, err := tt.opts.NewReader(in)
			if err != nil {
				t.Fatal(err)
			}
			src := f.Source()
			if diff := cmp.Diff(tt.spec, src.Spec); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			got, err := io.ReadAll(src.Data)
			if want := wantElements(t, tt.spec); err != nil || !bytes.Equal(got, want) {
				t.Errorf("Data reads %v, %v, want %v", got, err, want)
			}
			if rest, err := io.ReadAll(in); err != nil || string(rest) != "next" {
				t.Errorf("the stream is left at %q, %v", rest, err)
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
		opts npy.Options
		want string
		is   error
	}{
		{"bad_object", npy.Options{}, "pickle", npyheader.ErrUnsupported},
		{"bad_record", npy.Options{}, "structured dtype", npyheader.ErrUnsupported},
		{"bad_text", npy.Options{}, "dtype", npyheader.ErrUnsupported},
		{"void_bfloat16", npy.Options{}, "say which (--dtype", dtype.ErrAmbiguous},
		{"void_bfloat16", npy.Options{DType: dtype.Float8E5M2}, `elements of float8_e5m2 have 1 bytes, those of the file have the code "<V2"`, nil},
		{"c_int16", npy.Options{DType: dtype.BFloat16}, "expected elements of bfloat16, the file has int16", nil},
		{"golden.py", npy.Options{}, "no such file", os.ErrNotExist},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.opts.Open(golden(tt.name))
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v, want one with %q that is %v", err, tt.want, tt.is)
			}
		})
	}
	if _, err := npy.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("opening a folder: %v", err)
	}
}

// TestShortAndLongFiles cuts and extends a file of 24 bytes of elements.
func TestShortAndLongFiles(t *testing.T) {
	for _, name := range []string{"c_int32", "big_f4"} {
		content, err := os.ReadFile(golden(name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x.npy")
		for cut := 1; cut <= len(content); cut++ {
			if err := os.WriteFile(path, content[:len(content)-cut], 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := npy.Open(path); err == nil {
				t.Errorf("%s: no error with %d bytes cut", name, cut)
			} else if cut == 5 && !strings.Contains(err.Error(), "needs 24 bytes behind the header, the file has 19") {
				t.Errorf("%s: error %v does not name both sizes", name, err)
			}
		}
		f, err := npy.NewReader(bytes.NewReader(content[:len(content)-5]))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(f.Source().Data); err == nil || !strings.Contains(err.Error(), "expected 24 bytes of elements, found 19") {
			t.Errorf("%s: stream: error %v", name, err)
		}
		if err := os.WriteFile(path, append(content, "behind"...), 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err = (npy.Options{AllowTrailing: true}).Open(path); err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(f.Source().Data); err != nil || len(b) != 24 {
			t.Errorf("%s: a longer file gives %d bytes, error %v", name, len(b), err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestEncodeIsNumPy compares with the files that numpy.save wrote.
func TestEncodeIsNumPy(t *testing.T) {
	files, err := filepath.Glob("testdata/[cf]_*.npy")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d golden files, error %v", len(files), err)
	}
	for _, path := range files {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := npy.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := npy.Encode(t.Context(), &got, countedTensor(t, f.Source().Spec)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: got %q, want %q", path, got.Bytes(), want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestEncodeLayouts reads back what Encode makes of every layout and type.
func TestEncodeLayouts(t *testing.T) {
	for _, l := range tensortest.Layouts() {
		for _, dt := range dtype.All() {
			b := tensortest.Buffer(l.Span*dt.Size(), l.Skew)
			copy(b, packed(counted(dt, l.Span)))
			x := tensor(t, b, dt, l.Shape, l.Strides, l.Offset)
			var file bytes.Buffer
			if err := npy.Encode(t.Context(), &file, x); err != nil {
				t.Fatal(err)
			}
			f, err := npy.Options{DType: dt}.NewReader(&file)
			if err != nil {
				t.Fatal(err)
			}
			src := f.Source()
			elems, err := io.ReadAll(src.Data)
			if err != nil {
				t.Fatal(err)
			}
			back, err := view.NewLayout(src.Shape...)
			if src.Order == tstore.ColumnMajor {
				back, err = view.NewFortranLayout(src.Shape...)
			}
			if err != nil {
				t.Fatal(err)
			}
			same, err := view.Equal(t.Context(), x, tensor(t, elems, dt, src.Shape, back.Strides(), 0))
			if err != nil || !same {
				t.Errorf("%s of %v: read back equal %t, error %v", l.Name, dt, same, err)
			}
			if want := x.Layout().IsFortran() && !x.Layout().IsContiguous(); want != (src.Order == tstore.ColumnMajor) {
				t.Errorf("%s of %v: Fortran order %t, want %t", l.Name, dt, !want, want)
			}
		}
	}
}

func TestEncodeEnds(t *testing.T) {
	x, err := view.FromSlice(make([]int64, 1<<18))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := npy.Encode(ctx, io.Discard, x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, room := range []int{0, 1000} {
		if err := npy.Encode(t.Context(), &failing{room}, x); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("disk with %d bytes: %v", room, err)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := npy.Encode(t.Context(), io.Discard, x); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// failing is a writer with little room.
type failing struct{ room int }

func (f *failing) Write(p []byte) (int, error) {
	f.room -= len(p)
	if f.room <= 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}
