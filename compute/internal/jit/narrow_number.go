package jit

// mulLongs multiplies 64-bit integers by way of the products of their 32-bit halves.
func (n *narrowing) mulLongs(a, b int) int {
	a, b = n.vector(a), n.vector(b)
	upper := func(v int) int { return n.oneBy(&shiftDownBy.longs, 8, v, 32) }
	cross := n.two(&addInt.longs, 8, n.two(&mulLow, 8, upper(a), b), n.two(&mulLow, 8, a, upper(b)))
	return n.two(&addInt.longs, 8, n.two(&mulLow, 8, a, b), n.oneBy(&shiftLeftBy.longs, 8, cross, 32))
}

func (n *narrowing) absLongs(a int) int {
	a = n.vector(a)
	sign := n.negative(8, a)
	return n.two(&subInt.longs, 8, n.two(&xor.longs, 8, a, sign), sign)
}

// shiftSignedLongs shifts down with the sign, which AVX2 can't. It inverts negative integers before
// and after a shift that fills with zeros, so that ones come in.
func (n *narrowing) shiftSignedLongs(a, by int) int {
	a = n.vector(a)
	sign := n.negative(8, a)
	return n.two(&xor.longs, 8, n.two(&shiftRight.longs, 8, n.two(&xor.longs, 8, a, sign), by), sign)
}

// permuted takes from both halves of a row of 16 float32s.
func (n *narrowing) permuted(index, row int) int {
	upper := n.nodes[row]
	upper.number += 4
	pick := func(row int) int { return n.add(node{do: &permute, args: [3]int{index, row, -1}, size: 4}) }
	bit3 := n.oneBy(&shiftLeftBy.words, 4, index, 28) // where blend looks
	return n.pick(4, bit3, pick(n.add(upper)), pick(row))
}

// The bits of float64s: integers in the low bits of a power of two are floats once it is
// subtracted.
const (
	twoTo52      = 0x4330000000000000
	twoTo84      = 0x4530000000000000
	twoTo84And52 = 0x4530000000100000 // 2⁸⁴ + 2⁵²
	threeTwoTo67 = 0x4438000000000000 // 3·2⁶⁷
	signedBoth   = 0x4438001000000000 // 3·2⁶⁷ + 2⁵²
	threeTwoTo51 = 0x4338000000000000 // 3·2⁵¹
)

func (n *narrowing) uintDouble(a int) int {
	power := n.vector(n.literal(twoTo52, 8))
	return n.two(&subFloat.longs, 8, n.two(&or.longs, 8, n.one(&widenUint, 8, a), power), power)
}

// ulongDouble rounds the sum of both halves.
func (n *narrowing) ulongDouble(a int) int {
	a = n.vector(a)
	low := n.twoBy(&mixWords, 8, a, n.literal(twoTo52, 8), 0xaa)
	high := n.two(&or.longs, 8, n.oneBy(&shiftDownBy.longs, 8, a, 32), n.literal(twoTo84, 8))
	return n.two(&addFloat.longs, 8, n.two(&subFloat.longs, 8, high, n.literal(twoTo84And52, 8)), low)
}

// longDouble keeps the highest 16 bits of the upper half, with its sign, apart from the other 48.
func (n *narrowing) longDouble(a int) int {
	a = n.vector(a)
	low := n.twoBy(&mixShorts, 8, a, n.literal(twoTo52, 8), 0x88)
	high := n.twoBy(&mixShorts, 8, n.oneBy(&shiftSignedBy, 8, a, 16), n.literal(0, 8), 0x33)
	high = n.two(&addInt.longs, 8, high, n.literal(threeTwoTo67, 8))
	return n.two(&addFloat.longs, 8, n.two(&subFloat.longs, 8, high, n.literal(signedBoth, 8)), low)
}

// doubleLong converts the upper and the lower 32 bits of the whole number apart. A number that 64
// bits can't hold becomes the least integer.
func (n *narrowing) doubleLong(a int) int {
	a = n.vector(a)
	whole := n.oneBy(&round.longs, 8, a, roundZero)
	upper := n.oneBy(&round.longs, 8, n.two(&mulFloat.longs, 8, whole, n.number(0x1p-32, 8)), roundDown)
	lower := n.fusedAdd(&muladd, 8, upper, n.number(-0x1p32, 8), whole)
	bits := n.twoBy(&mixWords, 8,
		n.two(&addFloat.longs, 8, lower, n.literal(twoTo52, 8)),
		n.oneBy(&shiftLeftBy.longs, 8, n.two(&addFloat.longs, 8, upper, n.literal(threeTwoTo51, 8)), 32), 0xaa)
	above := n.twoBy(&compareFloats.longs, 8, a, n.number(-0x1p63, 8), floatGreaterEq)
	below := n.twoBy(&compareFloats.longs, 8, a, n.number(0x1p63, 8), floatLess)
	return n.pick(8, n.two(&and.longs, 8, above, below), bits, n.literal(signBit(8), 8))
}

// truncatedFloat steps back where rounding to the nearest went away from zero.
func (n *narrowing) truncatedFloat(a int) int {
	a = n.vector(a)
	nearest := n.one(&narrowFloat, 4, a)
	magnitude := func(v int) int { return n.two(&and.longs, 8, v, n.literal(signBit(8)-1, 8)) }
	away := n.twoBy(&compareFloats.longs, 8, magnitude(n.one(&widenFloat, 8, nearest)), magnitude(a), floatGreater)
	return n.two(&addInt.words, 4, nearest, n.resized(away, 4))
}

// normal is x, or 2²³·x where that is subnormal, and where that is.
func (n *narrowing) normal(x int) (scaled, small int) {
	x = n.vector(x)
	small = n.twoBy(&compareFloats.words, 4, x, n.number(0x1p-126, 4), floatLess)
	return n.pick(4, small, n.two(&mulFloat.words, 4, x, n.number(0x1p23, 4)), x), small
}

// exponent returns the exponent of positive finite numbers.
func (n *narrowing) exponent(x int) int {
	scaled, small := n.normal(x)
	const bias = 127
	bias32 := n.two(&addInt.words, 4, n.two(&and.words, 4, small, n.literal(23, 4)), n.literal(bias, 4))
	return n.one(&intFloat, 4, n.two(&subInt.words, 4, n.oneBy(&shiftDownBy.words, 4, scaled, 23), bias32))
}

// mantissa returns the mantissa of positive finite numbers, from 1 to 2.
func (n *narrowing) mantissa(x int) int {
	scaled, _ := n.normal(x)
	return n.two(&or.words, 4, n.two(&and.words, 4, scaled, n.literal(1<<23-1, 4)), n.number(1, 4))
}

// scaleWords returns p·2^k for whole numbers |k| < 256 and p near 1. It multiplies in two steps,
// and the first is exact.
func (n *narrowing) scaleWords(p, k int) int {
	biased := n.two(&addFloat.words, 4, k, n.number(0x1.8p23, 4)) // k is in the low bits
	half := n.oneBy(&shiftSignedBy, 4, biased, 1)
	power := func(k int) int {
		return n.oneBy(&shiftLeftBy.words, 4, n.two(&addInt.words, 4, k, n.literal(127, 4)), 23)
	}
	return n.two(&mulFloat.words, 4, n.two(&mulFloat.words, 4, p, power(half)), power(n.two(&subInt.words, 4, biased, half)))
}

// scaleLongs is scaleWords for float64 and |k| < 2048.
func (n *narrowing) scaleLongs(p, k int) int {
	biased := n.two(&addFloat.longs, 8, k, n.number(0x1.8p52, 8))
	half := n.oneBy(&shiftSignedBy, 8, biased, 1) // of both halves of a number, of which only the lower one matters
	power := func(k int) int {
		return n.oneBy(&shiftLeftBy.longs, 8, n.two(&addInt.longs, 8, k, n.literal(1023, 8)), 52)
	}
	return n.two(&mulFloat.longs, 8, n.two(&mulFloat.longs, 8, p, power(half)), power(n.two(&subInt.words, 8, biased, half)))
}
