package reduce_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
)

// TestTurned checks that results are the same bits in C order and where one axis, long enough to be
// gone along, lies in runs.
func TestTurned(t *testing.T) {
	t.Parallel()
	const seed = 31
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for i, test := range []struct {
		typ   dtype.Type
		shape []int
		near  int // the axis that lies in runs
		axes  []int
	}{
		{dtype.Float32, []int{260, 1501}, 0, []int{1}},
		{dtype.Float64, []int{130, 1001}, 0, []int{1}},     // too short for lanes
		{dtype.Complex128, []int{16, 17_003}, 0, []int{1}}, // more than a part
		{dtype.Float64, []int{130, 2, 1100}, 0, []int{2}},
		{dtype.Complex128, []int{2, 70, 1030}, 1, []int{2}},
		{dtype.Complex128, []int{3, 70, 1030}, 1, []int{0, 2}},
		{dtype.Complex128, []int{70, 3, 1030}, 0, []int{1, 2}},
		{dtype.Float32, []int{170, 1100}, 0, []int{0}},
		{dtype.Float64, []int{150, 4100}, 0, []int{0, 1}},
		{dtype.Complex128, []int{70, 9001}, 0, []int{0, 1}}, // rows of several parts
		{dtype.Complex128, []int{64, 2, 11_000}, 0, []int{0, 1, 2}},
		{dtype.Complex128, []int{70, 2, 2051}, 0, []int{0, 2}},
		{dtype.Complex128, []int{3, 70, 2051}, 1, []int{0, 1, 2}},
		{dtype.Complex128, []int{70, 3, 2051}, 0, []int{1, 2}},
		{dtype.Complex128, []int{70, 3, 2051}, 1, []int{1, 2}},
	} {
		c := steps(r, test.typ, test.shape)
		o := c.along(test.near)
		for k, ops := range [][]reduce.Op{{reduce.Sum}, {reduce.Var}, {reduce.Mean, reduce.Std, reduce.ArgMax}, {reduce.Norm, reduce.MaxAbs}, {reduce.Min}} {
			if !*long && (i+k)%2 > 0 {
				continue
			}
			got, results := o.spec(test.axes, ops, 0)
			want, wanted := c.spec(test.axes, ops, 0)
			if err := run(got, 2); err != nil {
				t.Fatal(err)
			}
			if err := run(want, 1); err != nil {
				t.Fatal(err)
			}
			for i, op := range ops {
				if !bytes.Equal(results[i], wanted[i]) {
					t.Errorf("%v of %v, %v, axis %d in runs, axes %v: other bits than in C order", op, test.typ, test.shape, test.near, test.axes)
				}
			}
		}
	}
}

// steps returns random elements in C order, of which some rows and columns are far from the others.
func steps(r *rand.Rand, typ dtype.Type, shape []int) *operand {
	o := newOperand(r, typ, packed(shape...), false)
	last := shape[len(shape)-1]
	for i := 0; i < len(o.data); i += typ.Size() {
		at := i / typ.Size()
		if row, col := at/last, at%last; row%7 == 0 && col > last/3 || row > last/2 && col%5 == 0 {
			dtype.ScalarOf(dtype.Load(typ, o.data[i:]).Complex128() + 1e8).Convert(typ).Store(o.data[i : i+typ.Size()])
		}
	}
	return o
}

// along returns the elements of o, which are in C order, with one axis as the innermost in memory.
func (o *operand) along(near int) *operand {
	l := tensortest.Layout{Shape: o.layout.Shape, Strides: make([]int, len(o.layout.Shape)), Span: o.layout.Span}
	l.Strides[near] = 1
	step := l.Shape[near]
	for axis := len(l.Shape) - 1; axis >= 0; axis-- {
		if axis != near {
			l.Strides[axis] = step
			step *= l.Shape[axis]
		}
	}
	size := o.typ.Size()
	turned := &operand{typ: o.typ, layout: l, data: tensortest.Buffer(len(o.data), 0)}
	for i, p := range l.Positions() {
		copy(turned.data[p*size:][:size], o.data[i*size:][:size])
	}
	return turned
}
