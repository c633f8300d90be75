package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setComplexOrder sets the comparisons of complex numbers, which are lexicographic, and what
// follows from them.
func setComplexOrder[F float](t *table, typ dtype.Type) {
	compare := func(op Op, f func(x, y pair[F]) bool) {
		t.set2(op, typ, func(dst, a, b unsafe.Pointer, n, sa, sb int) { each2(dst, a, b, n, sa, sb, f) })
	}

	compare(Equal, pair[F].equal)
	compare(NotEqual, func(x, y pair[F]) bool { return !x.equal(y) })
	compare(Less, func(x, y pair[F]) bool { return y.greater(x) })
	compare(LessEqual, func(x, y pair[F]) bool { return y.greater(x) || x.equal(y) })
	compare(Greater, pair[F].greater)
	compare(GreaterEqual, func(x, y pair[F]) bool { return x.greater(y) || x.equal(y) })

	pick := func(op Op, f func(x, y pair[F]) pair[F]) {
		t.set2(op, typ, func(dst, a, b unsafe.Pointer, n, sa, sb int) { each2(dst, a, b, n, sa, sb, f) })
	}

	pick(Min, pair[F].min)
	pick(Max, pair[F].max)
	pick(FMin, func(x, y pair[F]) pair[F] {
		if y.isNaN() || !x.isNaN() && !x.greater(y) {
			return x
		}
		return y
	})
	pick(FMax, func(x, y pair[F]) pair[F] {
		if y.isNaN() || !x.isNaN() && !y.greater(x) {
			return x
		}
		return y
	})

	t.set3(Clip, typ, func(dst, a, b, c unsafe.Pointer, n, sb, sc int) {
		each3(dst, a, b, c, n, sb, sc, func(x, y, z pair[F]) pair[F] { return x.max(y).min(z) })
	})
}

func (x pair[F]) equal(y pair[F]) bool { return x.re == y.re && x.im == y.im }

// greater reports whether x comes after y. The real parts say nothing beside an imaginary part that
// is NaN.
func (x pair[F]) greater(y pair[F]) bool {
	return x.re > y.re && x.im == x.im && y.im == y.im || x.re == y.re && x.im > y.im
}

func (x pair[F]) min(y pair[F]) pair[F] {
	if x.isNaN() || y.greater(x) || x.equal(y) {
		return x
	}
	return y
}

func (x pair[F]) max(y pair[F]) pair[F] {
	if x.isNaN() || x.greater(y) || x.equal(y) {
		return x
	}
	return y
}
