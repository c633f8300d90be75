package bind

import (
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
)

// swapped are the comparisons that hold for y and x where the others do for x and y.
var swapped = map[kernel.Op]kernel.Op{
	kernel.Equal: kernel.Equal, kernel.NotEqual: kernel.NotEqual,
	kernel.Less: kernel.Greater, kernel.Greater: kernel.Less,
	kernel.LessEqual: kernel.GreaterEqual, kernel.GreaterEqual: kernel.LessEqual,
}

// comparison binds a comparison. That of integers is exact, whatever their types are.
func comparison(op kernel.Op) infixFunc {
	return func(b *binder, name string, x, y value) (value, error) {
		if y.weak != nil {
			return b.compareNumber(name, op, x, *y.weak)
		}
		if x.weak != nil {
			return b.compareNumber(name, swapped[op], y, *x.weak)
		}
		if kindSetOf(x.node.DType)&kindSetOf(y.node.DType)&takesInt != 0 && meetingType(x, y) == dtype.Float64 {
			return b.compareMixed(name, op, x.node, y.node)
		}
		return b.mapped(name, op, meetingType, takesAll, x, y)
	}
}

// compareNumber compares with a number without a type, which may be an integer beyond all elements.
func (b *binder) compareNumber(name string, op kernel.Op, x value, n number.Number) (value, error) {
	t := meetingType(x, value{weak: &n})
	if n.Kind == dtype.KindInt && kindSetOf(t)&takesInt != 0 && number.CheckRange(t, n.Int) != nil {
		beyond := op == kernel.NotEqual
		if n.Int.Sign() > 0 {
			beyond = beyond || op == kernel.Less || op == kernel.LessEqual
		} else {
			beyond = beyond || op == kernel.Greater || op == kernel.GreaterEqual
		}
		return value{node: b.Stretch(b.Scalar(dtype.ScalarOf(beyond)), x.node.Shape)}, nil
	}
	return b.mapped(name, op, meetingType, takesAll, x, value{weak: &n})
}

// compareMixed compares signed integers with unsigned ones of 64 bits. It compares both as unsigned
// numbers and corrects the result where the signed number is negative.
func (b *binder) compareMixed(name string, op kernel.Op, x, y *graph.Node) (value, error) {
	if x.DType.Kind() == dtype.KindUint {
		x, y, op = y, x, swapped[op]
	}

	zero := b.Scalar(dtype.ScalarOf(int64(0)).Convert(x.DType))
	unsigned, err := b.Apply(name, op, b.Cast(x, dtype.Uint64), b.Cast(y, dtype.Uint64))
	if err != nil {
		return value{}, err
	}

	// x is the signed operand. A negative x is less than any y, so the order of x and zero decides
	// there.
	sign, join := kernel.GreaterEqual, kernel.And
	if op == kernel.Less || op == kernel.LessEqual || op == kernel.NotEqual {
		sign, join = kernel.Less, kernel.Or
	}
	known, err := b.Apply(name, sign, x, zero)
	if err != nil {
		return value{}, err
	}
	n, err := b.Apply(name, join, known, unsigned)
	return value{node: n}, err
}
