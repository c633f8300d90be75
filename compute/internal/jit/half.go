package jit

import "math"

// narrowBFloat16 takes the upper halves of float32s, rounded.
func (l *lowering) narrowBFloat16(a int) int {
	upper := l.shift(&shiftDownBy, 4, l.roundedUpperHalf(a), 16)
	return l.add(node{do: &narrowShort, args: [3]int{upper, -1, -1}, size: 2})
}

// roundBFloat16 rounds float32s to what bfloat16 holds.
func (l *lowering) roundBFloat16(a int) int {
	return l.binary(&and.words, 4, l.roundedUpperHalf(l.vector(a)), l.literal(upperHalf, 4))
}

// oddSingle rounds float64s to float32s so that rounding them again, to 16 bits, gives the same as
// rounding once: inexact ones get an odd last bit (Boldo and Melquiond, Emulation of a FMA and
// Correctly Rounded Sums, 2008).
func (l *lowering) oddSingle(a int) int {
	a = l.vector(a)
	single := l.unary(&truncateFloat, 4, a)
	inexact := l.compareFloats(floatNotEqual, 8, l.unary(&widenFloat, 8, single), a)
	return l.choose(4, inexact, l.binary(&or.words, 4, single, l.literal(1, 4)), single)
}

// roundedUpperHalf rounds the bits of float32s as integers, to upper halves. The lower halves of
// the result are anything.
func (l *lowering) roundedUpperHalf(a int) int {
	odd := l.binary(&and.words, 4, l.shift(&shiftDownBy, 4, a, 16), l.literal(1, 4))
	sum := l.binary(&addInt.words, 4, l.binary(&addInt.words, 4, a, l.literal(0x7fff, 4)), odd)
	if l.hasPlainNaN(a) {
		return sum
	}
	return l.choose(4, l.compareFloats(floatUnordered, 4, a, a), l.literal(quietNaN, 4), sum)
}

// The bits of a float32 that is NaN, and of the half that is a bfloat16.
const (
	quietNaN  = 0x7fc00000
	upperHalf = 0xffff0000
)

// hasPlainNaN reports whether every NaN of a float32 node has zeros in its lower half. Such a NaN
// stays NaN when it is rounded to bfloat16. The NaNs of bfloat16 operands and of arithmetic are of
// this kind.
func (l *lowering) hasPlainNaN(v int) bool {
	if bits, ok := l.literalBits(v); ok {
		return uint16(bits) == 0 || !math.IsNaN(float64(math.Float32frombits(uint32(bits))))
	}
	plain, known := l.plainNaN[v]
	if !known {
		plain = l.keepsPlainNaN(&l.nodes[v])
		l.plainNaN[v] = plain
	}
	return plain
}

func (l *lowering) keepsPlainNaN(n *node) bool {
	switch n.do {
	case &addFloat.words, &subFloat.words, &mulFloat.words, &divFloat.words, &minFloat.words, &maxFloat.words:
		return l.hasPlainNaN(n.args[0]) && l.hasPlainNaN(n.args[1])
	case &sqrtFloat.words, &repeatWord:
		return l.hasPlainNaN(n.args[0])
	case &choose.words:
		return l.hasPlainNaN(n.args[1]) && l.hasPlainNaN(n.args[2])
	case &shiftLeftBy.words:
		return n.number == 16
	case &and.words:
		bits, _ := l.literalBits(n.args[1])
		return bits == upperHalf || l.hasPlainNaN(n.args[0])
	case &xor.words:
		bits, _ := l.literalBits(n.args[1])
		return bits == signBit(4) && l.hasPlainNaN(n.args[0])
	}
	return false
}
