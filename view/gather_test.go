package view_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Gathers and scatters over each layout and element size, against loops over positions.
func TestGatherSweep(t *testing.T) {
	sweep(t, func(t *testing.T, c tensortest.Layout, dt dtype.Type) {
		if len(c.Shape) == 0 || slices.Contains(c.Shape, 0) {
			return
		}
		f := newFixture(t, c, dt)
		rng := rand.New(rand.NewPCG(3, 4))
		last := len(c.Shape) - 1
		n := c.Shape[last]
		picked := make([]int, n+3)
		for i := range picked {
			picked[i] = rng.IntN(n)
		}
		rows := len(f.pos) / n
		want := []byte{}
		for r := range rows {
			for _, i := range picked {
				pos := f.pos[r*n+i]
				want = append(want, f.bytes[pos*f.size:][:f.size]...)
			}
		}
		index := view.Fancy{view.Basic(view.Ellipsis()), view.Ints(picked...)}
		shape, err := view.FancyShape(t.Context(), f.Layout(), index)
		if err != nil {
			t.Fatal(err)
		}
		dst, data := packedTensor(t, shape, dt)
		if err := view.Gather(t.Context(), dst, f.Tensor, index); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, want) {
			t.Error("gather: other bytes")
		}
		err = view.Scatter(t.Context(), f.Tensor, index, dst)
		if c.Repeats {
			checkRepeats(t, err)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := packedTensor(t, shape, dt); view.Gather(t.Context(), again, f.Tensor, index) != nil || !equal(t, again, dst) {
			t.Error("what was scattered does not come back")
		}
	})
}

func equal(t *testing.T, a, b *view.Tensor) bool {
	t.Helper()
	same, err := view.Equal(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	return same
}

// Each operation reads all of its operands before it writes, as far as one can see, when they share
// bytes with the destination.
func TestGatherFromTheDestination(t *testing.T) {
	fresh := func() (*view.Tensor, *view.Tensor) {
		x := fromSlice(t, []int64{3, 1, 0, 2, 5, 4})
		front, err := x.Slice(":5")
		if err != nil {
			t.Fatal(err)
		}
		return x, front
	}
	at := func(x *view.Tensor) view.Fancy { return view.Fancy{view.IntArray(x)} }
	tests := []struct {
		name string
		run  func(x, front *view.Tensor) error
		want []int64
	}{
		{"gather", func(x, _ *view.Tensor) error { return view.Gather(t.Context(), x, x, at(x)) }, []int64{2, 1, 3, 0, 4, 5}},
		{"scatter", func(x, _ *view.Tensor) error { return view.Scatter(t.Context(), x, at(x), x) }, []int64{0, 1, 2, 3, 4, 5}},
		{"take", func(x, _ *view.Tensor) error { return view.Take(t.Context(), x, x, x, 0, view.IndexRaise) }, []int64{2, 1, 3, 0, 4, 5}},
		{"put", func(x, _ *view.Tensor) error { return view.Put(t.Context(), x, x, x, view.IndexRaise) }, []int64{0, 1, 2, 3, 4, 5}},
		{"roll", func(x, _ *view.Tensor) error { return view.Roll(t.Context(), x, x, []int{2}, 0) }, []int64{5, 4, 3, 1, 0, 2}},
		{"roll flat", func(x, _ *view.Tensor) error { return view.Roll(t.Context(), x, x, []int{-1}) }, []int64{1, 0, 2, 5, 4, 3}},
		{"pad", func(x, front *view.Tensor) error {
			return view.Pad(t.Context(), x, front, []view.PadWidth{{Before: 1}}, view.PadEdge, dtype.Scalar{})
		}, []int64{3, 3, 1, 0, 2, 5}},
		{"concatenate", func(x, front *view.Tensor) error {
			one, err := x.Slice("5:")
			if err != nil {
				return err
			}
			return view.Concatenate(t.Context(), x, 0, one, front)
		}, []int64{4, 3, 1, 0, 2, 5}},
		{"repeat", func(x, _ *view.Tensor) error {
			part, err := x.Slice("1:4")
			if err != nil {
				return err
			}
			return view.Repeat(t.Context(), x, part, []int{2}, 0)
		}, []int64{1, 1, 0, 0, 2, 2}},
		{"tile", func(x, _ *view.Tensor) error {
			part, err := x.Slice("1:4")
			if err != nil {
				return err
			}
			return view.Tile(t.Context(), x, part, 2)
		}, []int64{1, 0, 2, 1, 0, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, front := fresh()
			if err := tt.run(x, front); err != nil {
				t.Fatal(err)
			}
			want := goldenArray{Shape: []int{6}, Data: tt.want}
			if diff := cmp.Diff(want, contents(t, x, "")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestScatterChecksBeforeItWrites(t *testing.T) {
	x := fromSlice(t, make([]int64, 20_000))
	picked := make([]int, 15_000)
	picked[14_999] = 20_000
	var index *view.IndexError
	err := view.Scatter(t.Context(), x, view.Fancy{view.Ints(picked...)}, fromSlice(t, []int64{1}))
	if !errors.As(err, &index) || *index != (view.IndexError{Axis: 0, Index: 20_000, Size: 20_000}) {
		t.Errorf("error %v", err)
	}
	if n, err := view.CountNonzero(t.Context(), x); n != 0 || err != nil {
		t.Errorf("%d elements were written (%v)", n, err)
	}
}

// More elements than are moved at a time, through every conversion path: small boxes, and boxes
// larger than a buffer.
func TestGatherConvertsInPieces(t *testing.T) {
	for name, shape := range map[string][]int{"elements": {30_000, 1}, "rows": {300, 100}, "long rows": {5, 20_000}} {
		t.Run(name, func(t *testing.T) {
			n := shape[0] * shape[1]
			data := make([]int32, n)
			for i := range data {
				data[i] = int32(i)
			}
			src := fromSlice(t, data, shape...)
			picked := make([]int, shape[0])
			for i := range picked {
				picked[i] = (i*7 + 3) % shape[0]
			}
			dst, _ := packedTensor(t, shape, dtype.Float64)
			turned := dst.Transpose() // so that places are the inner axis, too
			for _, v := range []struct {
				dst, src *view.Tensor
				f        view.Fancy
			}{
				{dst, src, view.Fancy{view.Ints(picked...)}},
				{turned, src.Transpose(), view.Fancy{view.Basic(view.All()), view.Ints(picked...)}},
			} {
				if err := view.Fill(t.Context(), dst, dtype.ScalarOf(-1.0)); err != nil {
					t.Fatal(err)
				}
				if err := view.Gather(t.Context(), v.dst, v.src, v.f); err != nil {
					t.Fatal(err)
				}
				k := 0
				for got, err := range dst.Elements() {
					want := float64(picked[k/shape[1]]*shape[1] + k%shape[1])
					if err != nil || got.Float64() != want {
						t.Fatalf("element %d is %v, expected %v (%v)", k, got, want, err)
					}
					k++
				}
			}
		})
	}
}

// Gathering by a mask from a file of 512 MiB with holes takes little memory.
func TestGatherStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 576 MiB")
	}
	const n = 64 << 20
	x := sparseTensor(t, n, dtype.Int64)
	m := sparseTensor(t, n, dtype.Bool)
	for _, i := range []int{5, n / 3, n - 1} {
		if err := errors.Join(x.Set(dtype.ScalarOf(int64(i)), i), m.Set(dtype.ScalarOf(true), i)); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	dst, _ := packedTensor(t, []int{3}, dtype.Int64)
	if err := view.Gather(t.Context(), dst, x, view.Fancy{view.BoolArray(m)}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	if diff := cmp.Diff([]int64{5, n / 3, n - 1}, contents(t, dst, "").Data); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// sparseTensor returns n zeros in a file that takes no space.
func sparseTensor(t *testing.T, n int, dt dtype.Type) *view.Tensor {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(int64(n*dt.Size())), f.Close()); err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.Map(path, 0, -1, mmapstore.Shared, &mmapstore.MapOptions{Sparse: true})
	if err != nil {
		t.Fatal(err)
	}
	return newTensor(t, st, dt, mustMake(t, []int{n}, []int{1}, 0))
}

func TestGatherErrors(t *testing.T) {
	x := fromSlice(t, make([]int16, 12), 3, 4)
	one := fromSlice(t, make([]int16, 1))
	half := fromSlice(t, make([]float32, 3))
	index := fromSlice(t, []int8{0, 1})
	value := dtype.ScalarOf(int8(1))
	tests := []struct {
		name string
		run  func() error
		want string
	}{
		{"shape", func() error { return view.Gather(t.Context(), one, x, view.Fancy{view.Ints(1)}) }, "shape (1,) does not fit shape (1, 4)"},
		{"float indexes", func() error { return view.Gather(t.Context(), one, x, view.Fancy{view.IntArray(half)}) }, "dtype float32, wanted int64"},
		{"float mask", func() error { return view.Gather(t.Context(), one, x, view.Fancy{view.BoolArray(half)}) }, "dtype float32, wanted bool"},
		{"two ellipses", func() error {
			return view.Gather(t.Context(), one, x, view.Fancy{view.Basic(view.Ellipsis()), view.Ints(0), view.Basic(view.Ellipsis())})
		}, "single ellipsis"},
		{"take mode", func() error { return view.Take(t.Context(), one, x, index, 0, 7) }, "index mode 7"},
		{"take shape", func() error { return view.Take(t.Context(), one, x, index, 0, view.IndexRaise) }, "does not fit shape (2, 4)"},
		{"take floats", func() error { return view.Take(t.Context(), one, x, half, 0, view.IndexRaise) }, "dtype float32, expected an integer type"},
		{"compress rank", func() error { return view.Compress(t.Context(), one, x, x, 0) }, "expected one axis"},
		{"nonzero scalar", func() error {
			scalar, err := one.Reshape()
			if err != nil {
				return err
			}
			_, err = view.Nonzero(t.Context(), scalar)
			return err
		}, "no indexes"},
		{"concatenate nothing", func() error { return view.Concatenate(t.Context(), one, 0) }, "at least one tensor"},
		{"stack nothing", func() error { return view.Stack(t.Context(), one, 0) }, "at least one tensor"},
		{"tile negative", func() error { return view.Tile(t.Context(), one, x, -1) }, "-1 repetitions of axis 1"},
		{"repeat counts", func() error { return view.Repeat(t.Context(), one, x, []int{1, 2}, 0) }, "2 counts for an axis of size 3"},
		{"pad mode", func() error { return view.Pad(t.Context(), one, x, []view.PadWidth{{}}, 9, value) }, "mode 9"},
		{"pad widths", func() error { return view.Pad(t.Context(), one, x, make([]view.PadWidth, 3), 0, value) }, "3 widths for 2 axes"},
		{"pad negative", func() error { return view.Pad(t.Context(), one, x, []view.PadWidth{{Before: -1}}, 0, value) }, "expected 0 or more"},
		{"roll shape", func() error { return view.Roll(t.Context(), one, x, []int{1}, 0) }, "does not fit"},
		{"roll shifts", func() error { return view.Roll(t.Context(), x, x, []int{1, 2, 3}, 0, 1) }, "3 shifts for 2 axes"},
		{"boxes rank", func() error { _, err := x.Boxes(2); return err }, "boxes: "},
		{"boxes size", func() error { _, err := x.Boxes(2, 0); return err }, "size 0 on axis 1"},
		{"allclose", func() error { _, err := view.AllClose(t.Context(), x, half, 0, 0, false); return err }, "does not fit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkError(t, tt.run(), tt.want) })
	}
}

// A closed operand, wherever it stands, is ErrClosed.
func TestGatherClosed(t *testing.T) {
	open := fromSlice(t, []int64{0, 1})
	closed, err := view.FromSlice([]int64{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	all := view.Fancy{view.Ints(0, 1)}
	_, countErr := view.CountNonzero(t.Context(), closed)
	_, closeErr := view.AllClose(t.Context(), open, closed, 0, 0, false)
	for name, err := range map[string]error{
		"gather to":    view.Gather(t.Context(), closed, open, all),
		"gather from":  view.Gather(t.Context(), open, closed, all),
		"gather at":    view.Gather(t.Context(), open, open, view.Fancy{view.IntArray(closed)}),
		"scatter to":   view.Scatter(t.Context(), closed, all, open),
		"scatter from": view.Scatter(t.Context(), open, all, closed),
		"take":         view.Take(t.Context(), open, open, closed, 0, view.IndexRaise),
		"put":          view.Put(t.Context(), open, open, closed, view.IndexRaise),
		"concatenate":  view.Concatenate(t.Context(), fromSlice(t, make([]int64, 4)), 0, open, closed),
		"roll":         view.Roll(t.Context(), open, closed, []int{1}),
		"count":        countErr,
		"allclose":     closeErr,
	} {
		if !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("%s: %v, expected ErrClosed", name, err)
		}
	}
	for _, err := range closed.Elements() {
		if !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("elements: %v, expected ErrClosed", err)
		}
	}
}
