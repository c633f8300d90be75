package reduce_test

import (
	"bytes"
	"context"
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
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
)

// A operand is elements in some layout, and which of them take part.
type operand struct {
	typ    dtype.Type
	layout tensortest.Layout
	data   []byte
	mask   []byte // in C order; nil: all take part
}

// newOperand fills a layout with elements of type t, of which some are special if so asked.
func newOperand(r *rand.Rand, t dtype.Type, l tensortest.Layout, special bool) *operand {
	o := &operand{typ: t, layout: l, data: tensortest.Buffer(max(l.Span, 1)*t.Size(), l.Skew)}
	for i := 0; i < len(o.data); i += t.Size() {
		randomElement(r, t, special).Store(o.data[i : i+t.Size()])
	}
	return o
}

func randomElement(r *rand.Rand, t dtype.Type, special bool) dtype.Scalar {
	part := func() float64 {
		if special && r.IntN(50) == 0 {
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)}[r.IntN(5)]
		}
		if r.IntN(3) == 0 {
			return float64(r.IntN(4) - 1)
		}
		return float64(r.IntN(1<<24)-1<<23) / (1 << 22) // and not NormFloat64, whose bits depend on the processor
	}
	switch t.Kind() {
	case dtype.KindBool:
		return dtype.ScalarOf(r.IntN(3) > 0)
	case dtype.KindInt, dtype.KindUint:
		if special {
			return dtype.ScalarOf(r.Uint64()).Convert(t)
		}
		return dtype.ScalarOf(int64(r.IntN(5))).Convert(t)
	}
	return dtype.ScalarOf(complex(part(), part())).Convert(t)
}

// spec returns the reductions of o over some axes, and their results.
func (o *operand) spec(axes []int, ops []reduce.Op, ddof float64) (reduce.Spec, [][]byte) {
	t, l := o.typ, o.layout
	var b machine.Builder
	v := b.Input(t)
	if t != register(t) {
		v = b.Convert(v, register(t))
	}
	value, mask := b.Output(v), -1
	s := reduce.Spec{
		Shape: l.Shape, Axes: axes,
		Inputs:  []exec.Operand{{Base: unsafe.Add(unsafe.Pointer(&o.data[0]), l.Offset*t.Size()*min(1, l.NumElems()))}},
		Layouts: []plan.Operand{{Strides: scaled(l.Strides, t.Size()), ElemSize: t.Size()}},
	}
	if l.NumElems() == 0 {
		s.Inputs[0].Base = nil
	}
	if o.mask != nil {
		mask = b.Output(b.Input(dtype.Bool))
		s.Inputs = append(s.Inputs, exec.Operand{Base: unsafe.Pointer(unsafe.SliceData(o.mask))})
		s.Layouts = append(s.Layouts, plan.Operand{Strides: contiguous(l.Shape), ElemSize: 1})
	}
	s.Program = b.Program()
	outputs := 1
	for axis, size := range l.Shape {
		if !slices.Contains(axes, axis) {
			outputs *= size
		}
	}
	var results [][]byte
	for _, op := range ops {
		out := tensortest.Buffer(outputs*reduce.ResultType(op, t).Size(), 0)
		results = append(results, out)
		s.Reductions = append(s.Reductions, reduce.Reduction{Op: op, Type: t, Value: value, Mask: mask, DDof: ddof, Out: out})
	}
	return s, results
}

func register(t dtype.Type) dtype.Type {
	switch t {
	case dtype.Float16, dtype.BFloat16, dtype.Float8E4M3FN, dtype.Float8E5M2:
		return dtype.Float32
	}
	return t
}

func scaled(s []int, by int) []int {
	s = slices.Clone(s)
	for i := range s {
		s[i] *= by
	}
	return s
}

func contiguous(shape []int) []int {
	strides, step := make([]int, len(shape)), 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = step
		step *= shape[axis]
	}
	return strides
}

func run(s reduce.Spec, workers int) error {
	e, err := reduce.New(s)
	if err != nil {
		return err
	}
	return exec.Run(context.Background(), e, exec.Options{Parallelism: workers})
}

// results returns which result each element goes to, in C order, and how many there are.
func (o *operand) results(axes []int) (of []int, n int) {
	of, n = []int{0}, 1
	for axis, size := range slices.Backward(o.layout.Shape) {
		inner, step := of, 0
		if !slices.Contains(axes, axis) {
			step = n
			n *= size
		}
		of = make([]int, 0, len(inner)*size)
		for i := range size {
			for _, result := range inner {
				of = append(of, result+i*step)
			}
		}
	}
	return of, n
}

// groups returns the elements that go to each result, in C order.
func (o *operand) groups(axes []int) [][]dtype.Scalar {
	of, n := o.results(axes)
	groups := make([][]dtype.Scalar, n)
	for i, p := range o.layout.Positions() {
		if o.mask == nil || o.mask[i] != 0 {
			groups[of[i]] = append(groups[of[i]], dtype.Load(o.typ, o.data[p*o.typ.Size():]))
		}
	}
	return groups
}

// indexes turns the index of an element among those that take part into one among all of its group.
func (o *operand) indexes(axes []int) [][]int64 {
	of, n := o.results(axes)
	indexes, seen := make([][]int64, n), make([]int64, n)
	for i, result := range of {
		if o.mask == nil || o.mask[i] != 0 {
			indexes[result] = append(indexes[result], seen[result])
		}
		seen[result]++
	}
	return indexes
}

var allOps = func() (ops []reduce.Op) {
	for op := reduce.Sum; op < reduce.NumOps; op++ {
		ops = append(ops, op)
	}
	return ops
}()

// subsets returns all sets of axes.
func subsets(rank int) [][]int {
	var all [][]int
	for bits := range 1 << min(rank, 4) {
		var axes []int
		for axis := range rank {
			if bits>>(axis%4)&1 == 1 {
				axes = append(axes, axis)
			}
		}
		all = append(all, axes)
	}
	return all
}

// TestLayouts checks every reduction over all layouts and axes, each type on some of them.
func TestLayouts(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	types, times := dtype.All(), 4
	if !*long {
		times = 1
	}
	for _, l := range tensortest.Layouts() {
		t.Run(l.Name, func(t *testing.T) {
			for _, axes := range subsets(len(l.Shape)) {
				for range times {
					typ := types[r.IntN(len(types))]
					o := newOperand(r, typ, l, r.IntN(2) == 0)
					if r.IntN(3) == 0 {
						o.mask = make([]byte, l.NumElems())
						for i := range o.mask {
							o.mask[i] = byte(r.IntN(5) / 2 % 2)
						}
					}
					check(t, o, axes, meaning(typ))
				}
			}
		})
	}
}

// meaning returns the reductions that typ has.
func meaning(typ dtype.Type) (ops []reduce.Op) {
	for _, op := range allOps {
		if reduce.ResultType(op, typ) != dtype.Invalid {
			ops = append(ops, op)
		}
	}
	return ops
}

// check compares each reduction by itself with the reference, and with all of them in one pass, by
// several workers.
func check(t *testing.T, o *operand, axes []int, ops []reduce.Op) {
	t.Helper()
	l := o.layout
	groups, indexes := o.groups(axes), o.indexes(axes)
	together, alone := []reduce.Op(nil), map[reduce.Op][]byte{}
	for _, op := range ops {
		s, results := o.spec(axes, []reduce.Op{op}, 1)
		err := run(s, 1)
		name := fmt.Sprintf("%v of %v, axes %v of %v, mask %t", op, o.typ, axes, l.Shape, o.mask != nil)
		wantErr := false
		for i, g := range groups {
			want, ok := reference(op, o.typ, g, 1)
			if !ok && o.mask != nil && l.NumElems() > 0 && (op == reduce.FMin || op == reduce.FMax) && (o.typ.Kind() == dtype.KindFloat || o.typ.Kind() == dtype.KindComplex) {
				want, ok = dtype.ScalarOf(math.NaN()).Convert(o.typ), true
			}
			if !ok {
				wantErr = true
				continue
			}
			if err != nil {
				continue
			}
			if op == reduce.ArgMin || op == reduce.ArgMax {
				k, _ := want.Int64()
				want = dtype.ScalarOf(indexes[i][k])
			}
			size := want.Type().Size()
			got := dtype.Load(want.Type(), results[0][i*size:])
			if !near(op, got, want, g) {
				t.Fatalf("%s: result %d of %d elements is %v, want %v", name, i, len(g), got, want)
			}
		}
		if (err != nil) != wantErr {
			t.Fatalf("%s: error %v, want one: %t", name, err, wantErr)
		}
		if err == nil {
			together = append(together, op)
			alone[op] = results[0]
		}
	}
	for _, workers := range []int{1, 2, 3, 7} {
		s, results := o.spec(axes, together, 1)
		if workers == 3 {
			readInputs(t, &s, o)
		}
		if err := run(s, workers); err != nil {
			t.Fatal(err)
		}
		for i, op := range together {
			if !bytes.Equal(results[i], alone[op]) {
				t.Fatalf("%v of %v, axes %v of %v: %d workers give other bits with other reductions", op, o.typ, axes, l.Shape, workers)
			}
		}
	}
}

// readInputs makes the inputs of s ones that are read.
func readInputs(t *testing.T, s *reduce.Spec, o *operand) {
	for k := range s.Inputs {
		base := s.Inputs[k].Base
		data := o.data
		if k == 1 {
			data = o.mask
		}
		s.Inputs[k].Read = func(p []byte, off int) error {
			from := int(uintptr(base)) - int(uintptr(unsafe.Pointer(&data[0]))) + off
			if from < 0 || from+len(p) > len(data) {
				t.Errorf("input %d is read from %d to %d of %d", k, from, from+len(p), len(data))
				return nil
			}
			copy(p, data[from:])
			return nil
		}
	}
}

// precisions are the distances between 1 and the next number.
var precisions = map[dtype.Type]float64{
	dtype.Float8E4M3FN: 0x1p-3, dtype.Float8E5M2: 0x1p-2, dtype.Float16: 0x1p-10, dtype.BFloat16: 0x1p-7,
	dtype.Float32: 0x1p-23, dtype.Float64: 0x1p-52, dtype.Complex64: 0x1p-23, dtype.Complex128: 0x1p-52,
}

// near reports whether a result is as good as its type allows.
func near(op reduce.Op, got, want dtype.Scalar, elems []dtype.Scalar) bool {
	if got == want {
		return true
	}
	g, w := got.Complex128(), want.Complex128()
	switch want.Type().Kind() {
	case dtype.KindFloat:
	case dtype.KindComplex:
	default:
		return false
	}
	if op <= reduce.FMax && op >= reduce.Min {
		return same(real(g), real(w)) && same(imag(g), imag(w)) || isNaN(g) && isNaN(w)
	}
	size := 0.0 // of the terms
	for _, e := range elems {
		a := cmplx.Abs(e.Complex128())
		if op == reduce.SumSquares || op == reduce.Var {
			a *= a
		}
		size += a
	}
	if op == reduce.Prod && (cmplx.IsInf(w) || isNaN(w)) && want.Type().Kind() == dtype.KindComplex {
		return cmplx.IsInf(g) || isNaN(g) // which depends on the order of the products
	}
	if op == reduce.Prod || op == reduce.Mean {
		size = 0
	}
	limit := precisions[want.Type()]*cmplx.Abs(w) + 0x1p-52*0x1p-40*size
	switch op {
	case reduce.Prod:
		limit += 0x1p-52 * float64(len(elems)) * cmplx.Abs(w)
	case reduce.Var, reduce.Std, reduce.LogSumExp, reduce.MaxAbs, reduce.MinAbs, reduce.SumAbs:
		limit += 0x1p-50 * max(1, cmplx.Abs(w), size/float64(max(1, len(elems))))
	}
	if want.Type().Size() <= 2 {
		limit += 0x1p-9 // denormals
	}
	if want.Type() == dtype.Float8E4M3FN && (math.Abs(real(w)) >= 448 || math.IsNaN(real(w))) {
		return true
	}
	return (same(real(g), real(w)) || math.Abs(real(g)-real(w)) <= limit) && (same(imag(g), imag(w)) || math.Abs(imag(g)-imag(w)) <= limit) ||
		isNaN(g) && isNaN(w)
}

func same(x, y float64) bool { return x == y || x != x && y != y }
