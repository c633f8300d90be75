package main

import "github.com/mmcloughlin/avo/operand"

const (
	atanhTerms     = 7
	logTermsNarrow = 9 // for float32

	sqrtHalfBits    = 0x3fe6a09e667f3bcd
	mantissaBits    = 1<<52 - 1
	twoTo52Bits     = 0x4330000000000000
	twoTo52BiasBits = 0x43300000000003ff // of 2^52 + 1023
	smallestBits    = 0x0010000000000000 // of 2^-1022
	twoTo54Bits     = 0x4350000000000000
	bits54          = 0x404b000000000000 // of 54
	nanBits         = 0x7ff8000000000000
)

func (d double) useSplit() {
	d.useBits(oneBits-sqrtHalfBits, sqrtHalfBits, mantissaBits, twoTo52Bits, twoTo52BiasBits, oneBits)
}

// split makes m·2^k of a normal x > 0.
func (d double) split(x value) (k, m value) {
	b := d.addBits(x, d.bits(oneBits-sqrtHalfBits))
	k = d.sub(d.or(d.shiftRight(b, 52), d.bits(twoTo52Bits)), d.bits(twoTo52BiasBits))
	return k, d.addBits(d.and(b, d.bits(mantissaBits)), d.bits(sqrtHalfBits))
}

// splitAny does it for an x that may be subnormal.
func (d double) splitAny(x value) (k, m value) {
	small := d.cmp(lessThan, x, d.inRegister(smallestBits))
	k, m = d.split(d.choose(small, d.mul(x, d.inRegister(twoTo54Bits)), x))
	return d.sub(k, d.keep(small, d.inRegister(bits54))), m
}

// specialLog makes of y what logarithms make of an x that is not positive and finite.
func (d double) specialLog(x, y value) value {
	if d.wide() {
		// For VFIXUPIMMPD, 4 bits each, from the lowest: of quiet and signalling NaN a quiet one,
		// of 0 -∞, of 1 y, of -∞ NaN, of +∞ that, of negative numbers NaN, of positive ones y.
		d.VFIXUPIMMPD(operand.U8(0), d.bits(0x03530422), x, y)
		return y
	}
	zero := d.zero()
	y = d.choose(d.cmp(equal, x, zero), d.inRegister(minusInfinity), y)
	y = d.choose(d.cmp(equal, x, d.inRegister(infinityBits)), x, y)
	return d.choose(d.cmp(notGreaterEqual, x, zero), d.inRegister(nanBits), y)
}

func (d double) useLogNarrow() {
	d.useSplit()
	d.useBits(0x03530422)
	d.useTable("logPoly32", logTermsNarrow)
}

func (d double) logMantissa(m value) value { return d.logSum(d.sub(m, d.bits(oneBits))) }

// logSum is log(1 + f).
func (d double) logSum(f value) value {
	return d.timesPlus(d.poly(f, "logPoly32", logTermsNarrow), d.mul(f, f), f)
}

// A reducedLog is log(1+f) = f - (square - correction).
type reducedLog struct{ f, square, correction value }

func (d double) useLog() {
	d.useSplit()
	d.useBits(smallestBits, twoTo54Bits, bits54, twoBits, halfBits, 0x03530422)
	d.useTable("atanhPoly", atanhTerms)
}

func (d double) reduceLog(m value) reducedLog { return d.reduceLogOf(d.sub(m, d.bits(oneBits))) }

func (d double) reduceLogOf(f value) reducedLog {
	s := d.div(f, d.add(f, d.bits(twoBits)))
	z := d.mul(s, s)
	square := d.mul(d.mul(f, d.bits(halfBits)), f)
	p := d.timesPlus(d.poly(z, "atanhPoly", atanhTerms), z, square)
	return reducedLog{f, square, d.mul(s, p)}
}

func (d double) log() func(value) value {
	d.useLog()
	d.use("ln2Head", "ln2Rest")
	return func(x value) value {
		k, m := d.splitAny(x)
		return d.specialLog(x, d.reduceLog(m).plus(d, k))
	}
}

// plus is log(1+f) + k·ln 2.
func (l reducedLog) plus(d double, k value) value {
	rest := d.add(l.correction, d.mul(k, d.get("ln2Rest")))
	return d.sub(d.mul(k, d.get("ln2Head")), d.sub(d.sub(l.square, rest), l.f))
}

// scaled is head + rest + log(1+f) times the variables hi + lo.
func (d double) scaled(l reducedLog, hi, lo string, head value, rest func(p value) value) value {
	p := d.sub(l.f, l.square)
	low := d.add(d.sub(d.sub(l.f, p), l.square), l.correction)
	q := d.mul(p, d.get(hi))
	exact := d.timesPlus(d.copy(p), d.get(hi), d.xor(q, d.bits(signBits)))
	tail := d.timesPlus(low, d.get(hi), rest(p))
	tail = d.plusProduct(tail, p, d.get(lo))
	tail = d.add(exact, tail)
	y := d.fastSum2(head, q)
	return d.add(y.hi, d.add(y.lo, tail))
}

func (d double) log2() func(value) value {
	d.useLog()
	d.useBits(signBits)
	d.use("log2E", "log2ELo")
	return func(x value) value {
		k, m := d.splitAny(x)
		y := d.scaled(d.reduceLog(m), "log2E", "log2ELo", k, func(value) value { return d.zero() })
		return d.specialLog(x, y)
	}
}

func (d double) log10() func(value) value {
	d.useLog()
	d.use("log10EHi", "log10ELo", "log10Head", "log10Rest")
	return func(x value) value {
		k, m := d.splitAny(x)
		rest := func(value) value { return d.mul(k, d.get("log10Rest")) }
		y := d.scaled(d.reduceLog(m), "log10EHi", "log10ELo", d.mul(k, d.get("log10Head")), rest)
		return d.specialLog(x, y)
	}
}
