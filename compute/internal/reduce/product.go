package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// prod is the accumulator of Prod of floats: x is the products as fractions, in [0.5, 1] unless they are 0, infinite or
// NaN, and y their exponents of 2. So no product over- or underflows before the last step rounds it, and all have the
// bits of float64 with exponents without bounds.
type prod struct {
	times, least, most kernel.Fold
	abs                kernel.Func
	typ                dtype.Type
	out                dtype.Type
}

// newProd returns the accumulator of Prod of elements of type t.
func newProd(t, out dtype.Type) accumulator {
	switch t.Kind() {
	case dtype.KindFloat:
		return &prod{
			times: kernel.LookupFold(kernel.FoldProd, t), abs: kernel.Lookup(kernel.Abs, t, 0),
			least: kernel.LookupFold(kernel.FoldMin, t), most: kernel.LookupFold(kernel.FoldMax, t), typ: t, out: out,
		}
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
	rows := a.safeRows(w, b)
	if rows == 0 {
		a.addEach(x, y, b)
		return
	}
	for row := 0; row < b.rows; row += rows {
		part := b.part(row, min(rows, b.rows-row))
		fold(a.times, unsafe.Pointer(&x[0]), nil, &part, 1, a.typ.Size())
		for i := range x {
			x[i] = fraction(x[i], &y[i])
		}
	}
}

// safeRows returns how many elements of b, one after the other, a fraction can be multiplied by without leaving the
// normal numbers of float64; 0 if that is none, or if some element is 0, infinite or NaN.
func (a *prod) safeRows(w *scratch, b *block) int {
	size := a.typ.Size()
	magnitudes := b.apply(a.abs, w.get(useMoved, b.rows*b.cols*size), size, size)
	least, most := a.extreme(w, &magnitudes, Min), a.extreme(w, &magnitudes, Max)
	if !(least > 0 && most <= math.MaxFloat64) {
		return 0
	}
	rows := b.rows
	if low := math.Ilogb(least); low < 0 {
		rows = min(rows, 1021/-low)
	}
	if high := math.Ilogb(most) + 1; high > 0 {
		rows = min(rows, 1022/high)
	}
	return rows
}

// extreme returns the least or the greatest element of b, NaN if there is one.
func (a *prod) extreme(w *scratch, b *block, op Op) float64 {
	acc, by := w.get(useFold, b.cols*8), a.least
	if op == Max {
		by = a.most
	}
	repeat(acc, identity(op, a.typ), b.cols)
	fold(by, acc, nil, b, 1, a.typ.Size())
	best := identity(op, dtype.Float64).Float64()
	for i := range b.cols {
		v := 0.0
		if a.typ == dtype.Float32 {
			v = float64(*(*float32)(unsafe.Add(acc, i*4)))
		} else {
			v = *(*float64)(unsafe.Add(acc, i*8))
		}
		if op == Min {
			best = min(best, v)
		} else {
			best = max(best, v)
		}
	}
	return best
}

// addEach takes any elements, one at a time.
func (a *prod) addEach(x []float64, y []uint64, b *block) {
	for i := range x {
		b.eachFloat(i, 1, a.typ.Size(), func(v float64) {
			if v != 0 && isFinite(v) {
				m, e := math.Frexp(v)
				v = m
				y[i] += uint64(e)
			}
			x[i] = fraction(x[i]*v, &y[i])
		})
	}
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
