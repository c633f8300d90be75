package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// prod is the accumulator of Prod of floats: x is the products divided by powers of 2, and y their
// exponents. So no product over- or underflows before the last step rounds it, and all have the
// bits of float64 with exponents without bounds.
type prod struct {
	times   kernel.Fold
	typ     dtype.Type
	out     dtype.Type
	initial float64
}

const (
	// runCols is the number of columns of a run at most, so that the second product finds its
	// elements in the caches.
	runCols = 256
	// runRows is how many elements a product is multiplied by at most before one looks at what has
	// become of it.
	runRows = 64
	// A product that is below 2^-middle or not below 2^middle after a run gets its exponent taken
	// out.
	middle = 128
	// witness is the start of a second product of each run. It becomes 0, and stays 0, before the
	// first product loses bits as a subnormal number. The first one loses bits below 2^-1022, with
	// elements whose product is below 2^(middle-1022). Rounding less than doubles the second one in
	// each of runRows steps, so it is then below 2^-1075.
	witness = 0x1p-256
	// leastRows is the number of rows of a run below which it is not made shorter if 1/fewLost of
	// its products over- or underflow. Fewer are computed one element at a time.
	leastRows, fewLost = 4, 8
)

// newProd returns the accumulator of Prod of elements of type t, which starts with initial if that
// is valid.
func newProd(t, out dtype.Type, initial dtype.Scalar) accumulator {
	switch t.Kind() {
	case dtype.KindFloat:
		a := &prod{times: kernel.LookupFold(kernel.FoldProd, t), typ: t, out: out, initial: 1}
		if initial.Type().Valid() {
			a.initial = initial.Float64()
		}
		return a
	case dtype.KindComplex:
		return &complexProduct{typ: t, out: out, initial: initial}
	}
	return newFolded(Prod, t, out)
}

func (a *prod) newState(n int) *state { return &state{x: make([]uint64, n), y: make([]uint64, n)} }

func (a *prod) reset(s *state, n int) {
	repeat(at(s.x, 0), dtype.ScalarOf(1.0), n)
	clear(s.y[:n])
}

// add takes runs of rows, shorter ones once many products have left the range of float64. The bits
// don't depend on it.
func (a *prod) add(w *scratch, s *state, first int, b *block) {
	for col := 0; col < b.cols; col += runCols {
		strip := b.columns(col, min(runCols, b.cols-col), a.typ.Size())
		x, y := floats(s.x)[first+col:][:strip.cols], s.y[first+col:][:strip.cols]
		for row, rows := 0, runRows; row < b.rows; {
			run := strip.part(row, min(rows, b.rows-row))
			if a.addRun(w, x, y, &run) {
				row += run.rows
			} else {
				rows = run.rows / 2
			}
		}
	}
}

// addRun multiplies the products by the rows of b. It does nothing and returns false if a run
// should be shorter.
func (a *prod) addRun(w *scratch, x []float64, y []uint64, b *block) bool {
	n, size := len(x), a.typ.Size()
	room := unsafe.Slice((*uint64)(w.get(useFold, 3*n*8)), 3*n)
	before, exponents, watch := floats(room[:n]), room[n:2*n], floats(room[2*n:])
	copy(before, x)
	copy(exponents, y)
	for i := range watch {
		watch[i] = witness
	}
	fold(a.times, unsafe.Pointer(&x[0]), nil, b, 1, size)
	fold(a.times, unsafe.Pointer(&watch[0]), nil, b, 1, size)

	lost := 0
	for i, v := range x {
		switch {
		case watch[i] != 0 && exponent(v)+middle < 2*middle:
		case watch[i] != 0 && isNormal(v):
			x[i] = fraction(v, &y[i])
		case isSpecial(before[i]) || v == 0 && a.hasZero(b, i):
			watch[i] = witness
		default:
			watch[i] = 0
			lost++
		}
	}
	if lost == 0 {
		return true
	}

	if lost*fewLost > n && b.rows >= leastRows {
		copy(x, before)
		copy(y, exponents)
		return false
	}
	for i := range x {
		if watch[i] == 0 {
			x[i] = before[i]
			a.addEach(&x[i], &y[i], i, b)
		}
	}
	return true
}

// element returns an element of b.
func (a *prod) element(b *block, row, col int) float64 {
	if a.typ == dtype.Float32 {
		return float64(*(*float32)(unsafe.Add(b.ptr, row*b.stride+col*4)))
	}
	return *(*float64)(unsafe.Add(b.ptr, row*b.stride+col*8))
}

// hasZero reports whether an element of column i of b is 0. If a fold of them is 0, not NaN, then
// so is their product.
func (a *prod) hasZero(b *block, i int) bool {
	for row := range b.rows {
		if a.element(b, row, i) == 0 {
			return true
		}
	}
	return false
}

// addEach multiplies one product by the elements of column i of b, one at a time.
func (a *prod) addEach(x *float64, y *uint64, i int, b *block) {
	for row := range b.rows {
		multiply(x, y, a.element(b, row, i))
	}
}

// multiply multiplies the product x·2^y by any v.
func multiply(x *float64, y *uint64, v float64) {
	if math.Abs(v) < 0x1p-1022 {
		v *= 0x1p64
		*y -= 64
	}
	*x = fraction(*x*fraction(v, y), y)
}

// isSpecial reports whether a product is 0, infinite or NaN, so that its exponent means nothing.
func isSpecial(v float64) bool { return v == 0 || !isFinite(v) }

// exponent returns the e of v = f·2^e with f in [1, 2), if v is normal.
func exponent(v float64) uint64 { return math.Float64bits(v)>>52&0x7FF - 1023 }

func isNormal(v float64) bool { return exponent(v)+1022 < 0x7FE }

// fraction returns v divided by a power of 2 so that it is in [1, 2), and adds the exponent to y.
// It leaves numbers that are not normal as they are.
func fraction(v float64, y *uint64) float64 {
	if !isNormal(v) {
		return v
	}
	e := exponent(v)
	*y += e
	return math.Float64frombits(math.Float64bits(v) - e<<52)
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
		multiply(&x[i], &s.y[i], a.initial)
		x[i] = math.Ldexp(x[i], int(s.y[i]))
	}
	return convert(x, a.out, s.y)
}
