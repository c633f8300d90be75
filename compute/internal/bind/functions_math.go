package bind

import (
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
)

// elementwise binds a function that is one operation on operands, in the type that rule tells.
func elementwise(op kernel.Op, rule typeRule, takes kindSet) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		v, err := c.values()
		if err != nil {
			return value{}, err
		}
		return b.mapped(c.name(), op, rule, takes, v...)
	}
}

// realMath binds a function of floats, which integers and bools become.
func realMath(op kernel.Op) func(b *binder, c *call) (value, error) {
	return elementwise(op, mathType, takesFloat)
}

// inexactMath binds a function of floats and complex numbers.
func inexactMath(op kernel.Op) func(b *binder, c *call) (value, error) {
	return elementwise(op, mathType, takesInexact)
}

var arithmeticFunctions = []function{
	{name: "abs", aliases: "absolute", params: "x", bind: elementwise(kernel.Abs, meetingType, takesAll), doc: "magnitude; of complex numbers a float"},
	{name: "fabs", params: "x", bind: realMath(kernel.Abs), doc: "magnitude as a float"},
	{name: "sign", aliases: "sgn", params: "x", bind: elementwise(kernel.Sign, meetingType, takesNumbers), doc: "-1, 0 or 1; of complex numbers x/abs(x)"},
	{name: "square", params: "x", bind: elementwise(kernel.Square, intForBool, takesNumbers), doc: "x*x"},
	{name: "reciprocal", params: "x", bind: elementwise(kernel.Reciprocal, intForBool, takesNumbers), doc: "1/x; of integers rounded towards 0, and 0 of 0"},
	{name: "fmod", params: "x1, x2", bind: elementwise(kernel.Fmod, intForBool, takesReal), doc: "rest of a division towards 0, with the sign of x1"},
	{name: "sqrt", params: "x", bind: inexactMath(kernel.Sqrt), doc: "square root"},
	{name: "cbrt", params: "x", bind: realMath(kernel.Cbrt), doc: "cube root"},
	{name: "hypot", params: "x1, x2", bind: realMath(kernel.Hypot), doc: "sqrt(x1*x1 + x2*x2) without overflow"},
	{name: "copysign", params: "x1, x2", bind: realMath(kernel.CopySign), doc: "x1 with the sign of x2"},
	{name: "nextafter", params: "x1, x2", bind: realMath(kernel.NextAfter), doc: "the next float after x1 towards x2"},
}

var exponentFunctions = []function{
	{name: "exp", params: "x", bind: inexactMath(kernel.Exp), doc: "e to the power of x"},
	{name: "exp2", params: "x", bind: inexactMath(kernel.Exp2), doc: "2 to the power of x"},
	{name: "expm1", params: "x", bind: inexactMath(kernel.Expm1), doc: "exp(x) - 1, exact near 0"},
	{name: "log", aliases: "ln", params: "x", bind: inexactMath(kernel.Log), doc: "natural logarithm"},
	{name: "log2", params: "x", bind: inexactMath(kernel.Log2), doc: "logarithm to base 2"},
	{name: "log10", params: "x", bind: inexactMath(kernel.Log10), doc: "logarithm to base 10"},
	{name: "log1p", params: "x", bind: inexactMath(kernel.Log1p), doc: "log(1 + x), exact near 0"},
	{name: "logaddexp", params: "x1, x2", bind: realMath(kernel.LogAddExp), doc: "log(exp(x1) + exp(x2)) without overflow"},
}

var angleFunctions = []function{
	{name: "sin", params: "x", bind: inexactMath(kernel.Sin), doc: "sine"},
	{name: "cos", params: "x", bind: inexactMath(kernel.Cos), doc: "cosine"},
	{name: "tan", params: "x", bind: inexactMath(kernel.Tan), doc: "tangent"},
	{name: "asin", aliases: "arcsin", params: "x", bind: inexactMath(kernel.Asin), doc: "inverse sine"},
	{name: "acos", aliases: "arccos", params: "x", bind: inexactMath(kernel.Acos), doc: "inverse cosine"},
	{name: "atan", aliases: "arctan", params: "x", bind: inexactMath(kernel.Atan), doc: "inverse tangent"},
	{name: "atan2", aliases: "arctan2", params: "x1, x2", bind: realMath(kernel.Atan2), doc: "angle of the point with y = x1 and x = x2"},
	{name: "sinh", params: "x", bind: inexactMath(kernel.Sinh), doc: "hyperbolic sine"},
	{name: "cosh", params: "x", bind: inexactMath(kernel.Cosh), doc: "hyperbolic cosine"},
	{name: "tanh", params: "x", bind: inexactMath(kernel.Tanh), doc: "hyperbolic tangent"},
	{name: "asinh", aliases: "arcsinh", params: "x", bind: inexactMath(kernel.Asinh), doc: "inverse hyperbolic sine"},
	{name: "acosh", aliases: "arccosh", params: "x", bind: inexactMath(kernel.Acosh), doc: "inverse hyperbolic cosine"},
	{name: "atanh", aliases: "arctanh", params: "x", bind: inexactMath(kernel.Atanh), doc: "inverse hyperbolic tangent"},
	{name: "deg2rad", aliases: "radians", params: "x", bind: scaled(math.Pi / 180), doc: "degrees as radians"},
	{name: "rad2deg", aliases: "degrees", params: "x", bind: scaled(180 / math.Pi), doc: "radians as degrees"},
}

var specialFunctions = []function{
	{name: "erf", params: "x", bind: realMath(kernel.Erf), doc: "error function"},
	{name: "erfc", params: "x", bind: realMath(kernel.Erfc), doc: "1 - erf(x), exact for large x"},
	{name: "sigmoid", aliases: "expit", params: "x", bind: realMath(kernel.Sigmoid), doc: "1/(1 + exp(-x))"},
	{name: "relu", params: "x", bind: elementwise(kernel.Relu, meetingType, takesReal), doc: "x where it is positive, else 0"},
	{name: "gelu", params: "x", bind: realMath(kernel.Gelu), doc: "x/2 * (1 + erf(x/sqrt(2)))"},
	{name: "softmax", params: "x, axis=None", bind: defined(softmaxText), doc: "exp(x)/sum(exp(x), axis) without overflow"},
	{name: "log_softmax", params: "x, axis=None", bind: defined(logSoftmaxText), doc: "log(softmax(x, axis)) without overflow"},
}

// scaled binds a multiplication by a constant. For small float types the product is computed in
// float32, so that the constant is not rounded to the small type.
func scaled(factor float64) func(b *binder, c *call) (value, error) {
	by := number.Float(factor)
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("x")
		if err != nil {
			return value{}, err
		}

		t := mathType(value{node: x})
		x = b.Cast(x, t)
		if _, small := machine.Round(t); small {
			x = b.Cast(x, dtype.Float32)
		}

		v, err := b.mapped(c.name(), kernel.Mul, meetingType, takesFloat, value{node: x}, value{weak: &by})
		if err != nil {
			return value{}, err
		}
		return value{node: b.Cast(v.node, t)}, nil
	}
}

// Softmax and its logarithm in the steps of scipy.special.
const (
	softmaxText    = "exp(x - max(x, axis=axis, keepdims=True))/sum(exp(x - max(x, axis=axis, keepdims=True)), axis=axis, keepdims=True)"
	shifted        = "(x - where(isfinite(max(x, axis=axis, keepdims=True)), max(x, axis=axis, keepdims=True), False))"
	logSoftmaxText = shifted + " - log(sum(exp(" + shifted + "), axis=axis, keepdims=True))"
)
