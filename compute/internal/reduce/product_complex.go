package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// complexProduct is the accumulator of Prod of complex numbers: x is the products, y their
// exponents of 2, which are 0 until a product over- or underflows, or none where there is no
// element yet.
type complexProduct struct {
	typ, out dtype.Type
	initial  dtype.Scalar
}

// none is the exponent of a product of no elements: 1 times a number is not always the number.
const none = math.MinInt64

func (a *complexProduct) newState(n int) *state {
	return &state{x: make([]uint64, 2*n), y: make([]uint64, n)}
}

func (a *complexProduct) reset(s *state, n int) {
	repeat(at(s.x, 0), dtype.ScalarOf(complex(1, 0)), n)
	for i := range s.y[:n] {
		s.y[i] = 1 << 63
	}
}

func (a *complexProduct) add(_ *scratch, s *state, first int, b *block) {
	size := a.typ.Size()
	for row := range b.rows {
		for col := range b.cols {
			p := unsafe.Add(b.ptr, row*b.stride+col*size)
			v := complex128(0)
			if a.typ == dtype.Complex64 {
				v = complex128(*(*complex64)(p))
			} else {
				v = *(*complex128)(p)
			}
			a.multiply(s, first+col, v, 0)
		}
	}
}

// multiply multiplies result i by v·2^e.
func (a *complexProduct) multiply(s *state, i int, v complex128, e int) {
	x, y := (*complex128)(at(s.x, 2*i)), (*int64)(at(s.y, i))
	if *y == none {
		*x, *y = v, int64(e)
		return
	}
	p := times(*x, v)
	if m := larger(p); !(m >= 0x1p-900 && m <= math.MaxFloat64) {
		x, f := scaled(*x)
		v, g := scaled(v)
		p = times(x, v)
		e += f + g
	}
	*x = p
	*y += int64(e)
}

// times returns x·y, which is not fused.
func times(x, y complex128) complex128 {
	re := float64(real(x)*real(y)) - float64(imag(x)*imag(y))
	return complex(re, float64(real(x)*imag(y))+float64(imag(x)*real(y)))
}

// larger returns the magnitude of the larger part of v; NaN if one is NaN.
func larger(v complex128) float64 { return max(math.Abs(real(v)), math.Abs(imag(v))) }

// scaled returns x = v·2^-e, whose larger part is in [0.5, 1). It leaves numbers that are 0 or not
// finite unchanged.
func scaled(v complex128) (x complex128, e int) {
	m := larger(v)
	if m == 0 || !isFinite(m) {
		return v, 0
	}
	_, e = math.Frexp(m)
	return complex(math.Ldexp(real(v), -e), math.Ldexp(imag(v), -e)), e
}

func (a *complexProduct) merge(dst *state, first int, src *state, from, n int) {
	for i := range n {
		if e := int64(src.y[from+i]); e != none {
			a.multiply(dst, first+i, *(*complex128)(at(src.x, 2*(from+i))), int(e))
		}
	}
}

func (a *complexProduct) finish(s *state, n int, _ int64) []byte {
	for i := range n {
		if a.initial.Type().Valid() {
			a.multiply(s, i, a.initial.Complex128(), 0)
		}
		if e := int64(s.y[i]); e != none && e != 0 {
			x := (*complex128)(at(s.x, 2*i))
			*x = complex(math.Ldexp(real(*x), int(e)), math.Ldexp(imag(*x), int(e)))
		}
	}
	x := floats(s.x[:2*n])
	return convert(x, a.out, s.x)
}
