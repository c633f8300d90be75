package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// prod is the accumulator of Prod of floats: x is the products as fractions, in [0.5, 1) unless they are 1, 0, infinite
// or NaN, and y their exponents of 2. So no product over- or underflows before the last step rounds it, and all have the
// bits of float64 with exponents without bounds.
type prod struct {
	times kernel.Fold
	typ   dtype.Type
	out   dtype.Type
}

const (
	// runRows is how many elements a fraction is multiplied by at most before its exponent is taken out.
	runRows = 64
	// witness is where a second product of a run starts. It is so far below the fraction that it becomes 0, and stays
	// so, before the first one loses bits as a subnormal number: rounding can't as much as double it in each of runRows
	// steps, and 2^-128 · 2^runRows · 2^-1021 is less than half of the least number.
	witness = 0x1p-128
	// splitRows is the number of rows of a run at least that is cut in halves if a share of 1/splitShare of its products
	// over- or underflow. Other products that do are computed one element at a time.
	splitRows, splitShare = 8, 8
)

// newProd returns the accumulator of Prod of elements of type t.
func newProd(t, out dtype.Type) accumulator {
	switch t.Kind() {
	case dtype.KindFloat:
		return &prod{times: kernel.LookupFold(kernel.FoldProd, t), typ: t, out: out}
	case dtype.KindComplex:
		return &complexProduct{typ: t, out: out}
	}
	return newFolded(Prod, t, out)
}

func (a *prod) newState(n int) *state { return &state{x: make([]uint64, n), y: make([]uint64, n)} }

func (a *prod) reset(s *state, n int) {
	repeat(at(s.x, 0), dtype.ScalarOf(1.0), n)
	clear(s.y[:n])
}

func (a *prod) add(w *scratch, s *state, first int, b *block) {
	x, y := floats(s.x)[first:first+b.cols], s.y[first:]
	for row := 0; row < b.rows; row += runRows {
		part := b.part(row, min(runRows, b.rows-row))
		a.addRun(w, x, y, &part)
	}
}

// addRun multiplies the products by runRows rows or less. The bits don't depend on how rows are cut into runs.
func (a *prod) addRun(w *scratch, x []float64, y []uint64, b *block) {
	n, size := len(x), a.typ.Size()
	before := unsafe.Slice((*float64)(w.get(useFold, n*8)), n)
	copy(before, x)
	watched := unsafe.Slice((*float64)(w.get(useLost, n*8)), n)
	repeat(unsafe.Pointer(&watched[0]), dtype.ScalarOf(witness), n)
	fold(a.times, unsafe.Pointer(&x[0]), nil, b, 1, size)
	fold(a.times, unsafe.Pointer(&watched[0]), nil, b, 1, size)

	// Where most elements are so large or small, shorter runs of them do.
	lost := 0
	for i, v := range x {
		if !exact(before[i], v, watched[i]) {
			lost++
		}
	}
	if half := b.rows / 2; lost*splitShare > n && b.rows >= splitRows {
		copy(x, before)
		top, rest := b.part(0, half), b.part(half, b.rows-half)
		a.addRun(w, x, y, &top)
		a.addRun(w, x, y, &rest)
		return
	}

	for i, v := range x {
		if exact(before[i], v, watched[i]) {
			x[i] = fraction(v, &y[i])
		} else {
			x[i] = before[i]
			a.addEach(&x[i], &y[i], i, b)
		}
	}
}

// exact reports whether v, to which a run has brought a product from what it was before, is right: nothing has over- or
// underflowed, or there is no exponent as the product was 0, infinite or NaN already.
func exact(before, v, watched float64) bool {
	return isFinite(v) && watched != 0 || before == 0 || !isFinite(before)
}

// addEach multiplies one product by the elements of column i, one at a time.
func (a *prod) addEach(x *float64, y *uint64, i int, b *block) {
	b.eachFloat(i, 1, a.typ.Size(), func(v float64) {
		if v != 0 && isFinite(v) {
			m, e := math.Frexp(v)
			v = m
			*y += uint64(e)
		}
		*x = fraction(*x*v, y)
	})
}

// fraction returns v, which is no subnormal number, divided by a power of 2 so that it is in [0.5, 1), and adds the
// exponent to y. It leaves 0, infinities and NaN as they are.
func fraction(v float64, y *uint64) float64 {
	const bias, mask = 1022, 0x7FF
	bits := math.Float64bits(v)
	e := bits >> 52 & mask
	if e == 0 || e == mask {
		return v
	}
	*y += e - bias
	return math.Float64frombits(bits&^(mask<<52) | bias<<52)
}

func (a *prod) merge(dst *state, first int, src *state, from, n int) {
	x, by := floats(dst.x)[first:first+n], floats(src.x)[from:]
	for i := range x {
		dst.y[first+i] += src.y[from+i]
		x[i] = fraction(x[i]*by[i], &dst.y[first+i])
	}
}

func (a *prod) finish(s *state, n int, _ int64) []byte {
	x := floats(s.x[:n])
	for i := range x {
		x[i] = math.Ldexp(x[i], int(s.y[i]))
	}
	return convert(x, a.out, s.y)
}
