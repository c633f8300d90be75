package kernel

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A pair is a complex number as it lies in memory. Go's own complex arithmetic is neither generic
// nor NumPy's.
type pair[F float] struct{ re, im F }

// setComplex sets every operation on complex numbers with parts of type F.
func setComplex[F float](t *table, typ dtype.Type) {
	setCopy[pair[F]](t, typ)
	setWhere[pair[F]](t, typ)
	setComplexUnary[F](t, typ)
	setComplexBinary[F](t, typ)
	setComplexOrder[F](t, typ)
	setComplexMath[F](t, typ)
}

func setComplexUnary[F float](t *table, typ dtype.Type) {
	unary := func(op Op, f func(x pair[F]) pair[F]) {
		t.set1(op, typ, func(dst, a unsafe.Pointer, n int) { each1(dst, a, n, f) })
	}

	unary(Neg, func(x pair[F]) pair[F] { return pair[F]{-x.re, -x.im} })
	unary(Conj, func(x pair[F]) pair[F] { return pair[F]{x.re, -x.im} })
	unary(Sign, signComplex[F])
	unary(Reciprocal, pair[F].reciprocal)
	unary(Rint, func(x pair[F]) pair[F] {
		return pair[F]{F(math.RoundToEven(float64(x.re))), F(math.RoundToEven(float64(x.im)))}
	})

	t.set1(Square, typ, complexSquare[F])
	t.set1(Abs, typ, complexAbs[F])
	t.set1(Real, typ, func(dst, a unsafe.Pointer, n int) { each1(dst, a, n, func(x pair[F]) F { return x.re }) })
	t.set1(Imag, typ, func(dst, a unsafe.Pointer, n int) { each1(dst, a, n, func(x pair[F]) F { return x.im }) })

	t.set1(Not, typ, func(dst, a unsafe.Pointer, n int) {
		each1(dst, a, n, func(x pair[F]) bool { return x.re == 0 && x.im == 0 })
	})

	t.set1(IsNaN, typ, func(dst, a unsafe.Pointer, n int) { each1(dst, a, n, pair[F].isNaN) })
	t.set1(IsInf, typ, func(dst, a unsafe.Pointer, n int) { each1(dst, a, n, pair[F].isInf) })
	t.set1(IsFinite, typ, func(dst, a unsafe.Pointer, n int) {
		each1(dst, a, n, func(x pair[F]) bool { return !x.isNaN() && !x.isInf() })
	})
}

func setComplexBinary[F float](t *table, typ dtype.Type) {
	t.set2(Add, typ, complexAdd[F])
	t.set2(Sub, typ, complexSub[F])
	t.set2(Mul, typ, complexMul[F])
	t.set2(Div, typ, complexDiv[F])
	t.set2(MulParts, typ, complexMulParts[F])
	t.set2(DivParts, typ, complexDivParts[F])
}

func complexSquare[F float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x pair[F]) pair[F] { return x.mul(x) })
}

func complexAbs[F float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x pair[F]) F { return x.abs() })
}

func complexAdd[F float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y pair[F]) pair[F] { return x.add(y) })
}

func complexSub[F float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y pair[F]) pair[F] { return x.sub(y) })
}

func complexMul[F float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y pair[F]) pair[F] { return x.mul(y) })
}

func complexDiv[F float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y pair[F]) pair[F] { return x.div(y) })
}

func complexMulParts[F float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y pair[F]) pair[F] { return pair[F]{x.re * y.re, x.im * y.im} })
}

func complexDivParts[F float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y pair[F]) pair[F] { return pair[F]{x.re / y.re, x.im / y.im} })
}

func (x pair[F]) add(y pair[F]) pair[F] { return pair[F]{x.re + y.re, x.im + y.im} }
func (x pair[F]) sub(y pair[F]) pair[F] { return pair[F]{x.re - y.re, x.im - y.im} }

func (x pair[F]) mul(y pair[F]) pair[F] {
	return pair[F]{F(x.re*y.re) - F(x.im*y.im), F(x.re*y.im) + F(x.im*y.re)}
}

// div is Smith's algorithm (Communications of the ACM 5, 1962), in NumPy's form.
func (x pair[F]) div(y pair[F]) pair[F] {
	re, im := F(math.Abs(float64(y.re))), F(math.Abs(float64(y.im)))
	switch {
	case re == 0 && im == 0:
		return pair[F]{x.re / re, x.im / re}
	case re >= im:
		ratio := y.im / y.re
		scale := 1 / (y.re + F(y.im*ratio))
		return pair[F]{(x.re + F(x.im*ratio)) * scale, (x.im - F(x.re*ratio)) * scale}
	}
	ratio := y.re / y.im
	scale := 1 / (y.im + F(y.re*ratio))
	return pair[F]{(F(x.re*ratio) + x.im) * scale, (F(x.im*ratio) - x.re) * scale}
}

func (x pair[F]) reciprocal() pair[F] {
	if math.Abs(float64(x.im)) <= math.Abs(float64(x.re)) {
		ratio := x.im / x.re
		d := x.re + F(x.im*ratio)
		return pair[F]{1 / d, -ratio / d}
	}
	ratio := x.re / x.im
	d := F(x.re*ratio) + x.im
	return pair[F]{ratio / d, -1 / d}
}

func (x pair[F]) isNaN() bool { return x.re != x.re || x.im != x.im }

func (x pair[F]) isInf() bool {
	return math.IsInf(float64(x.re), 0) || math.IsInf(float64(x.im), 0)
}

// abs returns the magnitude. The float64 sum of the squares of two float32s neither overflows nor
// underflows.
func (x pair[F]) abs() F {
	re, im := float64(x.re), float64(x.im)
	switch {
	case unsafe.Sizeof(x.re) == 8:
		return F(hypot(re, im))
	case x.isInf():
		return F(math.Inf(1))
	}
	return F(math.Sqrt(float64(re*re) + float64(im*im)))
}

func signComplex[F float](x pair[F]) pair[F] {
	switch size := x.abs(); {
	case size == 0:
		return pair[F]{}
	case math.IsInf(float64(size), 0):
		return signInfinite(x)
	default:
		return pair[F]{x.re / size, x.im / size}
	}
}

// signInfinite returns the direction of a number with a magnitude beyond F's range.
func signInfinite[F float](x pair[F]) pair[F] {
	re, im := math.IsInf(float64(x.re), 0), math.IsInf(float64(x.im), 0)
	switch nan := F(math.NaN()); {
	case re && im:
		return pair[F]{nan, nan}
	case re:
		return pair[F]{signOf(x.re), 0}
	default:
		return pair[F]{0, signOf(x.im)}
	}
}
