package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// folded is the accumulator of the reductions that a fold alone makes: x is the accumulators of the
// fold. They are merged by a fold as well, of elements that are accumulators.
type folded struct {
	op       Op
	fold     kernel.Fold
	combine  kernel.Fold
	elem     int          // bytes of an element
	identity dtype.Scalar // of the type of the accumulators
	out      dtype.Type
}

// newFolded returns the accumulator of Min, Max, FMin and FMax, and of all products and sums that
// are integers. t is the type of the elements: Bool for Any, All and CountNonzero.
func newFolded(op Op, t, out dtype.Type) *folded {
	a := &folded{op: op, elem: t.Size(), out: out}

	fold, wide := kernel.FoldSum, dtype.ResultForSum(t)
	switch op {
	case Prod:
		fold = kernel.FoldProd
	case Min, MinAbs:
		fold, wide = kernel.FoldMin, t
	case Max, MaxAbs:
		fold, wide = kernel.FoldMax, t
	case FMin:
		fold, wide = kernel.FoldFMin, t
	case FMax:
		fold, wide = kernel.FoldFMax, t
	}

	a.fold, a.combine = kernel.LookupFold(fold, t), kernel.LookupFold(fold, wide)
	a.identity = identity(op, wide)
	return a
}

// identity returns the value of type t that leaves every result of op unchanged.
func identity(op Op, t dtype.Type) dtype.Scalar {
	switch op {
	case Prod:
		return dtype.ScalarOf(1.0).Convert(t)
	case Min, MinAbs, ArgMin:
		return extreme(t, 1)
	case Max, MaxAbs, ArgMax:
		return extreme(t, -1)
	// NaN loses against every number. Types without NaN have the identity of Min or Max.
	case FMin, FMax:
		switch t.Kind() {
		case dtype.KindFloat:
			return dtype.ScalarOf(math.NaN()).Convert(t)
		case dtype.KindComplex:
			return dtype.ScalarOf(complex(math.NaN(), math.NaN())).Convert(t)
		}

		if op == FMin {
			return extreme(t, 1)
		}
		return extreme(t, -1)
	}

	return dtype.ScalarOf(0.0).Convert(t)
}

// extreme returns the largest value of type t, or with sign -1 the smallest.
func extreme(t dtype.Type, sign int) dtype.Scalar {
	bits := uint(t.Size() * 8)
	switch t.Kind() {
	case dtype.KindBool:
		return dtype.ScalarOf(sign > 0)
	case dtype.KindUint:
		if sign < 0 {
			return dtype.ScalarOf(uint64(0)).Convert(t)
		}
		return dtype.ScalarOf(uint64(math.MaxUint64)).Convert(t)
	case dtype.KindInt:
		if sign < 0 {
			return dtype.ScalarOf(int64(-1) << (bits - 1)).Convert(t)
		}
		return dtype.ScalarOf(int64(1)<<(bits-1) - 1).Convert(t)
	case dtype.KindComplex:
		return dtype.ScalarOf(complex(math.Inf(sign), math.Inf(sign))).Convert(t)
	}
	return dtype.ScalarOf(math.Inf(sign)).Convert(t)
}

func (a *folded) accSize() int { return a.identity.Type().Size() }

func (a *folded) address(s *state, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.x)), i*a.accSize())
}

func (a *folded) newState(n int) *state { return &state{x: make([]uint64, words(n, a.accSize()))} }

func (a *folded) reset(s *state, n int) { repeat(a.address(s, 0), a.identity, n) }

// repeat stores v n times.
func repeat(dst unsafe.Pointer, v dtype.Scalar, n int) {
	var element [16]byte
	v.Store(element[:v.Type().Size()])
	kernel.Gather(dst, unsafe.Pointer(&element), v.Type().Size(), 0, n)
}

func (a *folded) add(_ *scratch, s *state, first int, b *block) {
	fold(a.fold, a.address(s, first), nil, b, 1, a.elem)
}

func (a *folded) merge(dst *state, first int, src *state, from, n int) {
	kernel.CallFold(a.combine, a.address(dst, first), nil, a.address(src, from), 0, 1, n)
}

func (a *folded) finish(s *state, n int, count int64) []byte {
	size := a.accSize()
	x := unsafe.Slice((*byte)(a.address(s, 0)), n*size)

	dst := make([]byte, n*a.out.Size())
	switch a.op {
	case Any, All:
		for i := range dst {
			if s.n != nil {
				count = s.n[i]
			}
			true := int64(s.x[i])
			if a.op == Any && true > 0 || a.op == All && true == count {
				dst[i] = 1
			}
		}
	default:
		dtype.Convert(dst, a.out, x, a.identity.Type())
	}
	return dst
}
