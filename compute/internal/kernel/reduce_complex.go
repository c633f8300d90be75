package kernel

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

func setFoldsOfComplex[T complex64 | complex128](t *foldTable) {
	typ := dtype.Of[T]()
	t.set(FoldProd, foldProdComplex[T], typ)
	t.set(FoldMin, foldMinComplex[T], typ)
	t.set(FoldMax, foldMaxComplex[T], typ)
	t.set(FoldFMin, foldFMinComplex[T], typ)
	t.set(FoldFMax, foldFMaxComplex[T], typ)
}

func foldProdComplex[T complex64 | complex128](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s complex128, x T) complex128 { return mulComplex(s, complex128(x)) })
}

// mulComplex is a·b by the textbook's formula, as NumPy's: the built-in product is another one on
// some platforms.
func mulComplex(a, b complex128) complex128 {
	re := float64(real(a)*real(b)) - float64(imag(a)*imag(b))
	im := float64(real(a)*imag(b)) + float64(imag(a)*real(b))
	return complex(re, im)
}

// foldMinComplex keeps the accumulator if it has a NaN: the result is the first element that has
// one.
func foldMinComplex[T complex64 | complex128](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s, x T) T {
		if replacesComplex(complex128(s), complex128(x), false) {
			return x
		}
		return s
	})
}

func foldMaxComplex[T complex64 | complex128](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s, x T) T {
		if replacesComplex(complex128(s), complex128(x), true) {
			return x
		}
		return s
	})
}

func foldFMinComplex[T complex64 | complex128](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s, x T) T {
		if suppliesComplex(complex128(s), complex128(x), false) {
			return x
		}
		return s
	})
}

func foldFMaxComplex[T complex64 | complex128](acc, _, src unsafe.Pointer, stride, rows, cols int) {
	eachRow(acc, src, stride, rows, cols, func(s, x T) T {
		if suppliesComplex(complex128(s), complex128(x), true) {
			return x
		}
		return s
	})
}

// replacesComplex reports whether x comes before s, or after it for a maximum, in lexicographic
// order; the first one with a NaN comes before everything.
func replacesComplex(s, x complex128, most bool) bool {
	switch {
	case nanComplex(s):
		return false
	case nanComplex(x):
		return true
	case most:
		s, x = x, s
	}
	return real(x) < real(s) || real(x) == real(s) && imag(x) < imag(s)
}

// suppliesComplex is replacesComplex where NaN is replaced by anything and replaces nothing.
func suppliesComplex(s, x complex128, most bool) bool {
	return nanComplex(s) || !nanComplex(x) && replacesComplex(s, x, most)
}

// nanComplex reports whether c has a NaN, also where it has an infinity as well.
func nanComplex(c complex128) bool { return math.IsNaN(real(c)) || math.IsNaN(imag(c)) }
