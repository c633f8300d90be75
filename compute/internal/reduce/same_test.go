package reduce_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
)

// long runs the sweeps of these tests whole, as make sweeps does. Without it they take steps.
var long = flag.Bool("long", false, "run the sweeps whole, not in steps")

var sameCases = flag.Int("reduce.cases", 30, "random cases of TestSameBits")

// TestSameBits checks that results are the same bits however elements lie: those of the same
// elements in C order.
func TestSameBits(t *testing.T) {
	t.Parallel()
	const seed = 15
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, l := range tensortest.Layouts() {
		all := subsets(len(l.Shape))
		checkSameBits(t, r, l, all[r.IntN(len(all))])
	}
	for range *sameCases {
		l := randomLayout(r)
		all := subsets(len(l.Shape))
		checkSameBits(t, r, l, all[r.IntN(len(all))])
		checkSameBits(t, r, l, all[len(all)-1])
	}
}

// randomLayout puts the axes of a random shape in any order, turned, repeated and with gaps.
func randomLayout(r *rand.Rand) tensortest.Layout {
	sizes := []int{1, 2, 3, 5, 7, 17, 63, 64, 65, 130, 700, 1024, 1500, 4096, 9001, 70_001}
	l := tensortest.Layout{Span: 1, Skew: []int{0, 1, 4}[r.IntN(3)]}
	for elems := 1; len(l.Shape) < 1+r.IntN(4); {
		size := sizes[r.IntN(len(sizes))]
		if elems*size <= 120_000 {
			elems *= size
			l.Shape = append(l.Shape, size)
		}
	}
	l.Strides = make([]int, len(l.Shape))
	step := 1 + r.IntN(5)/3
	for _, axis := range r.Perm(len(l.Shape)) {
		if r.IntN(12) == 0 {
			continue
		}
		l.Strides[axis] = step
		reach := (l.Shape[axis] - 1) * step
		l.Span += reach
		step *= l.Shape[axis]
		step += r.IntN(5) / 4
		if r.IntN(3) == 0 {
			l.Strides[axis] *= -1
			l.Offset += reach
		}
	}
	return l
}

func checkSameBits(t *testing.T, r *rand.Rand, l tensortest.Layout, axes []int) {
	t.Helper()
	types := []dtype.Type{dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128, dtype.Float16, dtype.Int32, dtype.Bool}
	typ := types[r.IntN(len(types))]
	o := newOperand(r, typ, l, r.IntN(3) == 0)
	c := &operand{typ: typ, layout: packed(l.Shape...), data: tensortest.Buffer(max(1, l.NumElems())*typ.Size(), 0)}
	for i, p := range l.Positions() {
		copy(c.data[i*typ.Size():], o.data[p*typ.Size():][:typ.Size()])
	}
	if r.IntN(4) == 0 {
		o.mask = make([]byte, l.NumElems())
		for i := range o.mask {
			o.mask[i] = byte(r.IntN(5) / 2 % 2)
		}
		c.mask = o.mask
	}
	all := meaning(typ)
	for _, ops := range [][]reduce.Op{all, {all[r.IntN(len(all))]}, {reduce.Prod}, {reduce.Std}} {
		name := fmt.Sprintf("%v of %v, axes %v of %v", ops, typ, axes, l)
		got, results := o.spec(axes, ops, 1)
		want, wanted := c.spec(axes, ops, 1)
		errGot, errWant := run(got, 1+r.IntN(3)), run(want, 1+r.IntN(3))
		if (errGot == nil) != (errWant == nil) {
			t.Fatalf("%s: %v, in C order %v", name, errGot, errWant)
		}
		for i, op := range ops {
			if errGot == nil && !bytes.Equal(results[i], wanted[i]) {
				t.Errorf("%v of %s: other bits than in C order", op, name)
			}
		}
	}
}
