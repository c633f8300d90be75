package jit

import "github.com/tstore/tstore/dtype"

// oddDouble converts 64-bit integers to float64, rounded to odd: rounding the result again, to 32
// bits or fewer, gives the same as rounding once. An integer of 2^53 or more whose lowest 12 bits
// are not all 0 gets these bits cleared and the next one set.
func (l *lowering) oddDouble(v value) int {
	const cut = 1<<12 - 1
	a := l.vector(v.node)
	magnitude := a
	if v.typ == dtype.Int64 {
		magnitude = l.binary(&xor.longs, 8, a, l.binary(&shiftSigned.longs, 8, a, l.literal(63, 8)))
	}
	large := l.compareInts(intNotLess, dtype.Uint64, magnitude, l.literal(1<<53, 8))
	inexact := l.compareInts(intNotEqual, dtype.Uint64, l.binary(&and.longs, 8, a, l.literal(cut, 8)), l.literal(0, 8))
	odd := l.binary(&or.longs, 8, l.binary(&and.longs, 8, a, l.literal(^uint64(cut), 8)), l.literal(cut+1, 8))
	return l.converted(value{node: l.choose(8, l.and(large, inexact), odd, a), typ: v.typ}, dtype.Float64)
}

// toUint64 makes uint64s of float64s as compilers do: the upper half of the range is shifted down
// and back.
func (l *lowering) toUint64(a int) int {
	a = l.vector(a)
	bound := l.number(0x1p63, 8)
	high := l.compareFloats(floatGreaterEq, 8, a, bound)
	signed := l.unary(&doubleLong, 8, l.choose(8, high, l.binary(&subFloat.longs, 8, a, bound), a))
	return l.binary(&xor.longs, 8, signed, l.keep(8, high, l.literal(signBit(8), 8)))
}
