package kernel

import (
	"math"
	"math/cmplx"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setComplexMath sets the functions of complex numbers, which are computed in float64 and rounded once.
func setComplexMath[F float](t *table, typ dtype.Type) {
	for op, f := range map[Op]func(complex128) complex128{
		Sqrt: cmplx.Sqrt, Exp: cmplx.Exp, Log: cmplx.Log, Log10: cmplx.Log10,
		Sin: cmplx.Sin, Cos: cmplx.Cos, Tan: cmplx.Tan, Asin: cmplx.Asin, Acos: cmplx.Acos, Atan: cmplx.Atan,
		Sinh: cmplx.Sinh, Cosh: cmplx.Cosh, Tanh: cmplx.Tanh, Asinh: cmplx.Asinh, Acosh: cmplx.Acosh, Atanh: cmplx.Atanh,
	} {
		t.set1(op, typ, func(dst, a unsafe.Pointer, n int) {
			each1(dst, a, n, func(x pair[F]) pair[F] { return narrow[F](f(x.wide())) })
		})
	}
	t.set1(Angle, typ, func(dst, a unsafe.Pointer, n int) {
		each1(dst, a, n, func(x pair[F]) F { return F(math.Atan2(float64(x.im), float64(x.re))) })
	})
	t.set2(Pow, typ, func(dst, a, b unsafe.Pointer, n, sa, sb int) {
		each2(dst, a, b, n, sa, sb, func(x, y pair[F]) pair[F] { return narrow[F](cmplx.Pow(x.wide(), y.wide())) })
	})
}

// wide returns x as Go's complex type.
func (x pair[F]) wide() complex128 { return complex(float64(x.re), float64(x.im)) }

func narrow[F float](x complex128) pair[F] { return pair[F]{F(real(x)), F(imag(x))} }
