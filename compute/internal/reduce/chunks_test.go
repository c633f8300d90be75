package reduce_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
)

// packed returns the layout in C order of a shape.
func packed(shape ...int) tensortest.Layout {
	l := tensortest.Layout{Shape: shape, Strides: contiguous(shape), Span: 1}
	for _, size := range shape {
		l.Span *= size
	}
	return l
}

// TestChunks reduces what is cut into several chunks.
func TestChunks(t *testing.T) {
	t.Parallel()
	const seed = 21
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	step := packed(70_000)
	step.Strides[0], step.Span = 4, 280_000
	back := packed(200, 700)
	back.Strides[1], back.Offset = -1, 699
	for i, test := range []struct {
		name   string
		layout tensortest.Layout
		typ    dtype.Type
		axes   []int
	}{
		{"one axis", packed(100_003), dtype.Float64, []int{0}},
		{"steps of 4", step, dtype.Float32, []int{0}},
		{"rows", packed(150, 701), dtype.Float64, []int{1}},
		{"long rows", packed(3, 40_001), dtype.Float64, []int{1}},
		{"columns", packed(150, 701), dtype.Float64, []int{0}},
		{"backwards", back, dtype.Float64, []int{1}},
		{"few columns", packed(40_001, 3), dtype.Float64, []int{0}},
		{"short rows", packed(15_001, 7), dtype.Float64, []int{1}},
		{"outer and inner", packed(5, 300, 70), dtype.Float64, []int{0, 2}},
		{"middle", packed(5, 300, 70), dtype.Float64, []int{1}},
		{"all of three", packed(5, 300, 70), dtype.Complex64, []int{0, 1, 2}},
		{"float16", packed(400, 300), dtype.Float16, []int{0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := newOperand(r, test.typ, test.layout, false)
			if *long || i%2 == 0 {
				check(t, o, test.axes, []reduce.Op{reduce.Sum, reduce.Std, reduce.ArgMax, reduce.Min, reduce.CountNonzero})
			}
			if !*long && i%2 == 0 {
				return
			}
			o.mask = make([]byte, test.layout.NumElems())
			for i := range o.mask {
				o.mask[i] = byte(r.IntN(3) / 2)
			}
			check(t, o, test.axes, []reduce.Op{reduce.Mean, reduce.Var, reduce.ArgMin})
		})
	}
}

// TestManyColumns reduces rows that are longer than what a chunk has results for.
func TestManyColumns(t *testing.T) {
	const rows, cols = 21, 300_000
	r := rand.New(rand.NewPCG(2, 0))
	o := &operand{typ: dtype.Uint8, layout: packed(rows, cols), data: make([]byte, rows*cols)}
	sums, first := make([]uint64, cols), make([]int64, cols)
	for i := range o.data {
		o.data[i] = byte(r.Uint32())
		col := i % cols
		sums[col] += uint64(o.data[i])
		if o.data[i] > o.data[int(first[col])*cols+col] {
			first[col] = int64(i / cols)
		}
	}
	for _, workers := range []int{1, 3} {
		s, results := o.spec([]int{0}, []reduce.Op{reduce.Sum, reduce.ArgMax}, 0)
		if err := run(s, workers); err != nil {
			t.Fatal(err)
		}
		for col := range cols {
			sum := dtype.Load(dtype.Uint64, results[0][col*8:]).Any().(uint64)
			arg := dtype.Load(dtype.Int64, results[1][col*8:]).Any().(int64)
			if sum != sums[col] || arg != first[col] {
				t.Fatalf("column %d: sum %d, argmax %d, want %d, %d", col, sum, arg, sums[col], first[col])
			}
		}
	}
}

// TestExpression reduces the product of a matrix and the transpose of another, which disagree on
// the contiguous axis.
func TestExpression(t *testing.T) {
	const rows, cols = 300, 1100
	r := rand.New(rand.NewPCG(4, 0))
	x, y := make([]float64, rows*cols), make([]float64, rows*cols)
	for i := range x {
		x[i], y[i] = float64(r.IntN(100)), float64(r.IntN(100))
	}
	for _, axis := range []int{0, 1} {
		want := make([]float64, []int{cols, rows}[axis])
		for i := range rows {
			for j := range cols {
				want[[]int{j, i}[axis]] += x[i*cols+j] * y[j*rows+i]
			}
		}
		var b machine.Builder
		value := b.Output(b.Op(kernel.Mul, b.Input(dtype.Float64), b.Input(dtype.Float64)))
		got := make([]float64, len(want))
		s := reduce.Spec{
			Shape: []int{rows, cols}, Axes: []int{axis}, Program: b.Program(),
			Inputs:     []exec.Operand{{Base: unsafe.Pointer(&x[0])}, {Base: unsafe.Pointer(&y[0])}},
			Layouts:    []plan.Operand{{Strides: []int{cols * 8, 8}, ElemSize: 8}, {Strides: []int{8, rows * 8}, ElemSize: 8}},
			Reductions: []reduce.Reduction{{Op: reduce.Sum, Type: dtype.Float64, Value: value, Mask: -1, Out: unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), len(got)*8)}},
		}
		if err := run(s, 2); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("axis %d: element %d is %v, want %v", axis, i, got[i], want[i])
			}
		}
	}
}

// TestSpecial checks what NumPy makes of values and sizes at the limits.
func TestSpecial(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		op    reduce.Op
		elems []float64
		ddof  float64
		want  float64
	}{
		{reduce.Sum, []float64{1e308, 1e308}, 0, inf},
		{reduce.Sum, []float64{inf, -inf}, 0, nan},
		{reduce.Sum, []float64{1e16, 1, -1e16}, 0, 1},
		{reduce.Sum, nil, 0, 0},
		{reduce.Prod, nil, 0, 1},
		{reduce.Mean, nil, 0, nan},
		{reduce.Var, nil, 0, nan},
		{reduce.LogSumExp, nil, 0, -inf},
		{reduce.LogSumExp, []float64{1000, 1000}, 0, 1000 + math.Ln2},
		{reduce.LogSumExp, []float64{-inf, -inf}, 0, -inf},
		{reduce.LogSumExp, []float64{inf, 1}, 0, inf},
		{reduce.Norm, []float64{3, 4}, 0, 5},
		{reduce.Var, []float64{1, 2}, 2, inf},
		{reduce.Var, []float64{1, 2}, 3, inf},
		{reduce.Var, []float64{1, 1}, 2, nan},
		{reduce.Var, []float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}, 1, 30},
		{reduce.Var, []float64{inf, 1}, 0, nan},
		{reduce.Var, []float64{nan, 1}, 0, nan},
		{reduce.Var, []float64{1e308, nan, -1e308}, 0, nan},
		{reduce.Var, []float64{1e308, -inf, -1e308}, 0, nan},
		{reduce.Var, []float64{1e200, -1e200}, 0, inf},
		{reduce.Var, []float64{math.MaxFloat64, -math.MaxFloat64, 1}, 0, inf},
		{reduce.Var, []float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, 0, 0},
		{reduce.Var, []float64{0, 0x1p512}, 0, 0x1p1022},
		{reduce.Std, []float64{1e200, 1, 2}, 0, inf},
		{reduce.Min, []float64{1, nan, -inf}, 0, nan},
		{reduce.FMin, []float64{1, nan, -inf}, 0, -inf},
		{reduce.FMax, []float64{nan, nan}, 0, nan},
		{reduce.Max, []float64{-inf, -inf}, 0, -inf},
		{reduce.MaxAbs, []float64{1, -3}, 0, 3},
	} {
		o := &operand{typ: dtype.Float64, layout: packed(len(test.elems)), data: make([]byte, 8*max(1, len(test.elems)))}
		for i, x := range test.elems {
			dtype.ScalarOf(x).Store(o.data[i*8:])
		}
		s, results := o.spec([]int{0}, []reduce.Op{test.op}, test.ddof)
		if err := run(s, 1); err != nil {
			t.Errorf("%v of %v: %v", test.op, test.elems, err)
			continue
		}
		if got := dtype.Load(dtype.Float64, results[0]).Float64(); !same(got, test.want) {
			t.Errorf("%v of %v with ddof %v is %v, want %v", test.op, test.elems, test.ddof, got, test.want)
		}
	}
}

// TestErrors checks reductions without a result.
func TestErrors(t *testing.T) {
	empty := &operand{typ: dtype.Float64, layout: packed(0, 3), data: make([]byte, 8)}
	s, _ := empty.spec([]int{0}, []reduce.Op{reduce.Min}, 0)
	if err := run(s, 1); err == nil {
		t.Error("min over an axis of size 0 is no error")
	}
	s, _ = empty.spec([]int{1}, []reduce.Op{reduce.Min}, 0)
	if err := run(s, 1); err != nil {
		t.Errorf("min without results: %v", err)
	}
	masked := &operand{typ: dtype.Int32, layout: packed(2), data: make([]byte, 8), mask: []byte{0, 0}}
	s, _ = masked.spec([]int{0}, []reduce.Op{reduce.Max}, 0)
	if err := run(s, 1); err == nil {
		t.Error("max of what a mask leaves out altogether is no error")
	}
	s, _ = masked.spec([]int{0}, []reduce.Op{reduce.Sum}, 0)
	s.Reductions[0].Op, s.Reductions[0].Type = reduce.LogSumExp, dtype.Complex64
	if err := run(s, 1); err == nil {
		t.Error("logsumexp of complex numbers is no error")
	}
}

// FuzzReduce reduces random operands over random axes.
func FuzzReduce(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(1), uint16(0x35))
	f.Add(uint64(2), uint8(14), uint8(3), uint16(0x123))
	f.Fuzz(func(t *testing.T, seed uint64, typ, axes uint8, sizes uint16) {
		r := rand.New(rand.NewPCG(seed, 1))
		types := dtype.All()
		shape := []int{int(sizes & 15), 1 + int(sizes>>4&15), 1 + int(sizes>>8)*3%300}
		l := packed(shape...)
		for axis, size := range shape {
			if r.IntN(3) == 0 && size > 0 {
				l.Offset += (size - 1) * l.Strides[axis]
				l.Strides[axis] = -l.Strides[axis]
			}
		}
		if k := r.IntN(3); k > 0 {
			l.Shape[0], l.Shape[k] = l.Shape[k], l.Shape[0]
			l.Strides[0], l.Strides[k] = l.Strides[k], l.Strides[0]
		}
		o := newOperand(r, types[int(typ)%len(types)], l, r.IntN(2) == 0)
		if r.IntN(2) == 0 {
			o.mask = make([]byte, l.NumElems())
			for i := range o.mask {
				o.mask[i] = byte(r.IntN(2))
			}
		}
		reduced := subsets(3)[int(axes)%8]
		ops := meaning(o.typ)
		check(t, o, reduced, []reduce.Op{ops[r.IntN(len(ops))], ops[r.IntN(len(ops))]})
	})
}
