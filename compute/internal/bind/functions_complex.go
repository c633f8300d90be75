package bind

import (
	"math"
	"math/big"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

var complexFunctions = []function{
	{name: "real", params: "x", bind: bindReal, doc: "real part; of a stored tensor a view"},
	{name: "imag", params: "x", bind: bindImag, doc: "imaginary part; of real numbers 0"},
	{name: "conj", aliases: "conjugate", params: "x", bind: bindConj, doc: "complex conjugate; real numbers stay as they are"},
	{name: "angle", params: "x, deg=False", bind: bindAngle, doc: "angle in the complex plane, in radians or degrees"},
}

var (
	realStep = graph.MustMethods(".real")
	imagStep = graph.MustMethods(".imag")
)

func bindReal(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil || x.DType.Kind() != dtype.KindComplex {
		return value{node: x}, err
	}
	return b.part(x, realStep, kernel.Real)
}

func bindImag(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	if x.DType.Kind() != dtype.KindComplex {
		zero := b.Scalar(dtype.ScalarOf(int8(0)).Convert(x.DType))
		return value{node: b.Stretch(zero, x.Shape)}, nil
	}
	return b.part(x, imagStep, kernel.Imag)
}

// part returns the real or imaginary parts of complex numbers. For stored numbers it is a view.
func (b *binder) part(x *graph.Node, step view.Chain, op kernel.Op) (value, error) {
	if x.Kind == graph.NodeTensor {
		n, err := b.Reinterpreted(x, step)
		return value{node: n}, err
	}
	n, err := b.Apply(op.String(), op, x)
	return value{node: n}, err
}

func bindConj(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	if x.DType.Kind() != dtype.KindComplex {
		return value{node: x}, nil
	}
	n, err := b.Apply(c.name(), kernel.Conj, x)
	return value{node: n}, err
}

// bindAngle treats a real number as a complex one with imaginary part 0.
func bindAngle(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}

	degrees, err := c.flag("deg", false)
	if err != nil {
		return value{}, err
	}

	zero := number.Int(big.NewInt(0))
	var angle value
	if x.DType.Kind() == dtype.KindComplex {
		angle, err = b.mapped(c.name(), kernel.Angle, meetingType, takesComplex, value{node: x})
	} else {
		angle, err = b.mapped(c.name(), kernel.Atan2, mathType, takesFloat, value{weak: &zero}, value{node: x})
	}

	if err != nil || !degrees {
		return angle, err
	}

	factor := number.Float(180 / math.Pi)
	return b.mapped(c.name(), kernel.Mul, meetingType, takesFloat, angle, value{weak: &factor})
}
