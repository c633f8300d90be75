package kernel

import "math"

var (
	ln2Hi32 float32 = 0x1.62e43p-1 // ln2Hi32 + ln2Lo32 is ln 2
	ln2Lo32 float32 = -0x1.05c61p-29
	log2E32 float32 = 0x1.715476p0

	roundBias32 float32 = 0x1.8p23 // to float32 what roundBias is to float64
)

// Beyond these bounds exp is 0 or infinite, expm1 is -1, exp2 is 0 or infinite.
var (
	expMin32   float32 = -105
	expMax32   float32 = 89
	expm1Min32 float32 = -18
	exp2Min32  float32 = -151
	exp2Max32  float32 = 129

	sigmoidMax32 float32 = 105 // of -x, where sigmoid is 0
)

// A reduced32 is x = n·ln 2 + h - n·ln2Lo32, where r is h - n·ln2Lo32 rounded and |r| ≤ ln 2/2.
type reduced32 struct{ n, h, r float32 }

func reduceExp32(x float32) reduced32 {
	n := fma32(x, log2E32, roundBias32) - roundBias32
	h := fma32(-n, ln2Hi32, x)
	return reduced32{n, h, fma32(-n, ln2Lo32, h)}
}

// rest returns what is left of x beside n and r.
func (e reduced32) rest() float32 { return fma32(-e.n, ln2Lo32, e.h-e.r) }

// scale32 returns p·2^n with one rounding, for an integer |n| < 256.
func scale32(p, n float32) float32 {
	return float32(float64(p) * pow2(int64(int32(math.Float32bits(n+roundBias32)-math.Float32bits(roundBias32)))))
}

// expSingle returns e^x as exp does, with a shorter polynomial.
func expSingle(x float32) float32 {
	e := reduceExp32(clamp(x, expMin32, expMax32))
	p := poly32(e.r, expPolySingle[:])
	return scale32(fma32(fma32(p, e.r, 1), e.r, 1), e.n)
}

func exp2Single(x float32) float32 {
	x = clamp(x, exp2Min32, exp2Max32)
	n := (x + roundBias32) - roundBias32
	r := x - n
	return scale32(fma32(poly32(r, exp2PolySingle[:]), r, 1), n)
}

// expm1Single returns 2^n·(1-2^-n + e^r-1).
func expm1Single(x float32) float32 {
	e := reduceExp32(clamp(x, expm1Min32, expMax32))
	power := scale32(1, -e.n)
	above := fastSum32(1, -power)
	s := fastSum32(above.hi, e.r)
	m := fma32(float32(e.r*e.r), poly32(e.r, expm1PolySingle[:]), e.rest()+above.lo)
	return copySign32(scale32(s.hi+(s.lo+m), e.n), x)
}

// sigmoidSingle returns 1/(1 + e^-x), where e^-x is 2^n·e^r; for n > 0 it is 2^-n/(2^-n + e^r).
func sigmoidSingle(x float32) float32 {
	e := reduceExp32(clamp(-x, expMin32, sigmoidMax32))
	power := scale32(1, -float32(math.Abs(float64(e.n))))
	above, factor := float32(1), power // factor is that of e^r
	if e.n > 0 {
		above, factor = power, 1
	}
	r := float32(factor * e.r)
	below := fastSum32(1, power)
	s := fastSum32(below.hi, fma32(float32(r*e.r), poly32(e.r, expPolySingle[:]), r))
	return float32(above * reciprocal32(pair32{s.hi, s.lo + below.lo}))
}

// reciprocal32 returns 1/p.
func reciprocal32(p pair32) float32 {
	y := 1 / p.hi
	return fma32(y, fma32(-y, p.lo, fma32(-y, p.hi, 1)), y)
}
