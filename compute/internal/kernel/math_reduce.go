package kernel

import "math"

// twoOverPiBits is 2/π; the binary point stands after the first word.
var twoOverPiBits = [...]uint64{
	0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
	0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
	0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
}

// hugeExponents is how many exponents a float32 may have that is more than trigBound, with that of
// infinity.
const hugeExponents = 99

// twoOverPiParts holds 2/π for each exponent of a huge float32, without the bits that make whole
// turns of the product: the products with hi, of 29 bits, are exact. For infinity both are NaN.
var twoOverPiParts = makeTwoOverPiParts()

type partsOfTwoOverPi struct{ hi, lo [hugeExponents]float64 }

func makeTwoOverPiParts() (p partsOfTwoOverPi) {
	for i := range hugeExponents - 1 {
		e := i + 7 // of the last place
		f := twoOverPiWindow(e + 62)
		unit := pow2(int64(-e)) * 0x1p-27
		p.hi[i] = float64(f.bits(0, 29)) * unit
		p.lo[i] = float64(f.bits(29, 64)) * (unit * 0x1p-64)
	}
	p.hi[hugeExponents-1], p.lo[hugeExponents-1] = math.NaN(), math.NaN()
	return p
}

// reduceHugeNarrow is reduceTrigNarrow of x > trigBound. No float32 is nearer to a multiple of π/2
// than 2^-30.
func reduceHugeNarrow(x float64) (n uint64, r float64) {
	i := math.Float32bits(float32(x))>>23 - 157
	head, tail := float64(x*twoOverPiParts.hi[i]), float64(x*twoOverPiParts.lo[i])
	biased := (head + tail) + roundBias
	f := math.FMA(x, twoOverPiParts.lo[i], head-(biased-roundBias))
	return math.Float64bits(biased), float64(f * halfPi1)
}

// hugeExponents64 is hugeExponents of float64.
const hugeExponents64 = 995

// twoOverPiParts64 holds 2/π times 2^(k-22) for the exponent k+30 of a huge float64, without the
// bits that make whole turns of the product with a number of 53 bits: the sum of four numbers that
// end at the bits 2^-51, 2^-104, 2^-157 and 2^-190. For infinity and NaN all are NaN.
var twoOverPiParts64 = makeTwoOverPiParts64()

func makeTwoOverPiParts64() (p [4][hugeExponents64]float64) {
	for i := range hugeExponents64 - 1 {
		f := twoOverPiWindow(i - 22 + 62)
		first, second := f.bits(0, 53), int64(f.bits(53, 53))
		if second >= 1<<52 { // the nearer of two numbers, so that less remains
			first, second = first+1, second-1<<53
		}
		p[0][i] = float64(first) * 0x1p-51
		p[1][i] = float64(second) * 0x1p-104
		p[2][i] = float64(f.bits(106, 53)) * 0x1p-157
		p[3][i] = float64(f.bits(159, 33)) * 0x1p-190
	}
	for i := range p {
		p[i][hugeExponents64-1] = math.NaN()
	}
	return p
}

// reduceHuge is reduceTrig of x > trigBound, infinite or NaN, after Payne and Hanek, "Radian
// reduction for trigonometric functions" (1983): it multiplies the mantissa, as an integer, with
// 190 bits after the point. No float64 is nearer to a multiple of π/2 than 2^-62 of it.
func reduceHuge(x float64) trigReduced {
	b := math.Float64bits(x)
	m, i := math.Float64frombits(b&mantissaBits|twoTo52Bits), b>>52-hugeField
	p := &twoOverPiParts64
	first, second, third := mul2(m, p[0][i]), mul2(m, p[1][i]), mul2(m, p[2][i])
	// What is below 2 in size of the first product, in units of 2^-51, is exact together with its
	// low part.
	head := math.FMA(-4, math.RoundToEven(0.25*first.hi), first.hi) + first.lo
	biased := (head + second.hi) + roundBias
	s := sum2(head-(biased-roundBias), second.hi)
	t := sum2(second.lo, third.hi)
	u := sum2(s.hi, t.hi) // s.hi may be small where t.hi is not, then s.lo is 0
	f := fastSum2(u.hi, u.lo+(s.lo+(t.lo+math.FMA(m, p[3][i], third.lo))))
	return trigReduced{math.Float64bits(biased), f.mul(pair64{halfPi1, halfPi2})}
}

// hugeField is the exponent field of trigBound.
const hugeField = 1023 + 30

// A fixed192 is a number of 192 bits, the high word first.
type fixed192 [3]uint64

// twoOverPiWindow returns 192 bits of 2/π after the first so many.
func twoOverPiWindow(skip int) fixed192 {
	var f fixed192
	word, shift := skip/64, uint(skip%64)
	for i := range f {
		f[i] = twoOverPiBits[word+i]<<shift | twoOverPiBits[word+i+1]>>(64-shift)
	}
	return f
}

// bits returns n ≤ 64 bits after the first so many.
func (f fixed192) bits(skip, n int) uint64 {
	word, shift := skip/64, uint(skip%64)
	b := f[word] << shift
	if word+1 < len(f) {
		b |= f[word+1] >> (64 - shift)
	}
	return b >> (64 - n)
}
