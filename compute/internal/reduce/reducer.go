package reduce

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A Reduction is one of the results that an Engine computes.
type Reduction struct {
	Op Op
	// Type is the type of the elements as ResultType takes it. Those of float16, bfloat16 and
	// float8 are in memory or rounded to it, but come as float32.
	Type dtype.Type
	// Value is the output of the program that is reduced.
	Value int
	// Mask is the output of the program, of bools, that says which elements take part, or -1 if all
	// do.
	Mask int
	// DDof is subtracted from the number of elements in Var and Std.
	DDof float64
	// Initial is multiplied into each Prod of floats or complex numbers before that is rounded, if
	// it is valid.
	Initial dtype.Scalar
	// NoDegrees makes Var and Std NaN, not infinite, where no more than DDof elements take part.
	NoDegrees bool
	// Out is where the results go, in C order of the axes that are kept, elements of ResultType.
	// Its address is aligned to them.
	Out []byte
}

// A reducer is a Reduction made ready: what is done to the elements of a block, and the accumulator
// for the results.
type reducer struct {
	*Reduction
	accumulator
	steps    []conversion
	lanes    int  // columns as which a run of elements that go to one result is reduced
	size     int  // bytes of an element after the steps
	counted  bool // whether results count their elements
	where    kernel.Func
	identity dtype.Scalar // in place of elements masked out
}

// A conversion is a kernel that makes elements of another size, or of the same.
type conversion struct {
	fn       kernel.Func
	from, to int // bytes of an element
}

// register returns the type in which elements of type t are computed with.
func register(t dtype.Type) dtype.Type {
	switch t {
	case dtype.Float16, dtype.BFloat16, dtype.Float8E4M3FN, dtype.Float8E5M2:
		return dtype.Float32
	}
	return t
}

// newReducer makes r ready. ordered says that elements come in the order of their indexes.
func newReducer(r *Reduction, ordered bool) (*reducer, error) {
	out := ResultType(r.Op, r.Type)
	if out == dtype.Invalid {
		return nil, fmt.Errorf("%v of %v elements means nothing", r.Op, r.Type)
	}
	z := &reducer{Reduction: r, counted: r.Mask >= 0}

	t := z.prepare(register(r.Type))
	z.size, z.lanes = t.Size(), lanes(r.Op, t)
	masked := true

	switch r.Op {
	case Sum, Mean, SumSquares, Norm, SumAbs:
		if t.Kind() == dtype.KindFloat || t.Kind() == dtype.KindComplex {
			z.accumulator = newSum(r.Op, t, out)
		} else {
			z.accumulator = newFolded(r.Op, t, out)
		}
	case Var, Std:
		z.accumulator, masked, z.counted = newVariance(r, t, out), false, false
	case ArgMin, ArgMax:
		z.accumulator, masked, z.counted = newArg(r.Op, t, ordered), false, false
	case LogSumExp:
		z.accumulator = newLogSumExp(out)
	case Prod:
		z.accumulator = newProd(t, out, r.Initial)
	default:
		z.accumulator = newFolded(r.Op, t, out)
	}

	if r.Mask >= 0 && masked {
		const lastScalar kernel.Form = 1 << 2
		z.where, z.identity = kernel.Lookup(kernel.Where, t, lastScalar), identity(r.Op, t)
		if r.Op == LogSumExp {
			z.identity = extreme(t, -1)
		}
	}

	return z, nil
}

// prepare adds the steps that the elements need first, and returns the type that they then have.
func (z *reducer) prepare(t dtype.Type) dtype.Type {
	to := stepType(z.Op, t)
	switch {
	case isAbsolute(z.Op, t):
		z.steps = append(z.steps, conversion{kernel.Lookup(kernel.Abs, t, 0), t.Size(), to.Size()})
	case to != t:
		z.steps = append(z.steps, conversion{kernel.Convert(t, to), t.Size(), to.Size()})
	}
	return to
}

// stepType returns the type that elements of type t have after the steps of op.
func stepType(op Op, t dtype.Type) dtype.Type {
	switch op {
	case Any, All, CountNonzero:
		return dtype.Bool
	case Mean, Var, Std, SumSquares, Norm:
		return inexact(t)
	case LogSumExp:
		return dtype.Float64
	case SumAbs, MaxAbs, MinAbs:
		return t.Part()
	}
	return t
}

// isAbsolute reports whether op takes the absolute values of elements of type t.
func isAbsolute(op Op, t dtype.Type) bool {
	return (op == SumAbs || op == MaxAbs || op == MinAbs) && t != dtype.Bool && t.Kind() != dtype.KindUint
}

// lanes returns how many columns a run of elements is reduced as: as many as kernels keep in
// registers.
func lanes(op Op, t dtype.Type) int {
	switch op {
	case Min, Max, FMin, FMax, ArgMin, ArgMax, MaxAbs, MinAbs:
		if t.Kind() == dtype.KindComplex {
			return 1 // the first NaN is the result
		}
		return 128 / t.Size()
	case LogSumExp:
		return 128 // a kernel call for each row of them
	}
	return min(32, 128/t.Size())
}

// goesOn reports whether rows that are taken one by one share their lanes. A variance reads the
// first elements of its lanes twice, and merging lanes takes long.
func (z *reducer) goesOn() bool { return z.Op == Var || z.Op == Std || z.Op == LogSumExp }

func (z *reducer) newState(n int) *state {
	s := z.accumulator.newState(n)
	if z.counted {
		s.n = make([]int64, n)
	}
	return s
}

func (z *reducer) reset(s *state, n int) {
	z.accumulator.reset(s, n)
	if z.counted {
		clear(s.n[:n])
	}
}

func (z *reducer) add(w *scratch, s *state, first int, b *block) {
	if b.mask != nil && z.where != nil {
		if z.counted {
			count(s.n[first:], b)
		}
		var element [16]byte
		z.identity.Store(element[:z.size])
		c := b.replaced(z.where, unsafe.Pointer(&element), w.get(useReplaced, b.rows*b.cols*z.size), z.size)
		b = &c
	}
	z.accumulator.add(w, s, first, b)
}

// prepared returns b after the steps.
func (z *reducer) prepared(w *scratch, b block) block {
	for i, step := range z.steps {
		b = b.apply(step.fn, w.get(useConverted+use(i), b.rows*b.cols*step.to), step.from, step.to)
	}
	return b
}

func (z *reducer) merge(dst *state, first int, src *state, from, n int) {
	z.accumulator.merge(dst, first, src, from, n)
	if z.counted {
		for i, c := range src.n[from : from+n] {
			dst.n[first+i] += c
		}
	}
}

// check returns an error if one of the first n results needs an element and has seen none.
func (z *reducer) check(s *state, n int) error {
	if z.Mask < 0 || !z.Op.NeedsElement() {
		return nil
	}
	for i := range n {
		empty := z.counted && s.n[i] == 0

		switch z.Op {
		case ArgMin, ArgMax:
			empty = int64(s.y[i]) < 0
		case FMin, FMax:
			empty = empty && register(z.Type).Kind() != dtype.KindFloat && register(z.Type).Kind() != dtype.KindComplex
		}

		if empty {
			return fmt.Errorf("%v of no elements has no result: all that are reduced together are NaN or left out", z.Op)
		}
	}
	return nil
}
