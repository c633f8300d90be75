package compute

import (
	"github.com/tstore/tstore/compute/internal/kernel"
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
		if kindSetOf(x.node.dtype)&kindSetOf(y.node.dtype)&takesInt != 0 && meetingType(x, y) == dtype.Float64 {
			return b.compareMixed(name, op, x.node, y.node)
		}
		return b.mapped(name, op, meetingType, takesAll, x, y)
	}
}

// compareNumber compares with a number without a type, which may be an integer beyond all elements.
func (b *binder) compareNumber(name string, op kernel.Op, x value, n number) (value, error) {
	t := meetingType(x, value{weak: &n})
	if n.kind == dtype.KindInt && kindSetOf(t)&takesInt != 0 && checkIntRange(t, n.i) != nil {
		beyond := op == kernel.NotEqual
		if n.i.Sign() > 0 {
			beyond = beyond || op == kernel.Less || op == kernel.LessEqual
		} else {
			beyond = beyond || op == kernel.Greater || op == kernel.GreaterEqual
		}
		return value{node: b.stretch(b.scalar(dtype.ScalarOf(beyond)), x.node.shape)}, nil
	}
	return b.mapped(name, op, meetingType, takesAll, x, value{weak: &n})
}

// compareMixed compares signed integers with unsigned ones of 64 bits: as unsigned ones, where the signed are not
// negative.
func (b *binder) compareMixed(name string, op kernel.Op, x, y *node) (value, error) {
	if x.dtype.Kind() == dtype.KindUint {
		x, y, op = y, x, swapped[op]
	}
	zero := b.scalar(dtype.ScalarOf(int64(0)).Convert(x.dtype))
	unsigned, err := b.apply(name, op, b.cast(x, dtype.Uint64), b.cast(y, dtype.Uint64))
	if err != nil {
		return value{}, err
	}
	sign, join := kernel.GreaterEqual, kernel.And
	if op == kernel.Less || op == kernel.LessEqual || op == kernel.NotEqual {
		sign, join = kernel.Less, kernel.Or
	}
	known, err := b.apply(name, sign, x, zero)
	if err != nil {
		return value{}, err
	}
	n, err := b.apply(name, join, known, unsigned)
	return value{node: n}, err
}
