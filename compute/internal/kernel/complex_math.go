package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A complexPair is the type in which functions of both complex types are computed.
type complexPair = pair[float64]

// complexFunctions are the functions of one complex number. Where an argument is infinite or NaN
// they give what Annex G of the C standard says.
var complexFunctions = map[Op]func(z complexPair) complexPair{
	Sqrt: complexSqrt,
	Exp:  complexExp, Exp2: complexExp2, Expm1: complexExpm1,
	Log: complexLog, Log2: complexLog2, Log10: complexLog10, Log1p: complexLog1p,
	Sin: complexSin, Cos: complexCos, Tan: complexTan,
	Sinh: complexSinh, Cosh: complexCosh, Tanh: complexTanh,
	Asin: complexAsin, Acos: complexAcos, Atan: complexAtan,
	Asinh: complexAsinh, Acosh: complexAcosh, Atanh: complexAtanh,
}

// setComplexMath sets the functions of complex numbers, which are computed in float64 and rounded
// once.
func setComplexMath[F float](t *table, typ dtype.Type) {
	for op, f := range complexFunctions {
		t.set1(op, typ, func(dst, a unsafe.Pointer, n int) {
			each1(dst, a, n, func(x pair[F]) pair[F] { return narrow[F](f(x.wide())) })
		})
	}
	t.set1(Angle, typ, func(dst, a unsafe.Pointer, n int) {
		each1(dst, a, n, func(x pair[F]) F { return F(atan2(float64(x.im), float64(x.re))) })
	})
	t.set2(Pow, typ, func(dst, a, b unsafe.Pointer, n, sa, sb int) {
		each2(dst, a, b, n, sa, sb, func(x, y pair[F]) pair[F] { return narrow[F](complexPow(x.wide(), y.wide())) })
	})
}

func (x pair[F]) wide() complexPair { return complexPair{float64(x.re), float64(x.im)} }

func narrow[F float](z complexPair) pair[F] { return pair[F]{F(z.re), F(z.im)} }

// finite reports whether neither part is infinite or NaN.
func (x pair[F]) finite() bool { return finite(float64(x.re)) && finite(float64(x.im)) }

// timesI returns i·z.
func (x pair[F]) timesI() pair[F] { return pair[F]{-x.im, x.re} }

// overI returns z/i.
func (x pair[F]) overI() pair[F] { return pair[F]{x.im, -x.re} }

// scaled returns both parts times v.
func (x pair[F]) scaled(v F) pair[F] { return pair[F]{x.re * v, x.im * v} }
