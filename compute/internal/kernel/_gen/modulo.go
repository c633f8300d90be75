package main

import "github.com/mmcloughlin/avo/operand"

// moduloOps are what quotients that are whole leave, for floats of both sizes: constants in
// registers first, then steps.
var moduloOps = []struct {
	op, formula string
	start       func(real) func(x, y value) value
}{
	{"Fmod", "a - b·⌊a/b⌋, rounded to 0", real.fmod},
	{"Mod", "a - b·⌊a/b⌋", real.mod},
	{"FloorDiv", "⌊a/b⌋", real.floorDiv},
	{"NextAfter", "the float after a, towards b", real.nextAfter},
}

func (k *asm) emitModulo() {
	for _, o := range moduloOps {
		op := operation{op: o.op, formula: o.formula, operands: 2, unroll: 2}
		for _, size := range []int{4, 8} {
			l := loop{start: func(*asm) func([][]value) []value { return each(ofTwo(o.start(k.real(size, 8)))) }}
			k.emitOperation(op, l, size, fp{k, size}.typ())
		}
	}
}

// A floatFormat is that of floats of one size.
type floatFormat struct {
	mantissa      int    // bits behind the point
	one, infinity uint64 // the bits of these numbers
	power         uint64 // of 2^mantissa
	limit         uint64 // of 2^(mantissa+1), above which quotients have no last place
	half, nan     uint64
}

func (r real) format() floatFormat {
	if r.size == 4 {
		return floatFormat{23, 0x3f800000, 0x7f800000, 0x4b000000, 0x4b800000, 0x3f000000, 0x7fc00000}
	}
	return floatFormat{52, oneBits, infinityBits, twoTo52Bits, 0x4340000000000000, halfBits, nanBits}
}

func (r real) useModulo() {
	f := r.format()
	r.useBits(r.signBits(), f.limit, f.infinity, f.power)
}

// remainder is that of a/d for 0 ≤ a and 0 < d, exact for a quotient up to the limit.
func (r real) remainder(a, d, quotient value) value {
	t := r.minusProduct(r.copy(a), r.fp.round(toZero, quotient), d)
	return r.add(t, r.keep(r.cmp(lessThan, t, r.zero()), d))
}

// fmodAbs is the remainder of |x|/|y|. While a quotient is too large, a multiple of the divisor by
// a power of 2 is taken instead of it, as large as leaves a quotient up to the limit.
func (r real) fmodAbs(x, y value) value {
	f := r.format()
	a, d := r.abs(x), r.abs(y)

	head, end := r.label("large"), r.label("small")
	r.Label(head)

	quotient := r.div(a, d)
	large := r.both(r.cmp(greaterEqual, quotient, r.bits(f.limit)), r.cmp(lessThan, a, r.bits(f.infinity)))
	large = r.both(large, r.cmp(greaterThan, d, r.zero()))
	r.jumpUnlessAny(large, end)

	// The exponents say how far the divisor can be shifted so that the quotient stays within the
	// limit.
	multiple := r.mul(d, r.bits(f.power))
	more := r.subBits(r.shiftRight(a, f.mantissa), r.shiftRight(multiple, f.mantissa))
	more = r.subBits(more, r.replicated(uint64(f.mantissa), r.size))
	more = r.op(r.VPMAXSD, r.zero(), more) // the upper half of an integer is all signs
	multiple = r.addBits(multiple, r.shiftLeft(more, f.mantissa))

	r.VMOVAPD(r.choose(large, r.remainder(a, multiple, r.div(a, multiple)), a), a)
	r.JMP(operand.LabelRef(head))
	r.Label(end)

	return r.choose(r.cmp(lessThan, a, d), a, r.remainder(a, d, quotient))
}

func (r real) fmod() func(x, y value) value {
	r.useModulo()
	return func(x, y value) value { return r.copySign(r.fmodAbs(x, y), x) }
}

// opposite is a mask of the elements whose signs differ, of which a are not 0.
func (r real) opposite(a, b value) value {
	sign := r.xor(a, b)
	return r.both(r.signMask(sign), r.cmp(notEqual, a, r.zero()))
}

func (r real) mod() func(x, y value) value {
	r.useModulo()
	return func(x, y value) value {
		t := r.copySign(r.fmodAbs(x, y), x)
		differ := r.opposite(t, y)
		t = r.choose(r.cmp(equal, t, r.zero()), r.copySign(t, y), t)
		return r.choose(differ, r.add(t, y), t)
	}
}

func (r real) floorDiv() func(x, y value) value {
	f := r.format()
	r.useModulo()
	r.useBits(f.one, f.half)
	return func(x, y value) value {
		t := r.copySign(r.fmodAbs(x, y), x)
		differ := r.opposite(t, y)
		q := r.div(r.sub(x, t), y)
		q = r.sub(q, r.keep(differ, r.inRegister(f.one)))
		whole := r.fp.round(down, q)
		whole = r.add(whole, r.keep(r.cmp(greaterThan, r.sub(q, whole), r.bits(f.half)), r.inRegister(f.one)))
		plain, zero := r.div(x, y), r.zero()
		whole = r.choose(r.cmp(equal, q, zero), r.copySign(zero, plain), whole)
		return r.choose(r.cmp(equal, y, zero), plain, whole)
	}
}

func (r real) nextAfter() func(x, y value) value {
	f := r.format()
	r.useBits(r.signBits(), 1, f.nan)
	return func(x, y value) value {
		zero, last := r.zero(), r.inRegister(1)
		away := r.addBits(x, last)
		next := r.choose(r.cmp(lessThan, x, y), r.choose(r.signMask(x), r.subBits(x, last), away), r.choose(r.signMask(x), away, r.subBits(x, last)))
		next = r.choose(r.cmp(equal, x, zero), r.copySign(last, y), next)
		next = r.choose(r.cmp(equal, x, y), y, next)
		return r.choose(r.cmp(unordered, x, y), r.inRegister(f.nan), next)
	}
}
