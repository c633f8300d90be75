package main

import "github.com/mmcloughlin/avo/operand"

// An integerOp is an operation on integers with results of the same type.
type integerOp struct {
	operation
	start func(n integer) func(x []value) value
}

// modular holds the operations that are the same for signed and unsigned integers.
var modular = []integerOp{
	{operation{op: "Neg", formula: "-a", operands: 1}, func(n integer) func([]value) value {
		zero := n.zero()
		return func(x []value) value { return n.sub(zero, x[0]) }
	}},
	{operation{op: "Invert", formula: "^a", operands: 1}, func(n integer) func([]value) value {
		ones := n.ones()
		return func(x []value) value { return n.xor(ones, x[0]) }
	}},
	{operation{op: "Add", formula: "a + b", operands: 2, scalars: bothForms, swapped: true}, plain(integer.add)},
	{operation{op: "Sub", formula: "a - b", operands: 2, scalars: bothForms}, plain(integer.sub)},
	{operation{op: "Mul", formula: "a·b", operands: 2, scalars: bothForms, swapped: true, unroll: 2}, func(n integer) func([]value) value {
		mul := n.startMul()
		return func(x []value) value { return mul(x[0], x[1]) }
	}},
	{operation{op: "And", formula: "a & b", operands: 2, scalars: bothForms, swapped: true}, plain(func(n integer, a, b value) value { return n.and(a, b) })},
	{operation{op: "Or", formula: "a | b", operands: 2, scalars: bothForms, swapped: true}, plain(func(n integer, a, b value) value { return n.or(a, b) })},
	{operation{op: "Xor", formula: "a ^ b", operands: 2, scalars: bothForms, swapped: true}, plain(func(n integer, a, b value) value { return n.xor(a, b) })},
}

// orderedOps holds the operations that depend on the sign.
var orderedOps = []integerOp{
	{operation{op: "Min", formula: "min(a, b)", operands: 2, scalars: bothForms, swapped: true}, extremeOf(false)},
	{operation{op: "Max", formula: "max(a, b)", operands: 2, scalars: bothForms, swapped: true}, extremeOf(true)},
	{operation{op: "Sign", formula: "the sign of a", operands: 1}, startIntegerSign},
}

// signedOps holds the operations on signed integers that leave unsigned ones as they are.
var signedOps = []integerOp{
	{operation{op: "Abs", formula: "|a|", operands: 1}, func(n integer) func([]value) value {
		abs := n.startAbs()
		return func(x []value) value { return abs(x[0]) }
	}},
	{operation{op: "Relu", formula: "max(a, 0)", operands: 1}, func(n integer) func([]value) value {
		zero, greatest := n.zero(), n.startExtreme(true)
		return func(x []value) value { return greatest(x[0], zero) }
	}},
}

// An integerTest is an operation on integers with bools as results: a comparison with b, or with 0.
type integerTest struct {
	operation
	how operand.U8
}

var modularTests = []integerTest{
	{operation{op: "Equal", formula: "a = b", operands: 2, scalars: bothForms, swapped: true}, intEqual},
	{operation{op: "NotEqual", formula: "a ≠ b", operands: 2, scalars: bothForms, swapped: true}, intNotEqual},
	{operation{op: "Not", formula: "a = 0", operands: 1}, intEqual},
}

var orderedTests = []integerTest{
	{operation{op: "Less", formula: "a < b", operands: 2, scalars: bothForms}, intLess},
	{operation{op: "LessEqual", formula: "a ≤ b", operands: 2, scalars: bothForms}, intLessEqual},
}

// plain is the start of an operation without constants on two integers.
func plain(f func(n integer, a, b value) value) func(integer) func([]value) value {
	return func(n integer) func([]value) value {
		return func(x []value) value { return f(n, x[0], x[1]) }
	}
}

func extremeOf(greatest bool) func(integer) func([]value) value {
	return func(n integer) func([]value) value {
		extreme := n.startExtreme(greatest)
		return func(x []value) value { return extreme(x[0], x[1]) }
	}
}

func startIntegerSign(n integer) func(x []value) value {
	one, least := n.broadcast(1, n.size), n.startExtreme(false)
	if !n.signed {
		return func(x []value) value { return least(x[0], one) }
	}
	minusOne, greatest := n.ones(), n.startExtreme(true)
	return func(x []value) value { return greatest(least(x[0], one), minusOne) }
}

func emitInteger(k *asm) {
	for _, size := range []int{1, 2, 4, 8} {
		n := integer{asm: k, size: size}
		n.emitOps(modular, n.types()...)
		n.emitTests(modularTests, n.types()...)
		n.emitShiftLeft()
		for _, n.signed = range []bool{true, false} {
			n.emitOps(orderedOps, n.typ())
			n.emitTests(orderedTests, n.typ())
			n.emitShiftRight()
		}
		n.signed = true
		n.emitOps(signedOps, n.typ())
	}
}

// emitOps emits operations for some types.
func (n integer) emitOps(ops []integerOp, types ...string) {
	for _, o := range ops {
		n.emitOperation(o.operation, loop{start: func(*asm) func([][]value) []value {
			step := o.start(n)
			return each(func(x ...value) value { return step(x) })
		}}, n.size, types...)
	}
}

func (n integer) emitTests(tests []integerTest, types ...string) {
	for _, o := range tests {
		n.emitOperation(o.operation, loop{dst: 1, start: func(*asm) func([][]value) []value {
			zero := n.zero()
			compare, opposite := n.startCompare(o.how)
			pack := n.packBools(n.size, opposite)
			mask := each(func(x ...value) value { return compare(x[0], append(x, zero)[1]) })
			return func(in [][]value) []value { return pack(mask(in)) }
		}}, n.size, types...)
	}
}
