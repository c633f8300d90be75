package view_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func sprint(t *testing.T, tensor *view.Tensor, o *view.PrintOptions) string {
	t.Helper()
	var b strings.Builder
	if err := view.Fprint(&b, tensor, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Types that NumPy lacks are printed like float16, by their own digits.
func TestFprintTypesThatNumPyLacks(t *testing.T) {
	values := []float32{1.5, 2, -96, 0.0625}
	tests := []struct {
		name string
		make func() (*view.Tensor, error)
		want string
	}{
		{"bfloat16", func() (*view.Tensor, error) { return view.FromSlice(mapSlice(values, dtype.ToBF16)) },
			"[ 1.50e+00  2.00e+00 -9.60e+01  6.25e-02]"},
		{"bfloat16 digits", func() (*view.Tensor, error) { return view.FromSlice([]dtype.BF16{dtype.ToBF16(0.1), dtype.ToBF16(3)}) },
			"[0.1 3. ]"},
		{"float8_e4m3fn", func() (*view.Tensor, error) { return view.FromSlice(mapSlice(values[:3], dtype.ToF8E4M3FN)) },
			"[  1.5   2.  -96. ]"},
		{"float8_e5m2", func() (*view.Tensor, error) { return view.FromSlice(mapSlice(values[:3], dtype.ToF8E5M2)) },
			"[  1.5   2.  -96. ]"},
		{"large", func() (*view.Tensor, error) { return view.FromSlice([]dtype.BF16{dtype.ToBF16(1024), dtype.ToBF16(2)}) },
			"[1.024e+03 2.000e+00]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tensor, err := tt.make()
			if err != nil {
				t.Fatal(err)
			}
			defer tensor.Close()
			if got := sprint(t, tensor, nil); got != tt.want {
				t.Errorf("got %s, expected %s", got, tt.want)
			}
		})
	}
}

func mapSlice[T, U any](in []T, fn func(T) U) []U {
	out := make([]U, len(in))
	for i, v := range in {
		out[i] = fn(v)
	}
	return out
}

// Strides do not change what is printed.
func TestFprintOfAnyLayout(t *testing.T) {
	tensor, err := view.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	part, err := tensor.Transpose().Slice("::-1")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sprint(t, part, nil), "[[3 6]\n [2 5]\n [1 4]]"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}

// A probe is device memory of any size, all zeros, that records what is read.
type probe struct {
	mu struct {
		sync.Mutex
		reads []int64
	}
}

func (p *probe) ReadAt(b []byte, off int64) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range b {
		p.mu.reads = append(p.mu.reads, off+int64(i))
		b[i] = 0
	}
	return len(b), nil
}

func (p *probe) WriteAt(b []byte, off int64) (int, error) {
	return 0, fmt.Errorf("write of %d bytes at %d", len(b), off)
}

func (p *probe) Place() mmapstore.Place { return mmapstore.GPU(0) }

func (p *probe) Alloc(size int64) (mmapstore.Block, error) {
	return mmapstore.NewDeviceBlock(p.Place(), size, p, func() error { return nil }), nil
}

// A tensor of a terabyte is printed by reading 36 elements, on a device too.
func TestFprintReadsOnlyWhatItPrints(t *testing.T) {
	p := &probe{}
	st, err := mmapstore.WithAllocator(p, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	tensor := newTensor(t, st, dtype.Uint8, mustMake(t, []int{1 << 20, 1 << 20}, []int{1 << 20, 1}, 0))
	got := sprint(t, tensor, nil)
	want := "[[0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n ...\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]]"
	if got != want {
		t.Errorf("got %s", got)
	}
	var printed []int64
	for _, i := range []int64{0, 1, 2, 1<<20 - 3, 1<<20 - 2, 1<<20 - 1} {
		for _, j := range []int64{0, 1, 2, 1<<20 - 3, 1<<20 - 2, 1<<20 - 1} {
			printed = append(printed, i<<20+j)
		}
	}
	reads := slices.Clone(p.mu.reads)
	slices.Sort(reads)
	if !slices.Equal(slices.Compact(reads), printed) {
		t.Errorf("elements at %d were read, expected %d", reads, printed)
	}
}

// Elements on a device can be got and set one at a time.
func TestElementsOnADevice(t *testing.T) {
	p := &probe{}
	st, err := mmapstore.WithAllocator(p, 100)
	if err != nil {
		t.Fatal(err)
	}
	tensor := newTensor(t, st, dtype.Float32, mustMake(t, []int{5}, []int{1}, 0))
	a, err := view.As[float32](tensor)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := a.Ref(2)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := ref.Get(); v != 0 || err != nil {
		t.Errorf("Get: %v, %v", v, err)
	}
	checkError(t, ref.Set(1), "write of 4 bytes at 8")
}

func TestFprintErrors(t *testing.T) {
	st, err := mmapstore.New(8)
	if err != nil {
		t.Fatal(err)
	}
	cube := newTensor(t, st, dtype.Uint8, mustMake(t, slices.Repeat([]int{2}, 62), make([]int, 62), 0))
	checkError(t, view.Fprint(io.Discard, cube, nil), "more than 16777216 elements")
	checkError(t, view.Fprint(io.Discard, cube, &view.PrintOptions{EdgeItems: -1}), "EdgeItems -1")
	checkError(t, view.Fprint(io.Discard, cube, &view.PrintOptions{LineWidth: -2}), "LineWidth -2")
	small, err := cube.Slice(strings.Repeat("0,", 60))
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	if err := view.Fprint(errorWriter{full}, small, nil); !errors.Is(err, full) {
		t.Errorf("failing writer: %v", err)
	}
}

// TestFprintEdges prints arrays of which only the edges are there, as the whole is printed.
func TestFprintEdges(t *testing.T) {
	n := 11 * 4 * 30
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i*i%1009) / 8
	}
	whole, err := view.FromSlice(values, 11, 4, 30)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	for name, o := range map[string]view.PrintOptions{
		"default": {}, "few items": {EdgeItems: 1}, "all": {Threshold: 10_000}, "no threshold": {Threshold: -1, EdgeItems: 2}, "more items than axes have": {EdgeItems: 20},
	} {
		want := sprint(t, whole, &o)
		shape, err := o.Edges(whole.Shape())
		if err != nil {
			t.Fatal(err)
		}
		var picked []float64
		l, err := view.NewLayout(shape...)
		if err != nil {
			t.Fatal(err)
		}
		for index := range l.Indexes() {
			at := slices.Clone(index)
			for axis, size := range shape {
				if n := whole.Shape()[axis]; index[axis] >= size/2 {
					at[axis] += n - size
				}
			}
			picked = append(picked, values[(at[0]*4+at[1])*30+at[2]])
		}
		edges, err := view.FromSlice(picked, shape...)
		if err != nil {
			t.Fatal(err)
		}
		defer edges.Close()
		o.Shape = whole.Shape()
		if got := sprint(t, edges, &o); got != want {
			t.Errorf("%s: edges are printed as\n%s\nand the whole as\n%s", name, got, want)
		}
		if got := sprint(t, whole, &o); got != want {
			t.Errorf("%s: with its own shape, the whole is printed as\n%s\nwithout as\n%s", name, got, want)
		}
	}
	for _, shape := range [][]int{{11, 4, 31}, {11, 4}, {1 << 40, 1 << 40}, {-1}, {}} {
		if err := view.Fprint(io.Discard, whole, &view.PrintOptions{Shape: shape}); err == nil {
			t.Errorf("no error of elements of shape %v as the edges of an array of shape %v", whole.Shape(), shape)
		}
	}
}

// TestFprintEnds cancels the printing of a large tensor, and fails its writes.
func TestFprintEnds(t *testing.T) {
	st, err := mmapstore.New(1)
	if err != nil {
		t.Fatal(err)
	}
	x := newTensor(t, st, dtype.Uint8, mustMake(t, []int{1_000_000}, []int{0}, 0))
	all := &view.PrintOptions{Threshold: x.NumElems()}
	why := errors.New("seen enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := view.FprintContext(ctx, io.Discard, x, all); !errors.Is(err, why) {
		t.Errorf("cancelled before: %v, want %v", err, why)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	if err := view.FprintContext(ctx, writerFunc(func(p []byte) (int, error) { cancel(why); return len(p), nil }), x, all); !errors.Is(err, why) {
		t.Errorf("cancelled while it writes: %v, want %v", err, why)
	}
	writes := 0
	broken := writerFunc(func([]byte) (int, error) { writes++; return 0, why })
	if err := view.Fprint(broken, x, all); !errors.Is(err, why) || writes != 1 {
		t.Errorf("broken writer: %v after %d writes, want %v after one", err, writes, why)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
