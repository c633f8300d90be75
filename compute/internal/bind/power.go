package bind

import (
	"errors"
	"math/big"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

var errNegativePower = errors.New("integers to negative integer powers are not there: write x.astype(float64) ** y")

// bindPower binds x ** y. As in NumPy, constant powers that are squares, roots, reciprocals or x
// itself become those operations.
func bindPower(b *binder, name string, x, y value) (value, error) {
	t := intForBool(x, y)
	exponent, constant := y.constant()
	constant = constant && exponent.Kind != dtype.KindComplex

	if constant && exponent.IsInt() && exponent.Int.Sign() < 0 && kindSetOf(t)&takesWhole != 0 {
		return value{}, errNegativePower
	}

	// NumPy squares bools as int8.
	if constant && y.weak != nil && exponent.IsInt() && x.node.DType == dtype.Bool && exponent.Equal(two) {
		t = dtype.Int8
	}

	if constant {
		if n, done, err := b.simplePower(x, t, exponent); done || err != nil {
			return value{node: n}, err
		}
	}

	if err := b.checkPowers(y, t); err != nil {
		return value{}, err
	}
	return b.mapped(name, kernel.Pow, intForBool, takesNumbers, x, y)
}

var two = number.Int(big.NewInt(2))

// simplePower returns x ** exponent if another operation computes it. Done is false if none does.
func (b *binder) simplePower(x value, t dtype.Type, exponent number.Number) (n *graph.Node, done bool, err error) {
	e, err := exponent.Float64()
	if err != nil || x.node == nil {
		return nil, false, nil
	}

	inexact := kindSetOf(t)&takesInexact != 0
	var op kernel.Op
	switch {
	case e == 1:
		return b.Cast(x.node, t), true, nil
	case e == 2:
		op = kernel.Square
	case e == 0.5 && inexact:
		op = kernel.Sqrt
	case e == -1 && inexact:
		op = kernel.Reciprocal
	default:
		return nil, false, nil
	}

	n, err = b.Apply("**", op, b.Cast(x.node, t))
	return n, true, err
}

// checkPowers makes sure that no power of integers of type t is negative.
func (b *binder) checkPowers(y value, t dtype.Type) error {
	if t.Kind() != dtype.KindInt || y.node == nil || y.node.DType.Kind() != dtype.KindInt || y.node.Kind == graph.NodeScalar {
		return nil
	}
	negative, err := b.Apply("**", kernel.Less, y.node, b.Scalar(dtype.ScalarOf(int8(0)).Convert(y.node.DType)))
	if err != nil {
		return err
	}
	some, err := b.Value(b.Reduction(negative, nil, graph.Reduction{Op: reduce.Any, Axes: graph.AllAxes(len(negative.Shape))}))
	if err != nil {
		return err
	}
	if !some.IsZero() {
		return errNegativePower
	}
	return nil
}
