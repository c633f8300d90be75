package bind

import (
	"errors"
	"math/big"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// operators are the functions that have a symbol.
var operators = []function{
	{name: "add", params: "x1, x2", symbol: "+", prec: syntax.PrecSum, bind: infix(bindAdd, number.Add.Apply),
		doc: "sum; of bools or"},
	{name: "subtract", params: "x1, x2", symbol: "-", prec: syntax.PrecSum, bind: infix(bindSub, number.Sub.Apply),
		doc: "difference; not of bools"},
	{name: "multiply", params: "x1, x2", symbol: "*", prec: syntax.PrecProduct, bind: infix(bindMul, number.Mul.Apply),
		doc: "product; of bools and"},
	{name: "divide", aliases: "true_divide", params: "x1, x2", symbol: "/", prec: syntax.PrecProduct, bind: infix(bindDivide, number.Div.Apply),
		doc: "quotient; of bools and integers float64"},
	{name: "floor_divide", params: "x1, x2", symbol: "//", prec: syntax.PrecProduct, bind: infix(bindFloorDiv, number.FloorDiv.Apply),
		doc: "quotient, rounded towards minus infinity; of integers by 0: 0"},
	{name: "remainder", aliases: "mod", params: "x1, x2", symbol: "%", prec: syntax.PrecProduct, bind: infix(bindMod, number.Mod.Apply),
		doc: "rest of floor_divide, with the sign of x2; of integers by 0: 0"},
	{name: "matmul", params: "x1, x2", symbol: "@", prec: syntax.PrecProduct, bind: bindMatmul,
		doc: "products of the matrices in the last two axes; of one axis as a row (x1) or a column (x2)"},
	{name: "power", aliases: "pow", params: "x1, x2", symbol: "**", prec: syntax.PrecPower, bind: infix(bindPower, number.Pow.Apply),
		doc: "power; integers to negative integer powers are an error"},
	{name: "positive", params: "x", symbol: "+", prec: syntax.PrecUnary, bind: prefix(bindPositive, number.Positive),
		doc: "x itself; not of bools"},
	{name: "negative", aliases: "neg", params: "x", symbol: "-", prec: syntax.PrecUnary, bind: prefix(bindNegative, number.Negative),
		doc: "-x; not of bools"},
	{name: "invert", aliases: "bitwise_not bitwise_invert", params: "x", symbol: "~", prec: syntax.PrecUnary, bind: prefix(bindInvert, number.Invert),
		doc: "each bit inverted; of bools not"},
	{name: "bitwise_and", params: "x1, x2", symbol: "&", prec: syntax.PrecAnd, bind: infix(bitwise(kernel.And), number.Bits((*big.Int).And)),
		doc: "and of bits, or of bools"},
	{name: "bitwise_or", params: "x1, x2", symbol: "|", prec: syntax.PrecOr, bind: infix(bitwise(kernel.Or), number.Bits((*big.Int).Or)),
		doc: "or of bits, or of bools"},
	{name: "bitwise_xor", params: "x1, x2", symbol: "^", prec: syntax.PrecXor, bind: infix(bitwise(kernel.Xor), number.Bits((*big.Int).Xor)),
		doc: "exclusive or of bits, or of bools"},
	{name: "left_shift", aliases: "bitwise_left_shift", params: "x1, x2", symbol: "<<", prec: syntax.PrecShift, bind: infix(shift(kernel.Shl), number.Shl.Apply),
		doc: "bits of x1 moved x2 places up; 0 beyond the width"},
	{name: "right_shift", aliases: "bitwise_right_shift", params: "x1, x2", symbol: ">>", prec: syntax.PrecShift, bind: infix(shift(kernel.Shr), number.Shr.Apply),
		doc: "bits of x1 moved x2 places down, with the sign"},
	{name: "equal", params: "x1, x2", symbol: "==", prec: syntax.PrecCompare,
		bind: infix(comparison(kernel.Equal), number.Comparison(false, func(order int) bool { return order == 0 })),
		doc:  "bools; integers of any types are compared exactly"},
	{name: "not_equal", params: "x1, x2", symbol: "!=", prec: syntax.PrecCompare,
		bind: infix(comparison(kernel.NotEqual), number.Comparison(false, func(order int) bool { return order != 0 })),
		doc:  "bools"},
	{name: "less", params: "x1, x2", symbol: "<", prec: syntax.PrecCompare,
		bind: infix(comparison(kernel.Less), number.Comparison(true, func(order int) bool { return order == -1 })),
		doc:  "bools; complex numbers in the order of real, then imaginary parts"},
	{name: "less_equal", params: "x1, x2", symbol: "<=", prec: syntax.PrecCompare,
		bind: infix(comparison(kernel.LessEqual), number.Comparison(true, func(order int) bool { return order <= 0 })),
		doc:  "bools"},
	{name: "greater", params: "x1, x2", symbol: ">", prec: syntax.PrecCompare,
		bind: infix(comparison(kernel.Greater), number.Comparison(true, func(order int) bool { return order == 1 })),
		doc:  "bools"},
	{name: "greater_equal", params: "x1, x2", symbol: ">=", prec: syntax.PrecCompare,
		bind: infix(comparison(kernel.GreaterEqual), number.Comparison(true, func(order int) bool { return order == 0 || order == 1 })),
		doc:  "bools"},
}

// An infixFunc makes a node of two operands. At least one of them is a node.
type infixFunc func(b *binder, name string, x, y value) (value, error)

// infix binds an operator with two operands. Numbers without types are computed with as Python
// does, and stay so.
func infix(nodes infixFunc, numbers func(x, y number.Number) (number.Number, error)) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		v, err := c.values()
		if err != nil {
			return value{}, err
		}
		if v[0].node == nil && v[1].node == nil {
			n, err := numbers(*v[0].weak, *v[1].weak)
			return value{weak: &n}, err
		}
		return nodes(b, c.name(), v[0], v[1])
	}
}

// prefix is infix for an operator with one operand.
func prefix(nodes func(b *binder, name string, x value) (value, error), numbers func(x number.Number) (number.Number, error)) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		v, err := c.values()
		if err != nil {
			return value{}, err
		}
		if v[0].node == nil {
			n, err := numbers(*v[0].weak)
			return value{weak: &n}, err
		}
		return nodes(b, c.name(), v[0])
	}
}

func bindAdd(b *binder, name string, x, y value) (value, error) {
	op := kernel.Add
	if meetingType(x, y) == dtype.Bool {
		op = kernel.Or
	}
	return b.mapped(name, op, meetingType, takesAll, x, y)
}

func bindSub(b *binder, name string, x, y value) (value, error) {
	if meetingType(x, y) == dtype.Bool {
		return value{}, errors.New("- takes no bool elements: write ^ or logical_xor")
	}
	return b.mapped(name, kernel.Sub, meetingType, takesNumbers, x, y)
}

func bindMul(b *binder, name string, x, y value) (value, error) {
	op := kernel.Mul
	if meetingType(x, y) == dtype.Bool {
		op = kernel.And
	}
	return b.mapped(name, op, meetingType, takesAll, x, y)
}

func bindDivide(b *binder, name string, x, y value) (value, error) {
	return b.mapped(name, kernel.Div, inexactType, takesInexact, x, y)
}

func bindFloorDiv(b *binder, name string, x, y value) (value, error) {
	return b.mapped(name, kernel.FloorDiv, intForBool, takesReal, x, y)
}

func bindMod(b *binder, name string, x, y value) (value, error) {
	return b.mapped(name, kernel.Mod, intForBool, takesReal, x, y)
}

func bindMax(b *binder, name string, x, y value) (value, error) {
	return b.extremum(name, kernel.Max, x, y)
}

func bindMin(b *binder, name string, x, y value) (value, error) {
	return b.extremum(name, kernel.Min, x, y)
}

// extremum is the larger or the smaller one of two, of bools or or and.
func (b *binder) extremum(name string, op kernel.Op, x, y value) (value, error) {
	if meetingType(x, y) == dtype.Bool {
		if op == kernel.Max || op == kernel.FMax {
			op = kernel.Or
		} else {
			op = kernel.And
		}
	}
	return b.mapped(name, op, meetingType, takesAll, x, y)
}

func bitwise(op kernel.Op) infixFunc {
	return func(b *binder, name string, x, y value) (value, error) {
		return b.mapped(name, op, meetingType, takesWhole, x, y)
	}
}

func shift(op kernel.Op) infixFunc {
	return func(b *binder, name string, x, y value) (value, error) {
		return b.mapped(name, op, intForBool, takesInt, x, y)
	}
}

func bindPositive(b *binder, name string, x value) (value, error) {
	return x, takesNumbers.check(name, x.node.DType)
}

func bindNegative(b *binder, name string, x value) (value, error) {
	if x.node.DType == dtype.Bool {
		return value{}, errors.New("- takes no bool elements: write ~ or logical_not")
	}
	return b.mapped(name, kernel.Neg, meetingType, takesNumbers, x)
}

func bindInvert(b *binder, name string, x value) (value, error) {
	return b.mapped(name, kernel.Invert, meetingType, takesWhole, x)
}
