package storetest

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Stat describes what a selector selects.
func Stat(t testing.TB, s *tstore.Store, sel string) *tstore.Info {
	t.Helper()
	info, err := s.Stat(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// CrashRows is the number of rows of a tensor whose change is no small one.
const CrashRows = 70_000

// Source is a float64 tensor that counts up from first.
func Source(t testing.TB, first float64, shape ...int) tstore.Source {
	t.Helper()
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := make([]float64, n)
	for i := range data {
		data[i] = first + float64(i)
	}
	if len(shape) == 0 {
		return tstore.FromBytes(tstore.Spec{DType: dtype.Float64}, binary.LittleEndian.AppendUint64(nil, math.Float64bits(first)))
	}
	src, err := tstore.FromSlice(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// Create makes a tensor.
func Create(t testing.TB, s *tstore.Store, name string, src tstore.Source) {
	t.Helper()
	if err := s.Create(t.Context(), name, src); err != nil {
		t.Fatal(err)
	}
}

// Values are the elements of a selector in C order.
func Values(t testing.TB, s *tstore.Store, sel string) []float64 {
	t.Helper()
	x, err := s.Get(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	return Elements(t, x.Tensor)
}

// Elements are those of a tensor in C order.
func Elements(t testing.TB, x *view.Tensor) []float64 {
	t.Helper()
	out := []float64{}
	size := x.DType().Size()
	err := x.Blocks(1<<16, func(b []byte) error {
		for ; len(b) > 0; b = b[size:] {
			out = append(out, dtype.Load(x.DType(), b).Float64())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// WantValues expects the elements of a selector, in C order.
func WantValues(t testing.TB, s *tstore.Store, sel string, want ...float64) {
	t.Helper()
	if got := Values(t, s, sel); !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", sel, got, want)
	}
}

// UpTo counts from 0 to n-1.
func UpTo(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// Constant is a tensor of one value.
func Constant(v float64, shape ...int) tstore.Source {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return tstore.Source{
		Spec: tstore.Spec{DType: dtype.Float64, Shape: shape},
		Data: io.LimitReader(&repeated{v: dtype.ScalarOf(v)}, int64(8*n)),
	}
}

// repeated reads as one float64 over and over, however small the reads.
type repeated struct {
	v dtype.Scalar
	n int
}

func (r *repeated) Read(p []byte) (int, error) {
	var b [8]byte
	r.v.Store(b[:])
	for i := range p {
		p[i] = b[r.n%8]
		r.n++
	}
	return len(p), nil
}

// Define gives an expression a name.
func Define(t testing.TB, s *tstore.Store, name, text string) {
	t.Helper()
	if err := s.Define(t.Context(), name, text, nil); err != nil {
		t.Fatal(err)
	}
}

// Scalar is a float64.
func Scalar(t testing.TB, v float64) dtype.Scalar {
	t.Helper()
	return dtype.ScalarOf(v)
}

// Packed lets a source share a file with others.
func Packed(src tstore.Source) tstore.Source {
	src.Pack = true
	return src
}

// Nines is n times 9.
func Nines(n int) []float64 { return slices.Repeat([]float64{9}, n) }

// ReadAll returns the elements of a tensor as float64.
func ReadAll(ctx context.Context, s *tstore.Store, name string) ([]float64, error) {
	x, err := s.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	out := make([]float64, 0, x.NumElems())
	err = x.Blocks(1<<16, func(b []byte) error {
		for ; len(b) > 0; b = b[8:] {
			out = append(out, dtype.Load(dtype.Float64, b).Float64())
		}
		return nil
	})
	return out, err
}

const Wide = 150_000 // float64 elements that are more than a small change

// WantAll expects that all elements of a selector are one value.
func WantAll(t *testing.T, s *tstore.Store, sel string, want float64) {
	t.Helper()
	for i, v := range Values(t, s, sel) {
		if v != want {
			t.Fatalf("%s: element %d is %v, want %v", sel, i, v, want)
		}
	}
}
