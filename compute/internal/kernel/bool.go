package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setBool sets every operation on bools, which are bytes here: any but 0 is true.
func setBool(t *table) {
	typ := dtype.Bool

	setCopy[uint8](t, typ)
	setWhere[uint8](t, typ)
	setIntegral(t, typ, truths)

	t.set1(Abs, typ, truths)
	t.set1(Not, typ, not[uint8])
	t.set1(Invert, typ, not[uint8])

	for _, op := range []Op{Or, Add, Max, FMax} {
		t.set2(op, typ, orBool)
	}
	for _, op := range []Op{And, Mul, Min, FMin} {
		t.set2(op, typ, andBool)
	}
	for _, op := range []Op{Xor, NotEqual} {
		t.set2(op, typ, xorBool)
	}

	t.set2(Equal, typ, equalBool)
	t.set2(Less, typ, lessBool)
	t.set2(LessEqual, typ, lessEqualBool)
	t.set2(Greater, typ, greaterBool)
	t.set2(GreaterEqual, typ, greaterEqualBool)
}

// truth returns 1 for true and 0 for false.
func truth(x uint8) uint8 {
	if x != 0 {
		return 1
	}
	return 0
}

func truths(dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, truth)
}

func orBool(dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y uint8) bool { return x|y != 0 })
}

func andBool(dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y uint8) bool { return min(x, y) != 0 })
}

func xorBool(dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y uint8) uint8 { return truth(x) ^ truth(y) })
}

func equalBool(dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y uint8) bool { return truth(x) == truth(y) })
}

func lessBool(dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y uint8) bool { return truth(x) < truth(y) })
}

func lessEqualBool(dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y uint8) bool { return truth(x) <= truth(y) })
}

func greaterBool(dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y uint8) bool { return truth(x) > truth(y) })
}

func greaterEqualBool(dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y uint8) bool { return truth(x) >= truth(y) })
}
