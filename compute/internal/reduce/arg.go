package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// argRows is the number of rows whose minimum arg takes before it compares it with the best one so
// far.
const argRows = 256

// arg is the accumulator of ArgMin and ArgMax: x is the extreme value, of the elements' type T, and
// y its index, -1 if there is none yet. The extreme of some rows is found by a fold; only if it is
// better are the rows gone through again for its index.
type arg[T comparable] struct {
	extreme *folded
	better  func(x, y T) bool // whether x replaces y if it comes later
	ordered bool              // whether elements come in the order of their indexes
	typ     dtype.Type
}

// newArg returns the accumulator for elements of type t.
func newArg(op Op, t dtype.Type, ordered bool) accumulator {
	most := op == ArgMax
	switch t {
	case dtype.Bool, dtype.Uint8:
		return argOf[uint8](op, t, ordered, before[uint8](most))
	case dtype.Int8:
		return argOf[int8](op, t, ordered, before[int8](most))
	case dtype.Int16:
		return argOf[int16](op, t, ordered, before[int16](most))
	case dtype.Int32:
		return argOf[int32](op, t, ordered, before[int32](most))
	case dtype.Int64:
		return argOf[int64](op, t, ordered, before[int64](most))
	case dtype.Uint16:
		return argOf[uint16](op, t, ordered, before[uint16](most))
	case dtype.Uint32:
		return argOf[uint32](op, t, ordered, before[uint32](most))
	case dtype.Uint64:
		return argOf[uint64](op, t, ordered, before[uint64](most))
	case dtype.Float32:
		return argOf[float32](op, t, ordered, before[float32](most))
	case dtype.Float64:
		return argOf[float64](op, t, ordered, before[float64](most))
	case dtype.Complex64:
		return argOf[complex64](op, t, ordered, beforeComplex[complex64](most))
	case dtype.Complex128:
		return argOf[complex128](op, t, ordered, beforeComplex[complex128](most))
	}
	panic("BUG: reduce: no order of " + t.String())
}

func argOf[T comparable](op Op, t dtype.Type, ordered bool, better func(x, y T) bool) *arg[T] {
	extreme := Min
	if op == ArgMax {
		extreme = Max
	}
	return &arg[T]{extreme: newFolded(extreme, t, t), better: better, ordered: ordered, typ: t}
}

// before returns the order in which elements replace others: NaN first.
func before[T uint8 | int8 | int16 | int32 | int64 | uint16 | uint32 | uint64 | float32 | float64](most bool) func(x, y T) bool {
	if most {
		return func(x, y T) bool { return x > y || x != x && y == y }
	}
	return func(x, y T) bool { return x < y || x != x && y == y }
}

// beforeComplex is before in lexicographic order.
func beforeComplex[T complex64 | complex128](most bool) func(x, y T) bool {
	return func(x, y T) bool {
		a, b := complex128(x), complex128(y)
		if isNaN(a) || isNaN(b) {
			return !isNaN(b)
		}
		if most {
			a, b = b, a
		}
		return real(a) < real(b) || real(a) == real(b) && imag(a) < imag(b)
	}
}

// isNaN reports whether c has a NaN, also where it has an infinity as well.
func isNaN(c complex128) bool { return math.IsNaN(real(c)) || math.IsNaN(imag(c)) }

func (a *arg[T]) newState(n int) *state {
	s := a.extreme.newState(n)
	s.y = make([]uint64, n)
	return s
}

func (a *arg[T]) reset(s *state, n int) {
	a.extreme.reset(s, n)
	for i := range s.y[:n] {
		s.y[i] = ^uint64(0)
	}
}

// values returns n extremes from number first on.
func (a *arg[T]) values(s *state, first, n int) []T {
	return unsafe.Slice((*T)(a.extreme.address(s, first)), n)
}

func (a *arg[T]) add(w *scratch, s *state, first int, b *block) {
	extremes := w.get(useFold, b.cols*a.extreme.accSize())
	for row := 0; row < b.rows; row += argRows {
		part := b.part(row, min(argRows, b.rows-row))
		repeat(extremes, a.extreme.identity, b.cols)
		plain := part
		if part.mask != nil {
			plain = a.masked(w, &part)
		}
		fold(a.extreme.fold, extremes, nil, &plain, 1, a.extreme.elem)
		a.look(s, first, &part, unsafe.Slice((*T)(extremes), b.cols))
	}
}

// masked returns b with the elements left out replaced by one that is not better than any.
func (a *arg[T]) masked(w *scratch, b *block) block {
	var element [16]byte
	a.extreme.identity.Store(element[:a.extreme.elem])
	const lastScalar kernel.Form = 1 << 2
	size := a.extreme.elem
	return b.replaced(kernel.Lookup(kernel.Where, a.typ, lastScalar), unsafe.Pointer(&element), w.get(useReplaced, b.rows*b.cols*size), size)
}

// look goes through the columns of b whose extreme is a better one.
func (a *arg[T]) look(s *state, first int, b *block, extremes []T) {
	values := a.values(s, first, len(extremes))
	for col, x := range extremes {
		have := int64(s.y[first+col])
		better := a.better(x, values[col])
		if !better && have >= 0 && (a.ordered || a.better(values[col], x)) {
			continue
		}
		index := a.find(b, col, x)
		if index >= 0 && (better || have < 0 || index < have) {
			values[col], s.y[first+col] = x, uint64(index)
		}
	}
}

// find returns the smallest index of x in a column of b, or -1.
func (a *arg[T]) find(b *block, col int, x T) int64 {
	found := int64(-1)
	size := int(unsafe.Sizeof(x))
	for row := range b.rows {
		y := *(*T)(unsafe.Add(b.ptr, row*b.stride+col*size))
		// Equal, or both NaN.
		if y != x && (y == y || x == x) {
			continue
		}
		if b.mask != nil && *(*byte)(unsafe.Add(b.mask, row*b.maskStride+col)) == 0 {
			continue
		}

		if index := int64(b.indexOf(row, col)); found < 0 || index < found {
			found = index
		}

		if a.ordered {
			break
		}
	}

	return found
}

func (a *arg[T]) merge(dst *state, first int, src *state, from, n int) {
	values, others := a.values(dst, first, n), a.values(src, from, n)
	for i, x := range others {
		have, index := int64(dst.y[first+i]), int64(src.y[from+i])
		switch {
		case index < 0:
			continue
		case have >= 0 && !a.better(x, values[i]) && (a.better(values[i], x) || have < index):
			continue
		}
		values[i], dst.y[first+i] = x, uint64(index)
	}
}

func (a *arg[T]) finish(s *state, n int, _ int64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s.y[0])), n*8)
}
