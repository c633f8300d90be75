package jit

import (
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// A function adds the steps of a function of one float to a graph. They are the steps of the
// function in package kernel, with the same roundings.
type function func(f *floats, x int) int

// singles and doubles hold the functions of float32s and float64s.
var (
	singles = map[kernel.Op]function{
		kernel.Exp: expSingle, kernel.Exp2: exp2Single, kernel.Expm1: expm1Single, kernel.Sigmoid: sigmoidSingle, kernel.Tanh: tanhSingle,
		kernel.Log: logSingle, kernel.Log2: log2Single, kernel.Log10: log10Single, kernel.Log1p: log1pSingle,
	}
	doubles = map[kernel.Op]function{
		kernel.Exp: expDouble, kernel.Exp2: exp2Double, kernel.Expm1: expm1Double, kernel.Sigmoid: sigmoidDouble, kernel.Tanh: tanhDouble,
		kernel.Log: logDouble, kernel.Log2: log2Double, kernel.Log10: log10Double, kernel.Log1p: log1pDouble,
	}
)

// function returns the nodes of a function of x, if there are some.
func (l *lowering) function(op kernel.Op, size, x int) (y int, ok bool) {
	f, ok := doubles[op]
	if size == 4 {
		f, ok = singles[op]
	}
	if !ok {
		return 0, false
	}
	return f(&floats{lowering: l, size: size}, l.vector(x)), true
}

// floats adds steps on floats of one size.
type floats struct {
	*lowering
	size int
}

func (f *floats) num(x float64) int    { return f.number(x, f.size) }
func (f *floats) single(x float32) int { return f.number(float64(x), f.size) }

func (f *floats) add(a, b int) int { return f.binary(addFloat.of(f.size), f.size, a, b) }
func (f *floats) sub(a, b int) int { return f.binary(subFloat.of(f.size), f.size, a, b) }
func (f *floats) mul(a, b int) int { return f.binary(mulFloat.of(f.size), f.size, a, b) }
func (f *floats) div(a, b int) int { return f.binary(divFloat.of(f.size), f.size, a, b) }

// timesPlus, timesMinus and minusProduct are a·b + c, a·b - c and c - a·b, rounded once.

func (f *floats) timesPlus(a, b, c int) int  { return f.fused(&muladd, f.size, a, b, c) }
func (f *floats) timesMinus(a, b, c int) int { return f.fused(&mulsub, f.size, a, b, c) }
func (f *floats) minusProduct(a, b, c int) int {
	return f.fused(&nmuladd, f.size, a, b, c)
}

// scaled is p·2^n, rounded once.
func (f *floats) scaled(p, n int) int { return f.binary(scale.of(f.size), f.size, p, n) }

func (f *floats) negative(a int) int {
	return f.binary(xor.of(f.size), f.size, a, f.literal(signBit(f.size), f.size))
}

func (f *floats) compare(predicate, a, b int) int { return f.compareFloats(predicate, f.size, a, b) }

func (f *floats) pick(mask, yes, no int) int { return f.choose(f.size, mask, yes, no) }

// atMost is a, or hi if that is less; NaN of NaN. atLeast likewise.
func (f *floats) atMost(a, hi int) int  { return f.binary(minFloat.of(f.size), f.size, hi, a) }
func (f *floats) atLeast(a, lo int) int { return f.binary(maxFloat.of(f.size), f.size, lo, a) }

func (f *floats) clamp(a, lo, hi int) int { return f.atLeast(f.atMost(a, hi), lo) }

// poly is the polynomial with coefficients in the order of their powers.
func poly[T float32 | float64](f *floats, x int, coefficients []T) int {
	p := f.num(float64(coefficients[len(coefficients)-1]))
	for i := len(coefficients) - 2; i >= 0; i-- {
		p = f.timesPlus(p, x, f.num(float64(coefficients[i])))
	}
	return p
}

// A sum is the sum of two vectors.
type sum struct{ hi, lo int }

// fastSum is a + b where |a| ≥ |b|.
func (f *floats) fastSum(a, b int) sum {
	hi := f.add(a, b)
	return sum{hi, f.add(f.sub(a, hi), b)}
}

// twoSum is a + b.
func (f *floats) twoSum(a, b int) sum {
	hi := f.add(a, b)
	t := f.sub(hi, a)
	return sum{hi, f.add(f.sub(a, f.sub(hi, t)), f.sub(b, t))}
}

// infinite is +∞ with a sign.
func (f *floats) infinite(sign int) int { return f.num(math.Inf(sign)) }
