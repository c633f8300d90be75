package main

import "github.com/mmcloughlin/avo/operand"

const (
	logTerms32 = 9

	sqrtHalfBits32  = 0x3f3504f4 // of the first float32 from √½ on
	sqrtTwoBits32   = 0x3fb504f4
	halfBits32      = 0x3f000000
	mantissaBits32  = 1<<23 - 1
	smallestBits32  = 0x00800000 // of 2^-126
	twoTo23Bits32   = 0x4b000000
	minusInfinity32 = 0xff800000
	specialBits32   = 0x03530422 // see specialLog
)

// useLog prepares what all logarithms need.
func (s single) useLog(table string) {
	s.useBits(oneBits32)
	if s.wide() {
		s.useBits(sqrtTwoBits32, halfBits32, specialBits32)
	}
	s.useTable(table, logTerms32)
}

// split32 is k and f with x = 2^k·(1+f).
func (s single) split32(x value) (k, f value) {
	if s.wide() {
		k, m := s.op(s.VGETEXPPS, x), s.op(s.VGETMANTPS, operand.U8(0), x) // 1 ≤ m < 2
		one := s.inRegister(oneBits32)
		large := s.cmp(greaterEqual, m, s.inRegister(sqrtTwoBits32))
		s.VADDPS(one, k, large, k)
		s.VMULPS(s.inRegister(halfBits32), m, large, m)
		return k, s.sub(m, one)
	}
	small := s.cmp(lessThan, x, s.inRegister(smallestBits32))
	b := s.addBits(s.choose(small, s.mul(x, s.inRegister(twoTo23Bits32)), x), s.inRegister(oneBits32-sqrtHalfBits32))
	bias := s.op(s.VPADDD, s.and(small, s.inRegister(23)), s.inRegister(exponentBias32))
	m := s.addBits(s.and(b, s.inRegister(mantissaBits32)), s.inRegister(sqrtHalfBits32))
	return s.float(s.subBits(s.shiftRight(b, 23), bias)), s.sub(m, s.inRegister(oneBits32))
}

// specialLog makes of y what logarithms make of an x that is not positive and finite.
func (s single) specialLog(x, y value) value {
	if s.wide() {
		// 4 bits each, from the lowest: of quiet and signalling NaN a quiet one, of 0 -∞, of 1 y,
		// of -∞ NaN, of +∞ that, of negative numbers NaN, of positive ones y.
		s.VFIXUPIMMPS(operand.U8(0), s.inRegister(specialBits32), x, y)
		return y
	}
	zero := s.zero()
	y = s.choose(s.cmp(equal, x, zero), s.inRegister(minusInfinity32), y)
	y = s.choose(s.cmp(equal, x, s.inRegister(infinityBits32)), x, y)
	return s.or(s.cmp(predicate(0x19), x, zero), y) // not x ≥ 0: all bits set, which is NaN
}

// finishLog32 is head + main + tail.
func (s single) finishLog32(head, main, tail value) value {
	sum := s.fastSum32(head, main)
	return s.add(sum.hi, s.add(sum.lo, tail))
}

func (s single) log() func(value) value {
	s.useLog("logPolySingle")
	s.use("ln2Head32", "ln2Rest32")
	return func(x value) value {
		k, f := s.split32(x)
		tail := s.timesPlus(s.poly32(f, "logPolySingle", logTerms32), s.mul(f, f), s.mul(k, s.get("ln2Rest32")))
		return s.specialLog(x, s.finishLog32(s.mul(k, s.get("ln2Head32")), f, tail))
	}
}

// times32 is f times the variables hi + lo.
func (s single) times32(f value, hi, lo string) sum32 {
	p := s.mul(f, s.get(hi))
	rest := s.copy(f)
	s.VFMSUB213PS(p, s.get(hi), rest) // f·hi - p
	return sum32{p, s.plusProduct(rest, f, s.get(lo))}
}

func (s single) log2() func(value) value {
	s.useLog("log2PolySingle")
	s.use("log2E32", "log2ELo32")
	return func(x value) value {
		k, f := s.split32(x)
		p := s.times32(f, "log2E32", "log2ELo32")
		tail := s.plusProduct(p.lo, f, s.mul(f, s.poly32(f, "log2PolySingle", logTerms32)))
		return s.specialLog(x, s.finishLog32(k, p.hi, tail))
	}
}

func (s single) log10() func(value) value {
	s.useLog("log10PolySingle")
	s.use("log10E32", "log10ELo32", "log10Head32", "log10Rest32")
	return func(x value) value {
		k, f := s.split32(x)
		p := s.times32(f, "log10E32", "log10ELo32")
		tail := s.plusProduct(p.lo, f, s.mul(f, s.poly32(f, "log10PolySingle", logTerms32)))
		tail = s.plusProduct(tail, k, s.get("log10Rest32"))
		return s.specialLog(x, s.finishLog32(s.mul(k, s.get("log10Head32")), p.hi, tail))
	}
}

func (s single) log1p() func(value) value {
	s.useLog("logPolySingle")
	s.use("ln2Head32", "ln2Rest32")
	s.useBits(s.signBits())
	return func(x value) value {
		one := s.inRegister(oneBits32)
		u := s.add(x, one)
		k, f := s.split32(u)
		lost := s.sub(x, s.sub(u, one))
		sum := s.fastSum32(f, s.mul(lost, s.power32(s.minus(k))))
		f = sum.hi
		tail := s.minusProduct(s.copy(sum.lo), f, sum.lo)
		tail = s.plusProduct(tail, k, s.get("ln2Rest32"))
		tail = s.timesPlus(s.poly32(f, "logPolySingle", logTerms32), s.mul(f, f), tail)
		return s.copySign(s.specialLog(u, s.finishLog32(s.mul(k, s.get("ln2Head32")), f, tail)), x)
	}
}
