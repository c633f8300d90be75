package scan_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/compute/internal/scan"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
)

var long = flag.Bool("long", false, "run the sweeps whole, not in steps")

// scanned returns the running results along an axis of elements of type t, in C order.
func scanned(t *testing.T, op reduce.Op, typ dtype.Type, l tensortest.Layout, data []byte, axis, workers int) []byte {
	t.Helper()
	out := dtype.ResultForSum(typ)
	var b machine.Builder
	v := b.Input(typ)
	element := typ
	if typ.Kind() == dtype.KindFloat && typ.Size() < 4 {
		element = dtype.Float32
	}
	b.Output(b.Convert(v, element))
	strides := slices.Clone(l.Strides)
	for i := range strides {
		strides[i] *= typ.Size()
	}
	results := tensortest.Buffer(l.NumElems()*out.Size(), 0)
	outStrides, step := make([]int, len(l.Shape)), out.Size()
	for axis := len(l.Shape) - 1; axis >= 0; axis-- {
		outStrides[axis] = step
		step *= l.Shape[axis]
	}
	s, err := scan.New(scan.Spec{
		Op: op, Type: out, Shape: l.Shape, Axis: axis, Program: b.Program(), Element: element,
		Inputs:  []exec.Operand{{Base: unsafe.Add(unsafe.Pointer(&data[0]), l.Offset*typ.Size()*min(1, l.NumElems()))}},
		Layouts: []plan.Operand{{Strides: strides, ElemSize: typ.Size()}},
		Out:     exec.Operand{Base: unsafe.Pointer(unsafe.SliceData(results))},
		OutAt:   plan.Operand{Strides: outStrides, ElemSize: out.Size()},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range s.Jobs() {
		if err := exec.Run(context.Background(), job, exec.Options{Parallelism: workers}); err != nil {
			t.Fatal(err)
		}
	}
	return results
}

// reference goes through the elements of each line, one at a time. Integers wrap.
func reference(op reduce.Op, typ dtype.Type, l tensortest.Layout, data []byte, axis int) []complex128 {
	positions := l.Positions()
	want := make([]complex128, len(positions))
	inner := 1
	for _, size := range l.Shape[axis+1:] {
		inner *= size
	}
	wrapped := make([]uint64, len(positions))
	out := dtype.ResultForSum(typ)
	whole := out.Kind() == dtype.KindInt || out.Kind() == dtype.KindUint
	for i, p := range positions {
		x := dtype.Load(typ, data[p*typ.Size():])
		first := i/inner%l.Shape[axis] == 0
		if whole {
			v := x.Convert(dtype.Uint64).Any().(uint64)
			switch {
			case first:
				wrapped[i] = v
			case op == reduce.Prod:
				wrapped[i] = wrapped[i-inner] * v
			default:
				wrapped[i] = wrapped[i-inner] + v
			}
			want[i] = dtype.ScalarOf(wrapped[i]).Convert(out).Complex128()
			continue
		}
		v := x.Complex128()
		switch {
		case first:
			want[i] = v
		case op == reduce.Prod:
			want[i] = want[i-inner] * v
		default:
			want[i] = want[i-inner] + v
		}
	}
	return want
}

func fill(r *rand.Rand, t dtype.Type, n int) []byte {
	data := tensortest.Buffer(max(n, 1)*t.Size(), 0)
	for i := 0; i < len(data); i += t.Size() {
		x := complex(float64(r.IntN(9)-4)/4, float64(r.IntN(9)-4)/4)
		if t.Kind() != dtype.KindFloat && t.Kind() != dtype.KindComplex {
			x = complex(float64(r.IntN(200)-50), 0)
		}
		dtype.ScalarOf(x).Convert(t).Store(data[i : i+t.Size()])
	}
	return data
}

func compare(t *testing.T, op reduce.Op, typ dtype.Type, l tensortest.Layout, data []byte, axis int) {
	t.Helper()
	want := reference(op, typ, l, data, axis)
	got := scanned(t, op, typ, l, data, axis, 1)
	out := dtype.ResultForSum(typ)
	limit := map[int]float64{1: 0.5, 2: 0x1p-7, 4: 0x1p-22, 8: 0x1p-22, 16: 0x1p-44}[out.Size()]
	if out == dtype.Float64 {
		limit = 0x1p-44
	}
	for i, w := range want {
		if out.Kind() == dtype.KindFloat || out.Kind() == dtype.KindComplex {
			w = dtype.ScalarOf(w).Convert(out).Complex128()
		}
		g := dtype.Load(out, got[i*out.Size():]).Complex128()
		if g == w || cmplx.Abs(g-w) <= limit*(1+cmplx.Abs(w)) || cmplx.IsNaN(g) && cmplx.IsNaN(w) || out.Size() == 1 && math.Abs(real(w)) > 200 {
			continue
		}
		t.Fatalf("%v of %v along axis %d of %v: element %d is %v, want %v", op, typ, axis, l.Shape, i, g, w)
	}
	for _, workers := range []int{2, 7} {
		if again := scanned(t, op, typ, l, data, axis, workers); !bytes.Equal(got, again) {
			t.Fatalf("%v of %v along axis %d of %v: %d workers give other bits", op, typ, axis, l.Shape, workers)
		}
	}
}

func TestLayouts(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	types := dtype.All()
	for _, l := range tensortest.Layouts() {
		t.Run(l.Name, func(t *testing.T) {
			for axis := range l.Shape {
				for range 3 {
					typ := types[r.IntN(len(types))]
					data := fill(r, typ, l.Span)
					compare(t, reduce.Sum, typ, l, data, axis)
					compare(t, reduce.Prod, typ, l, data, axis)
				}
			}
		})
	}
}

// TestParts scans lines and columns that are cut into parts.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	for _, test := range []struct {
		typ   dtype.Type
		shape []int
		axis  int
	}{
		{dtype.Float64, []int{600_000}, 0},
		{dtype.Complex128, []int{2, 300_001}, 1},
		{dtype.Int8, []int{17_000, 260}, 0},
		{dtype.Float32, []int{3, 20_000, 8}, 1},
		{dtype.Float64, []int{5, 270_001}, 0},
		{dtype.Float64, []int{2, 1500, 400}, 1},
	} {
		if !*long && test.typ == dtype.Int8 {
			continue
		}
		t.Run(fmt.Sprintf("%v/%v", test.typ, test.shape), func(t *testing.T) {
			l := tensortest.Layout{Shape: test.shape, Strides: make([]int, len(test.shape)), Span: 1}
			for axis := len(test.shape) - 1; axis >= 0; axis-- {
				l.Strides[axis] = l.Span
				l.Span *= test.shape[axis]
			}
			compare(t, reduce.Sum, test.typ, l, fill(r, test.typ, l.Span), test.axis)
		})
	}
}

// TestFirstElement checks that the first element of a line is taken as it is, also where lines are cut into parts: of sums of
// -0 nothing but -0 is left, and a product with 1 makes NaN of the part beside an infinite one.
func TestFirstElement(t *testing.T) {
	minus := math.Copysign(0, -1)
	for _, test := range []struct {
		shape []int
		axis  int
	}{
		{[]int{3}, 0}, {[]int{300_001}, 0}, {[]int{2, 300_001}, 1}, {[]int{3000, 200}, 0}, {[]int{700, 1000}, 0}, {[]int{2, 3, 5}, 1},
	} {
		t.Run(fmt.Sprint(test.shape), func(t *testing.T) {
			l := tensortest.Layout{Shape: test.shape, Strides: make([]int, len(test.shape)), Span: 1}
			for axis := len(test.shape) - 1; axis >= 0; axis-- {
				l.Strides[axis] = l.Span
				l.Span *= test.shape[axis]
			}
			for op, x := range map[reduce.Op]complex128{reduce.Sum: complex(minus, minus), reduce.Prod: complex(math.Inf(1), 1)} {
				var want [16]byte
				dtype.ScalarOf(x).Store(want[:])
				got := scanned(t, op, dtype.Complex128, l, bytes.Repeat(want[:], l.Span), test.axis, 3)
				for i := range l.Span {
					first := i/l.Strides[test.axis]%test.shape[test.axis] == 0
					if (first || op == reduce.Sum) && !bytes.Equal(got[16*i:16*i+16], want[:]) {
						t.Fatalf("%v: element %d is %v, want %v", op, i, dtype.Load(dtype.Complex128, got[16*i:]), x)
					}
				}
			}
		})
	}
}

// TestInfinity checks that a sum which has overflowed stays infinite.
func TestInfinity(t *testing.T) {
	data := make([]byte, 0, 32)
	for _, x := range []float64{1e308, 1e308, 1, -1e308} {
		var b [8]byte
		dtype.ScalarOf(x).Store(b[:])
		data = append(data, b[:]...)
	}
	l := tensortest.Layout{Shape: []int{4}, Strides: []int{1}, Span: 4}
	got := scanned(t, reduce.Sum, dtype.Float64, l, data, 0, 1)
	for i, want := range []float64{1e308, math.Inf(1), math.Inf(1), math.Inf(1)} {
		if g := dtype.Load(dtype.Float64, got[i*8:]).Float64(); g != want {
			t.Errorf("element %d is %v, want %v", i, g, want)
		}
	}
}

func TestOtherOps(t *testing.T) {
	if _, err := scan.New(scan.Spec{Op: reduce.Max}); err == nil {
		t.Error("a running maximum is no error")
	}
}
