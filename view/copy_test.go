package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Copies between each layout and the packed one, both ways.
func TestCopySweep(t *testing.T) {
	sweep(t, func(t *testing.T, c tensortest.Layout, dt dtype.Type) {
		f := newFixture(t, c, dt)
		want := f.packed()
		packed, data := packedTensor(t, c.Shape, dt)
		if err := view.Copy(t.Context(), packed, f.Tensor); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, want) {
			t.Error("copy from the layout: other bytes")
		}
		if equal, err := view.Equal(t.Context(), packed, f.Tensor); !equal || err != nil {
			t.Errorf("Equal after the copy: %t, %v", equal, err)
		}
		if c.Repeats {
			return
		}
		slices.Reverse(data)
		before := slices.Clone(f.bytes)
		if err := view.Copy(t.Context(), f.Tensor, packed); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.packed(), data) {
			t.Error("copy to the layout: other bytes")
		}
		checkOutside(t, f, before)
	})
}

// packedTensor returns a C-order tensor and its bytes.
func packedTensor(t testing.TB, shape []int, dt dtype.Type) (*view.Tensor, []byte) {
	t.Helper()
	l, err := view.NewLayout(shape...)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, l.NumElems()*dt.Size())
	return newTensor(t, mmapstore.FromBytes(data), dt, l), data
}

func TestCopyConvertsSweep(t *testing.T) {
	for _, c := range tensortest.Layouts() {
		for _, types := range [][2]dtype.Type{
			{dtype.Float64, dtype.Int16},
			{dtype.Uint8, dtype.Complex128},
			{dtype.Float32, dtype.Int32},
			{dtype.Bool, dtype.Float16},
		} {
			to, from := types[0], types[1]
			t.Run(fmt.Sprintf("%s/%s to %s", c.Name, from, to), func(t *testing.T) {
				src := newFixture(t, c, from)
				want := make([]byte, len(src.pos)*to.Size())
				dtype.Convert(want, to, src.packed(), from)
				packed, data := packedTensor(t, c.Shape, to)
				if err := view.Copy(t.Context(), packed, src.Tensor); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(data, want) {
					t.Error("from the layout: other bytes")
				}
				if c.Repeats {
					return
				}
				dst := newFixture(t, c, to)
				before := slices.Clone(dst.bytes)
				if err := view.Copy(t.Context(), dst.Tensor, src.Tensor); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(dst.packed(), want) {
					t.Error("to the layout: other bytes")
				}
				checkOutside(t, dst, before)
			})
		}
	}
}

func TestCopyAliased(t *testing.T) {
	for _, p := range tensortest.Aliased() {
		for _, types := range [][2]dtype.Type{
			{dtype.Uint8, dtype.Uint8}, {dtype.Float32, dtype.Float32}, {dtype.Complex128, dtype.Complex128},
			{dtype.Float32, dtype.Int32}, {dtype.Int32, dtype.Int16}, {dtype.Int16, dtype.Int32},
		} {
			to, from := types[0], types[1]
			t.Run(fmt.Sprintf("%s/%s to %s", p.Name, from, to), func(t *testing.T) {
				checkAliased(t, p, to, from)
			})
		}
	}
}

// checkAliased copies within one storage and compares with a copy that read everything first.
func checkAliased(t *testing.T, p tensortest.Pair, to, from dtype.Type) {
	p.Dst.Span, p.Src.Span = p.Span(), p.Span()
	b := newFixture(t, p.Src, dtype.Complex128).bytes // large enough for both types
	st := mmapstore.FromBytes(b)
	dst := fixture{
		Tensor: newTensor(t, st, to, mustMake(t, p.Dst.Shape, p.Dst.Strides, p.Dst.Offset)),
		bytes:  b, size: to.Size(), pos: p.Dst.Positions(),
	}
	held, err := st.Retain()
	if err != nil {
		t.Fatal(err)
	}
	src := fixture{
		Tensor: newTensor(t, held, from, mustMake(t, p.Src.Shape, p.Src.Strides, p.Src.Offset)),
		bytes:  b, size: from.Size(), pos: p.Src.Positions(),
	}
	want := make([]byte, len(dst.pos)*dst.size)
	dtype.Convert(want, to, src.packed(), from)
	before := slices.Clone(b)
	if err := view.Copy(t.Context(), dst.Tensor, src.Tensor); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(dst.packed(), want) {
		t.Errorf("got  %x\nwant %x", dst.packed(), want)
	}
	checkOutside(t, dst, before)
}

// Random pairs of layouts over one storage, which overlap in every way.
func TestCopyAliasedAtRandom(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 3000 {
		shape := []int{1 + rng.IntN(5), 1 + rng.IntN(5)}[:1+rng.IntN(2)]
		p := tensortest.Pair{Dst: randomLayout(rng, shape, false), Src: randomLayout(rng, shape, true)}
		t.Run(fmt.Sprintf("seed %d case %d: %v to %v", seed, i, p.Src, p.Dst), func(t *testing.T) {
			checkAliased(t, p, dtype.Int16, dtype.Int16)
		})
	}
}

// randomLayout returns a layout of the shape within 64 elements; unless repeats is allowed, no
// element is in it twice.
func randomLayout(rng *rand.Rand, shape []int, repeats bool) tensortest.Layout {
	for {
		l := tensortest.Layout{Shape: shape, Strides: make([]int, len(shape)), Offset: rng.IntN(64), Span: 64}
		for i := range l.Strides {
			l.Strides[i] = rng.IntN(17) - 8
		}
		pos := l.Positions()
		slices.Sort(pos)
		distinct := len(slices.Compact(slices.Clone(pos))) == len(pos)
		if pos[0] >= 0 && pos[len(pos)-1] < 64 && (repeats || distinct) {
			return l
		}
	}
}

// A long run that is shifted by less than the steps it is moved in.
func TestCopyShiftsLongRuns(t *testing.T) {
	const n = 3<<20 + 12345
	for _, shift := range []int{1, 100_000} {
		for _, up := range []bool{false, true} {
			data := make([]uint8, n+shift)
			rng := rand.NewPCG(1, uint64(shift))
			for i := range data {
				data[i] = uint8(rng.Uint64())
			}
			from, to := shift, 0
			if up {
				from, to = 0, shift
			}
			want := slices.Clone(data)
			copy(want[to:to+n], data[from:from+n])
			st := mmapstore.FromBytes(data)
			tensor := newTensor(t, st, dtype.Uint8, mustMake(t, []int{n + shift}, []int{1}, 0))
			src, _ := tensor.Index(view.Index{view.Span(from, from+n)})
			dst, _ := tensor.Index(view.Index{view.Span(to, to+n)})
			if err := view.Copy(t.Context(), dst, src); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(data, want) {
				t.Errorf("shift by %d, up %t: other bytes", shift, up)
			}
		}
	}
}

// Two mappings of one file have different addresses and the same bytes.
func TestCopyBetweenMappingsOfOneFile(t *testing.T) {
	data := make([]byte, 4096)
	for i := range data {
		data[i] = byte(i * 3)
	}
	first := mapTempFile(t, data, mmapstore.Shared)
	second, err := mmapstore.Map(first.Path(), 64, 1024, mmapstore.Shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	dst := newTensor(t, first, dtype.Uint8, mustMake(t, []int{1000}, []int{1}, 64))
	src := newTensor(t, second, dtype.Uint8, mustMake(t, []int{1000}, []int{-1}, 999))
	want := slices.Clone(data[64:1064])
	slices.Reverse(want)
	if err := view.Copy(t.Context(), dst, src); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1000)
	if _, err := dst.Reader().ReadAt(got, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the reversal read what it had written")
	}
}

// What a private mapping holds differs from its file, although both have the same place.
func TestCopyFromPrivateMappingToItsFile(t *testing.T) {
	shared := mapTempFile(t, make([]byte, 4096), mmapstore.Shared)
	private, err := mmapstore.Map(shared.Path(), 0, -1, mmapstore.Private, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := mustMake(t, []int{4096}, []int{1}, 0)
	src := newTensor(t, private, dtype.Uint8, l)
	dst := newTensor(t, shared, dtype.Uint8, l)
	if err := errors.Join(src.Set(dtype.ScalarOf(uint8(9)), 5), view.Copy(t.Context(), dst, src), shared.Flush(0, 4096)); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(shared.Path())
	if err != nil {
		t.Fatal(err)
	}
	if file[5] != 9 {
		t.Error("the private change was not copied")
	}
}

func TestCopyBroadcasts(t *testing.T) {
	tests := []struct {
		name     string
		dst, src []int
		want     []int32
		err      string
	}{
		{"scalar", []int{2, 3}, nil, []int32{0, 0, 0, 0, 0, 0}, ""},
		{"row", []int{2, 3}, []int{3}, []int32{0, 1, 2, 0, 1, 2}, ""},
		{"column", []int{2, 3}, []int{2, 1}, []int32{0, 0, 0, 1, 1, 1}, ""},
		{"leading ones", []int{3}, []int{1, 1, 3}, []int32{0, 1, 2}, ""},
		{"to nothing", []int{0, 3}, []int{3}, []int32{}, ""},
		{"one to nothing", []int{0}, []int{1}, []int32{}, ""},
		{"wrong size", []int{2, 3}, []int{2}, nil, "broadcast: shape (2,) does not fit shape (2, 3)"},
		{"too many axes", []int{3}, []int{2, 3}, nil, "broadcast: shape (2, 3) does not fit shape (3,)"},
		{"nothing to one", []int{1}, []int{0}, nil, "broadcast: shape (0,) does not fit shape (1,)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src, srcData := packedTensor(t, tt.src, dtype.Int32)
			for i := range len(srcData) / 4 {
				srcData[4*i] = byte(i)
			}
			dst, dstData := packedTensor(t, tt.dst, dtype.Int32)
			err := view.Copy(t.Context(), dst, src)
			checkError(t, err, tt.err)
			var shape *view.ShapeError
			if errors.As(err, &shape) != (tt.err != "") {
				t.Errorf("%v: expected a ShapeError only for shapes that do not fit", err)
			}
			for i, want := range tt.want {
				if got := dtype.Load(dtype.Int32, dstData[4*i:]); got != dtype.ScalarOf(want) {
					t.Errorf("element %d is %v, expected %v", i, got, want)
				}
			}
		})
	}
}

func TestCopyRefusesRepeatedDestination(t *testing.T) {
	f := newFixture(t, tensortest.Layout{Shape: []int{3, 4}, Strides: []int{0, 1}, Span: 4}, dtype.Int32)
	err := view.Copy(t.Context(), f.Tensor, f.Tensor)
	checkError(t, err, "axis 0 shows one element 3 times")
	checkRepeats(t, err)
}

// Sizes around the tiles of a transposing move, for every element size.
func TestCopyTransposes(t *testing.T) {
	for _, dt := range sizedTypes {
		for _, shape := range [][]int{{1, 300}, {7, 9}, {8, 8}, {127, 129}, {128, 128}, {130, 264}, {3, 70, 90}} {
			t.Run(fmt.Sprintf("%s/%v", dt, shape), func(t *testing.T) {
				strides := make([]int, len(shape))
				step := 1
				for i, n := range shape {
					strides[i] = step
					step *= n
				}
				f := newFixture(t, tensortest.Layout{Shape: shape, Strides: strides, Span: step}, dt)
				dst, data := packedTensor(t, shape, dt)
				if err := view.Copy(t.Context(), dst, f.Tensor); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(data, f.packed()) {
					t.Error("other bytes")
				}
			})
		}
	}
}

func TestFillSweep(t *testing.T) {
	sweep(t, func(t *testing.T, c tensortest.Layout, dt dtype.Type) {
		f := newFixture(t, c, dt)
		before := slices.Clone(f.bytes)
		err := view.Fill(t.Context(), f.Tensor, dtype.ScalarOf(7.0))
		if c.Repeats {
			checkRepeats(t, err)
			if !bytes.Equal(f.bytes, before) {
				t.Error("bytes were written")
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want := make([]byte, dt.Size())
		dtype.ScalarOf(int8(7)).Convert(dt).Store(want)
		if !bytes.Equal(f.packed(), bytes.Repeat(want, len(f.pos))) {
			t.Error("other bytes")
		}
		checkOutside(t, f, before)
	})
}

func TestEqual(t *testing.T) {
	f32 := func(shape []int, values ...float32) *view.Tensor {
		tensor, err := view.FromSlice(values, shape...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tensor.Close() })
		return tensor
	}
	ints, err := view.FromSlice([]int32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	defer ints.Close()
	nan := float32(math.NaN())
	tests := []struct {
		name string
		a, b *view.Tensor
		want bool
	}{
		{"same", f32([]int{2}, 1, 2), f32([]int{2}, 1, 2), true},
		{"last differs", f32([]int{3}, 1, 2, 3), f32([]int{3}, 1, 2, 4), false},
		{"other strides", f32([]int{2, 2}, 1, 2, 3, 4), f32([]int{2, 2}, 1, 3, 2, 4).Transpose(), true},
		{"other shape", f32([]int{2, 1}, 1, 2), f32([]int{2}, 1, 2), false},
		{"other type", f32([]int{2}, 1, 2), ints, false},
		{"NaN", f32([]int{1}, nan), f32([]int{1}, nan), true},
		{"signs of 0", f32([]int{1}, 0), f32([]int{1}, float32(math.Copysign(0, -1))), false},
		{"empty", f32([]int{0}), f32([]int{0}), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := view.Equal(t.Context(), tt.a, tt.b)
			if err != nil || got != tt.want {
				t.Errorf("Equal is %t, %v; expected %t", got, err, tt.want)
			}
		})
	}
}
