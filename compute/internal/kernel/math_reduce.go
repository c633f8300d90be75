package kernel

import (
	"math"
	"math/bits"
)

// twoOverPiBits is 2/π; the binary point stands after the first word.
var twoOverPiBits = [...]uint64{
	0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
	0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
	0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
}

// hugeExponents is how many exponents a float32 may have that is more than trigBound, with that of infinity.
const hugeExponents = 99

// twoOverPiParts holds 2/π for each exponent of a huge float32, without the bits that make whole turns of the product:
// the products with hi, of 29 bits, are exact. For infinity both are NaN.
var twoOverPiParts = makeTwoOverPiParts()

type partsOfTwoOverPi struct{ hi, lo [hugeExponents]float64 }

func makeTwoOverPiParts() (p partsOfTwoOverPi) {
	for i := range hugeExponents - 1 {
		e := i + 7 // of the last place
		f := twoOverPiWindow(e + 62)
		unit := pow2(int64(-e)) * 0x1p-27
		p.hi[i] = float64(f[0]>>35) * unit
		p.lo[i] = float64(f[0]<<29|f[1]>>35) * (unit * 0x1p-64)
	}
	p.hi[hugeExponents-1], p.lo[hugeExponents-1] = math.NaN(), math.NaN()
	return p
}

// reduceHugeNarrow is reduceTrigNarrow of x > trigBound. No float32 is nearer to a multiple of π/2 than 2^-30.
func reduceHugeNarrow(x float64) (n uint64, r float64) {
	i := math.Float32bits(float32(x))>>23 - 157
	head, tail := float64(x*twoOverPiParts.hi[i]), float64(x*twoOverPiParts.lo[i])
	biased := (head + tail) + roundBias
	f := math.FMA(x, twoOverPiParts.lo[i], head-(biased-roundBias))
	return math.Float64bits(biased), float64(f * halfPi1)
}

// A fixed192 is a number of 192 bits, the high word first.
type fixed192 [3]uint64

// reduceHuge reduces a finite x ≥ 1 with 190 bits of x·2/π after the point, after Payne and Hanek, "Radian reduction
// for trigonometric functions" (1983). No float64 is nearer to a multiple of π/2 than 2^-62 of it.
func reduceHuge(x float64) trigReduced {
	b := math.Float64bits(x)
	mantissa, exponent := b&mantissaBits|1<<52, int(b>>52)-1075
	// Bits of 2/π worth 4 or more in the product make whole turns.
	f := twoOverPiWindow(exponent + 62).times(mantissa)
	n := f[0] >> 62
	f = f.shiftLeft(2)
	negative := f[0]>>63 != 0
	if negative { // nearer to the next multiple
		n++
		f = f.negate()
	}
	r := f.fraction().mul(pair64{halfPi1, halfPi2})
	if negative {
		r.hi, r.lo = -r.hi, -r.lo
	}
	return trigReduced{n, r}
}

// twoOverPiWindow returns 192 bits of 2/π after the first so many.
func twoOverPiWindow(skip int) fixed192 {
	var f fixed192
	word, shift := skip/64, uint(skip%64)
	for i := range f {
		f[i] = twoOverPiBits[word+i]<<shift | twoOverPiBits[word+i+1]>>(64-shift)
	}
	return f
}

// times returns m·f without the bits above the 192.
func (f fixed192) times(m uint64) fixed192 {
	h2, l2 := bits.Mul64(f[2], m)
	h1, l1 := bits.Mul64(f[1], m)
	var carry uint64
	l1, carry = bits.Add64(l1, h2, 0)
	l0, _ := bits.Add64(f[0]*m, h1, carry)
	return fixed192{l0, l1, l2}
}

func (f fixed192) shiftLeft(n int) fixed192 {
	for ; n >= 64; n -= 64 {
		f = fixed192{f[1], f[2], 0}
	}
	return fixed192{f[0]<<n | f[1]>>(64-n), f[1]<<n | f[2]>>(64-n), f[2] << n}
}

func (f fixed192) negate() fixed192 {
	var r fixed192
	var borrow uint64
	r[2], borrow = bits.Sub64(0, f[2], 0)
	r[1], borrow = bits.Sub64(0, f[1], borrow)
	r[0], _ = bits.Sub64(0, f[0], borrow)
	return r
}

// fraction returns f/2^192, of which less than 128 bits are zeros at the head.
func (f fixed192) fraction() pair64 {
	zeros := bits.LeadingZeros64(f[0])
	if zeros == 64 {
		zeros += bits.LeadingZeros64(f[1])
	}
	g := f.shiftLeft(zeros)
	unit := math.Float64frombits(uint64(1023-64-zeros) << 52)
	hi := g[0] &^ (1<<11 - 1)
	lo := g[0]<<53 | g[1]>>11
	return fastSum2(float64(hi)*unit, float64(lo)*unit*0x1p-53)
}
