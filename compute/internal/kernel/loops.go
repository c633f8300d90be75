package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// The sets of element types that loops are written for.
type (
	signed   interface{ int8 | int16 | int32 | int64 }
	unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	integer interface{ signed | unsigned }
	float   interface{ float32 | float64 }
	ordered interface{ integer | float }
)

// each1 sets n elements of dst to f of those of a. As the other loops here it is inlined together
// with f, so that no element costs a call.
func each1[D, A any](dst, a unsafe.Pointer, n int, f func(x A) D) {
	z, x := unsafe.Slice((*D)(dst), n), unsafe.Slice((*A)(a), n)
	for i := range z {
		z[i] = f(x[i])
	}
}

// each2 sets n elements of dst to f of those of a and b, sa and sb bytes apart.
func each2[D, T any](dst, a, b unsafe.Pointer, n, sa, sb int, f func(x, y T) D) {
	i, j := 0, 0
	z := unsafe.Slice((*D)(dst), n)
	for k := range z {
		z[k] = f(*(*T)(unsafe.Add(a, i)), *(*T)(unsafe.Add(b, j)))
		i, j = i+sa, j+sb
	}
}

// each3 sets n elements of dst to f of the elements of a, b and c. Elements of b and c are sb and
// sc bytes apart.
func each3[A, T any](dst, a, b, c unsafe.Pointer, n, sb, sc int, f func(x A, y, z T) T) {
	i, j := 0, 0
	r, x := unsafe.Slice((*T)(dst), n), unsafe.Slice((*A)(a), n)
	for k := range r {
		r[k] = f(x[k], *(*T)(unsafe.Add(b, i)), *(*T)(unsafe.Add(c, j)))
		i, j = i+sb, j+sc
	}
}

// A loop1, loop2 or loop3 is an operation with that many operands. It takes the strides, in bytes,
// of operands that may be scalars. A scalar has stride 0. All other operands are vectors.
type (
	loop1 func(dst, a unsafe.Pointer, n int)
	loop2 func(dst, a, b unsafe.Pointer, n, sa, sb int)
	loop3 func(dst, a, b, c unsafe.Pointer, n, sb, sc int)
)

func (t *table) set1(op Op, typ dtype.Type, loop loop1) {
	t.set(op, typ, 0, func(dst, a, _, _, _ unsafe.Pointer, n int) { loop(dst, a, n) })
}

// set2 sets the three forms of an operation with two operands.
func (t *table) set2(op Op, typ dtype.Type, loop loop2) {
	s := typ.Size()
	t.set(op, typ, VectorVector, func(dst, a, b, _, _ unsafe.Pointer, n int) { loop(dst, a, b, n, s, s) })
	t.set(op, typ, ScalarVector, func(dst, a, b, _, _ unsafe.Pointer, n int) { loop(dst, a, b, n, 0, s) })
	t.set(op, typ, VectorScalar, func(dst, a, b, _, _ unsafe.Pointer, n int) { loop(dst, a, b, n, s, 0) })
}

// set3 sets the forms in which a is a vector.
func (t *table) set3(op Op, typ dtype.Type, loop loop3) {
	for form := Form(0); form < 8; form += 2 {
		sb, sc := form.stride(1, typ), form.stride(2, typ)
		t.set(op, typ, form, func(dst, a, b, c, _ unsafe.Pointer, n int) { loop(dst, a, b, c, n, sb, sc) })
	}
}

// stride returns how many bytes the elements of operand i are apart.
func (f Form) stride(i int, typ dtype.Type) int {
	if f>>i&1 != 0 {
		return 0
	}
	return typ.Size()
}
