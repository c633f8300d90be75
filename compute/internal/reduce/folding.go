package reduce

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A lowering adds what reductions do to the program of a Folding.
type lowering struct {
	*Folding
	values []int // of the outputs
}

// reducer adds the folds of a reduction: that of its elements, and that which counts them. It
// returns what there is no fold for.
func (l *lowering) reducer(z *reducer) (why string) {
	op, ok := foldOf(z.Op)
	switch {
	case !ok:
		return z.Op.String()
	case z.Op == Prod && z.Type.Kind() != dtype.KindBool && z.Type.Kind() != dtype.KindInt && z.Type.Kind() != dtype.KindUint:
		return "products of " + z.Type.String() + ", which have exponents of their own"
	case z.lanes == 1:
		return z.Op.String() + " of " + z.Type.String()
	}
	if t := l.Program.TypeOf(l.values[z.Value]); t != register(z.Type) {
		return fmt.Sprintf("%v of %v as %v", z.Op, z.Type, t)
	}
	if z.Mask < 0 {
		l.Program.Folds = append(l.Program.Folds, jit.Fold{Op: op, Value: l.prepared(z, l.values[z.Value])})
		return ""
	}

	// Elements left out are replaced, as the CPU does it, and the others counted. A scalar changes
	// the numbers of values.
	instead := l.scalar(z.identity)
	v, mask := l.prepared(z, l.values[z.Value]), l.values[z.Mask]
	t := l.Program.TypeOf(v)
	v = l.op(jit.Op{Op: kernel.Where, Operand: t, Result: t, Args: [3]int{mask, v, instead}})
	l.Program.Folds = append(l.Program.Folds, jit.Fold{Op: op, Value: v}, jit.Fold{Op: kernel.FoldSum, Value: mask})
	return ""
}

// foldOf returns what op does to elements after its steps, if that is one fold.
func foldOf(op Op) (f kernel.FoldOp, ok bool) {
	switch op {
	case SumAbs:
		op = Sum
	case MinAbs:
		op = Min
	case MaxAbs:
		op = Max
	}
	f, ok = folds[op]
	return f, ok
}

// prepared adds the steps of z, and returns the value that they make.
func (l *lowering) prepared(z *reducer, v int) int {
	t := l.Program.TypeOf(v)
	to := stepType(z.Op, t)
	switch {
	case isAbsolute(z.Op, t):
		return l.op(jit.Op{Op: kernel.Abs, Operand: t, Result: to, Args: [3]int{v}})
	case to != t:
		return l.op(jit.Op{Operand: t, Result: to, Args: [3]int{v}})
	}
	return v
}

// op adds an operation and returns the number of its value.
func (l *lowering) op(o jit.Op) int {
	p := l.Program
	p.Ops = append(p.Ops, o)
	return len(p.Inputs) + len(p.Scalars) + len(p.Ops) - 1
}

// scalar adds a scalar and returns its number. Those of operations become greater by one.
func (l *lowering) scalar(s dtype.Scalar) int {
	p := l.Program
	at := len(p.Inputs) + len(p.Scalars)
	p.Scalars, l.Constants = append(p.Scalars, s.Type()), append(l.Constants, s)
	shift := func(v *int) {
		if *v >= at {
			*v++
		}
	}
	for i := range p.Ops {
		for k := range p.Ops[i].Args {
			shift(&p.Ops[i].Args[k])
		}
	}
	for i := range p.Folds {
		shift(&p.Folds[i].Value)
	}
	for i := range l.values {
		shift(&l.values[i])
	}
	return at
}

// foldSizes returns the bytes of the accumulators of the folds of z.
func (z *reducer) foldSizes() (sizes []FoldSize) {
	switch a := z.accumulator.(type) {
	case *sum:
		size := FoldSize{Sum: a.comps * 8}
		if a.elem == 8 {
			size.Lost = a.comps * 8
		}
		sizes = append(sizes, size)
	case *folded:
		sizes = append(sizes, FoldSize{Sum: a.accSize()})
	}
	if z.counted {
		sizes = append(sizes, FoldSize{Sum: 8})
	}
	for i := range sizes {
		sizes[i].Lanes = z.lanes
	}
	return sizes
}

// A cell is the accumulators of a fold in a state, and what they have lost.
type cell struct{ sums, lost []byte }

// cells returns those of n results from number first on, of each fold of z.
func (z *reducer) cells(all []cell, s *state, first, n int) []cell {
	for k, size := range z.foldSizes() {
		var c cell
		switch {
		case z.counted && k == 1:
			c.sums = unsafe.Slice((*byte)(unsafe.Pointer(&s.n[first])), n*8)
		default:
			c.sums = unsafe.Slice((*byte)(unsafe.Add(at(s.x, 0), first*size.Sum)), n*size.Sum)
			if size.Lost > 0 {
				c.lost = unsafe.Slice((*byte)(unsafe.Add(at(s.y, 0), first*size.Lost)), n*size.Lost)
			}
		}
		all = append(all, c)
	}
	return all
}
