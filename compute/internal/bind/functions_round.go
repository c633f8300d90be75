package bind

import (
	"errors"
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
)

var roundingFunctions = []function{
	{name: "floor", params: "x", bind: rounding(kernel.Floor), doc: "the integer at or below x; integers stay as they are"},
	{name: "ceil", params: "x", bind: rounding(kernel.Ceil), doc: "the integer at or above x; integers stay as they are"},
	{name: "trunc", aliases: "fix", params: "x", bind: rounding(kernel.Trunc), doc: "the integer at x or next to it towards 0; integers stay as they are"},
	{name: "rint", params: "x", bind: elementwise(kernel.Rint, mathType, takesInexact), doc: "the nearest integer, ties to even; of integers a float"},
	{name: "round", aliases: "around", params: "x, decimals=0", bind: bindRound, doc: "the nearest number with so many decimals, ties to even; integers stay integers"},
}

// rounding binds a function that leaves integers alone.
func rounding(op kernel.Op) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("x")
		if err != nil || kindSetOf(x.DType)&takesWhole != 0 {
			return value{node: x}, err
		}
		return b.mapped(c.name(), op, meetingType, takesFloat, value{node: x})
	}
}

// maxDecimals is beyond the decimals of all types.
const maxDecimals = 400

// bindRound binds round: it moves the decimal point, rounds to integers, and moves it back.
func bindRound(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}

	decimals, err := c.int("decimals", 0)
	if err != nil {
		return value{}, err
	}
	if decimals < -maxDecimals || decimals > maxDecimals {
		return value{}, c.arg("decimals").At.Errorf("decimals are from %d to %d", -maxDecimals, maxDecimals)
	}

	whole := kindSetOf(x.DType)&takesInt != 0
	switch {
	case whole && decimals >= 0:
		return value{node: x}, nil
	case decimals == 0:
		return b.mapped(c.name(), kernel.Rint, mathType, takesInexact, value{node: x})
	}

	if x.DType == dtype.Bool {
		return value{}, errors.New("round to decimals takes integer, float or complex elements, found bool")
	}

	there, back := kernel.Mul, kernel.Div
	factor := number.Float(math.Pow10(max(decimals, -decimals)))
	if x.DType.Kind() == dtype.KindComplex { // a product with an infinite part would make the other part NaN
		there, back = kernel.MulParts, kernel.DivParts
		factor = number.Complex(complex(real(factor.Complex), real(factor.Complex)))
	}

	// The factor is a power of ten of at least 1, which is exact up to 1e22, so negative decimals
	// divide first.
	if decimals < 0 {
		there, back = back, there
	}

	v := value{node: x}
	for _, step := range []kernel.Op{there, kernel.Rint, back} {
		operands := []value{v, {weak: &factor}}[:step.NumOperands()]
		if v, err = b.mapped(c.name(), step, inexactType, takesInexact, operands...); err != nil {
			return value{}, err
		}
	}

	if whole {
		v.node = b.Cast(v.node, x.DType)
	}
	return v, nil
}
