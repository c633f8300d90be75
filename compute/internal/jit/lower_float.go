package jit

import (
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

func (l *lowering) compareFloats(predicate, size, a, b int) int {
	return l.binaryBy(cmpFloat.of(size), 0, a, b, predicate)
}

// unaryFloat is an operation on one float.
func (l *lowering) unaryFloat(op kernel.Op, t dtype.Type, a int) value {
	size := t.Size()
	of := func(node int) value { return value{node: node, typ: t} }
	zero := func() int { return l.literal(0, size) }

	switch op {
	case kernel.Neg:
		return of(l.binary(xor.of(size), size, a, l.literal(signBit(size), size)))
	case kernel.Abs:
		return of(l.absolute(size, a))
	case kernel.Sign:
		above := l.compareFloats(floatGreater, size, a, zero())
		below := l.compareFloats(floatLess, size, a, zero())
		nan := l.compareFloats(floatUnordered, size, a, a)
		small := l.choose(size, nan, a, zero())
		return of(l.choose(size, above, l.number(1, size), l.choose(size, below, l.number(-1, size), small)))
	case kernel.Reciprocal:
		return of(l.binary(divFloat.of(size), size, l.number(1, size), a))
	case kernel.Floor:
		return of(l.unaryBy(round.of(size), size, a, roundDown))
	case kernel.Ceil:
		return of(l.unaryBy(round.of(size), size, a, roundUp))
	case kernel.Trunc:
		return of(l.unaryBy(round.of(size), size, a, roundZero))
	case kernel.Rint:
		return of(l.unaryBy(round.of(size), size, a, roundNearest))
	case kernel.Sqrt:
		return of(l.unary(sqrtFloat.of(size), size, a))
	case kernel.Relu:
		return of(l.choose(size, l.compareFloats(floatNotLE, size, a, zero()), a, zero()))
	case kernel.Not:
		return truth(l.compareFloats(floatEqual, size, a, zero()))
	case kernel.IsNaN:
		return truth(l.compareFloats(floatUnordered, size, a, a))
	case kernel.IsInf:
		return truth(l.compareFloats(floatEqual, size, l.absolute(size, a), l.number(math.Inf(1), size)))
	case kernel.IsFinite:
		return truth(l.compareFloats(floatLess, size, l.absolute(size, a), l.number(math.Inf(1), size)))
	case kernel.SignBit:
		return truth(l.unary(signs.of(size), 0, a))
	case kernel.RoundFloat16:
		return l.convert(l.convert(of(a), dtype.Float16), t)
	case kernel.RoundBFloat16:
		return of(l.roundBFloat16(a))
	}

	if y, ok := l.function(op, size, a); ok {
		return of(y)
	}

	refuse("%v of type %v", op, t)
	return value{}
}

// absolute is a float without its sign.
func (l *lowering) absolute(size, a int) int {
	return l.binary(and.of(size), size, a, l.literal(signBit(size)-1, size))
}

// copySign is |a| with the sign of b.
func (l *lowering) copySign(size, a, b int) int {
	sign := l.literal(signBit(size), size)
	return l.binary(or.of(size), size, l.absolute(size, a), l.binary(and.of(size), size, b, sign))
}

// extreme is the less or the greater of two floats. The instruction gives b where either is NaN;
// what has to be a is chosen: where a is NaN, or, where NaN is to be left out, where b is.
func (l *lowering) extreme(p *family, leaveOut bool, size, a, b int) int {
	a = l.vector(a)
	x, of := l.binary(p.of(size), size, a, b), a
	if leaveOut {
		of = l.vector(b)
	}
	return l.choose(size, l.compareFloats(floatUnordered, size, of, of), a, x)
}
