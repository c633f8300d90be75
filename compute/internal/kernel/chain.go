package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setSums sets the sums and differences of three operands.
func setSums[T ordered](t *table, typ dtype.Type) {
	t.setChain3(Add3, typ, add3[T])
	t.setChain3(AddSub, typ, addSub[T])
	t.setChain3(SubAdd, typ, subAdd[T])
	t.setChain3(SubSub, typ, subSub[T])
}

// setChains sets what else does several steps of arithmetic on floats.
func setChains[T float](t *table, typ dtype.Type) {
	t.set2(DiffSquare, typ, diffSquare[T])
	t.set2(DiffOverSum, typ, diffOverSum[T])
	t.setChain3(Mul3, typ, mul3[T])
	t.setChain3(DiffMul, typ, diffMul[T])
	t.setChain3(DiffDiv, typ, diffDiv[T])
	t.setChain4(Mul3Add, typ, mul3Add[T])
	t.setChain4(MulAddAdd, typ, mulAddAdd[T])
	t.setChain4(MulAddMul, typ, mulAddMul[T])
	t.setChain4(MulSubMul, typ, mulSubMul[T])
	t.setChain4(DiffMulAdd, typ, diffMulAdd[T])
	t.setChain4(Horner, typ, horner[T])
}

// The conversions round each product, which the language else allows to be fused with the sum.

func diffSquare[T float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return (x - y) * (x - y) })
}

func diffOverSum[T float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return (x - y) / (x + y) })
}

func add3[T ordered](dst, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
	chain3(dst, a, b, c, n, sa, sb, sc, func(x, y, z T) T { return (x + y) + z })
}

func addSub[T ordered](dst, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
	chain3(dst, a, b, c, n, sa, sb, sc, func(x, y, z T) T { return (x + y) - z })
}

func subAdd[T ordered](dst, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
	chain3(dst, a, b, c, n, sa, sb, sc, func(x, y, z T) T { return (x - y) + z })
}

func subSub[T ordered](dst, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
	chain3(dst, a, b, c, n, sa, sb, sc, func(x, y, z T) T { return (x - y) - z })
}

func mul3[T float](dst, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
	chain3(dst, a, b, c, n, sa, sb, sc, func(x, y, z T) T { return T(x*y) * z })
}

func diffMul[T float](dst, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
	chain3(dst, a, b, c, n, sa, sb, sc, func(x, y, z T) T { return (x - y) * z })
}

func diffDiv[T float](dst, a, b, c unsafe.Pointer, n, sa, sb, sc int) {
	chain3(dst, a, b, c, n, sa, sb, sc, func(x, y, z T) T { return (x - y) / z })
}

func mul3Add[T float](dst, a, b, c, d unsafe.Pointer, n, sa, sb, sc, sd int) {
	chain4(dst, a, b, c, d, n, sa, sb, sc, sd, func(w, x, y, z T) T { return T(T(w*x)*y) + z })
}

func mulAddAdd[T float](dst, a, b, c, d unsafe.Pointer, n, sa, sb, sc, sd int) {
	chain4(dst, a, b, c, d, n, sa, sb, sc, sd, func(w, x, y, z T) T { return (T(w*x) + y) + z })
}

func mulAddMul[T float](dst, a, b, c, d unsafe.Pointer, n, sa, sb, sc, sd int) {
	chain4(dst, a, b, c, d, n, sa, sb, sc, sd, func(w, x, y, z T) T { return T(w*x) + T(y*z) })
}

func mulSubMul[T float](dst, a, b, c, d unsafe.Pointer, n, sa, sb, sc, sd int) {
	chain4(dst, a, b, c, d, n, sa, sb, sc, sd, func(w, x, y, z T) T { return T(w*x) - T(y*z) })
}

func diffMulAdd[T float](dst, a, b, c, d unsafe.Pointer, n, sa, sb, sc, sd int) {
	chain4(dst, a, b, c, d, n, sa, sb, sc, sd, func(w, x, y, z T) T { return T((w-x)*y) + z })
}

func horner[T float](dst, a, b, c, d unsafe.Pointer, n, sa, sb, sc, sd int) {
	chain4(dst, a, b, c, d, n, sa, sb, sc, sd, func(w, x, y, z T) T { return T((T(w*x)+y)*x) + z })
}
