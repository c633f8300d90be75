package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// widenInteger extends integers by their sign or by zeros.
func widenInteger(from, to int, signed bool) func(converter) func(value) value {
	return by(func(c converter, a value) value {
		extend := map[[2]int][2]instruction{
			{1, 2}: {c.VPMOVZXBW, c.VPMOVSXBW},
			{1, 4}: {c.VPMOVZXBD, c.VPMOVSXBD},
			{1, 8}: {c.VPMOVZXBQ, c.VPMOVSXBQ},
			{2, 4}: {c.VPMOVZXWD, c.VPMOVSXWD},
			{2, 8}: {c.VPMOVZXWQ, c.VPMOVSXWQ},
			{4, 8}: {c.VPMOVZXDQ, c.VPMOVSXDQ},
		}[[2]int{from, to}]
		if signed {
			return c.to(to, extend[1], a)
		}
		return c.to(to, extend[0], a)
	})
}

// narrowInteger keeps the low bytes of integers.
func narrowInteger(from, to int) func(converter) func(value) value {
	return func(c converter) func(value) value {
		if c.wide() {
			cut := map[[2]int]instruction{
				{2, 1}: c.VPMOVWB, {4, 1}: c.VPMOVDB, {8, 1}: c.VPMOVQB, {4, 2}: c.VPMOVDW, {8, 2}: c.VPMOVQW, {8, 4}: c.VPMOVQD,
			}[[2]int{from, to}]
			return func(a value) value { return c.to(to, cut, a) }
		}
		return c.startCut(from, to)
	}
}

// startCut gathers the low bytes of the elements of each 16 bytes, and then those of both halves of
// a vector.
func (c converter) startCut(from, to int) func(value) value {
	// The low bytes of the elements of each 16 bytes come first, zeros fill the rest.
	order := c.vec()
	var places []uint64
	for range 2 {
		for i := range 16 {
			place := i/to*from + i%to
			if place >= 16 {
				place = 0x80 // makes zeros
			}
			places = append(places, uint64(place))
		}
	}

	c.VMOVUPS(c.data(fmt.Sprintf("cut%dto%d", from*8, to*8), 1, places...), order)

	return func(a value) value {
		if size(a) == 16 {
			return c.opOf(16, c.VPSHUFB, narrow(order, 16), a)
		}
		low, high := c.halves(c.op(c.VPSHUFB, order, a))
		return c.opOf(16, map[int]instruction{2: c.VPUNPCKLQDQ, 4: c.VPUNPCKLDQ, 8: c.VPUNPCKLWD}[from/to], high, low)
	}
}

// toFloat32 lists the conversions of integers to float32.
func toFloat32(k *asm) []conversion {
	var all []conversion

	signedWords := by(func(c converter, a value) value { return c.to(4, c.VCVTDQ2PS, a) })
	for _, size := range []int{1, 2} {
		for _, signed := range []bool{true, false} {
			all = append(all, conversion{intType(size, signed), "Float32", 4, then(widenInteger(size, 4, signed), signedWords)})
		}
	}

	all = append(all,
		conversion{"Bool", "Float32", 4, then(then(startTruths, widenInteger(1, 4, false)), signedWords)},
		conversion{"Int32", "Float32", 4, signedWords},
	)

	if !k.wide() {
		return append(all, conversion{"Uint32", "Float32", 8, then(doublesOfUint32, by(doubleToFloat))})
	}

	return append(all,
		conversion{"Uint32", "Float32", 4, by(func(c converter, a value) value { return c.to(4, c.VCVTUDQ2PS, a) })},
		conversion{"Int64", "Float32", 8, by(func(c converter, a value) value { return c.to(4, c.VCVTQQ2PS, a) })},
		conversion{"Uint64", "Float32", 8, by(func(c converter, a value) value { return c.to(4, c.VCVTUQQ2PS, a) })},
	)
}

// toFloat64 lists the conversions of integers to float64.
func toFloat64(k *asm) []conversion {
	var all []conversion

	signedWords := by(func(c converter, a value) value { return c.to(8, c.VCVTDQ2PD, a) })
	for _, size := range []int{1, 2} {
		for _, signed := range []bool{true, false} {
			all = append(all, conversion{intType(size, signed), "Float64", 8, then(widenInteger(size, 4, signed), signedWords)})
		}
	}

	all = append(all,
		conversion{"Bool", "Float64", 8, then(then(startTruths, widenInteger(1, 4, false)), signedWords)},
		conversion{"Int32", "Float64", 8, signedWords},
	)

	if !k.wide() {
		return append(all,
			conversion{"Uint32", "Float64", 8, doublesOfUint32},
			conversion{"Int64", "Float64", 8, doublesOfInt64},
			conversion{"Uint64", "Float64", 8, doublesOfUint64},
		)
	}

	return append(all,
		conversion{"Uint32", "Float64", 8, by(func(c converter, a value) value { return c.to(8, c.VCVTUDQ2PD, a) })},
		conversion{"Int64", "Float64", 8, by(func(c converter, a value) value { return c.to(8, c.VCVTQQ2PD, a) })},
		conversion{"Uint64", "Float64", 8, by(func(c converter, a value) value { return c.to(8, c.VCVTUQQ2PD, a) })},
	)
}

// AVX2 converts signed integers of 4 bytes only. The others are put in the low bits of a power of
// two, which is then subtracted; of 8 bytes both halves, each with its power, of which the sum
// rounds once.
const (
	twoTo52      = 0x4330000000000000
	twoTo84      = 0x4530000000000000
	both         = 0x4530000000100000 // 2⁸⁴ + 2⁵²
	threeTwoTo67 = 0x4438000000000000 // 3·2⁶⁷
	bothSigned   = 0x4438001000000000 // 3·2⁶⁷ + 2⁵²
)

func doublesOfUint32(c converter) func(value) value {
	power := c.broadcast(twoTo52, 8)
	d := fp{c.asm, 8}
	return func(a value) value { return d.sub(c.or(power, c.op(c.VPMOVZXDQ, a)), power) }
}

func doublesOfUint64(c converter) func(value) value {
	lowPower, highPower, powers := c.broadcast(twoTo52, 8), c.broadcast(twoTo84, 8), c.broadcast(both, 8)
	d, n := fp{c.asm, 8}, integer{asm: c.asm, size: 8}
	return func(a value) value {
		low := c.op(of4(c.VPBLENDW), operand.Imm(0xcc), lowPower, a)
		high := c.or(highPower, n.shift(false, a, 32))
		return d.add(d.sub(high, powers), low)
	}
}

// doublesOfInt64 keeps the highest 16 bits of the upper half, with its sign, apart from the other
// 48.
func doublesOfInt64(c converter) func(value) value {
	zero, lowPower := c.zero(), c.broadcast(twoTo52, 8)
	highPower, powers := c.broadcast(threeTwoTo67, 8), c.broadcast(bothSigned, 8)
	d, n := fp{c.asm, 8}, integer{asm: c.asm, size: 8}
	return func(a value) value {
		low := c.op(of4(c.VPBLENDW), operand.Imm(0x88), lowPower, a)
		high := c.op(of4(c.VPBLENDW), operand.Imm(0x33), zero, c.op(c.VPSRAD, operand.Imm(16), a))
		return d.add(d.sub(n.add(high, highPower), powers), low)
	}
}
