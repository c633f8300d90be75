package kernel

import "math"

// π/2 in three parts, 2/π, and up to where reduceTrig takes no more of them.
var (
	halfPi1   = 0x1.921fb54442d18p0
	halfPi2   = 0x1.1a62633145c07p-54
	halfPi3   = -0x1.f1976b7ed8fbcp-110
	twoOverPi = 0x1.45f306dc9c883p-1
	trigBound = 0x1p30
)

// A trigReduced is x = n·π/2 + r with |r| ≤ π/4 or hardly more.
type trigReduced struct {
	n uint64 // modulo 4; any for NaN
	r pair64
}

// reduceTrig reduces an x ≥ 0, by three subtractions as Cody and Waite, or by many bits of 2/π.
func reduceTrig(x float64) trigReduced {
	if !(x <= trigBound) {
		return reduceHuge(x)
	}
	biased := math.FMA(x, twoOverPi, roundBias)
	n := biased - roundBias
	r := math.FMA(-n, halfPi1, x) // exact
	p := mul2(n, halfPi2)
	s := sum2(r, -p.hi)
	return trigReduced{math.Float64bits(biased), pair64{s.hi, math.FMA(-n, halfPi3, s.lo-p.lo)}}
}

// sin returns sin(r) and cos returns cos(r): the first terms exactly, beside the rest. They are
// those of fdlibm's k_sin.c and k_cos.c.

func (t trigReduced) sin() pair64 {
	r := t.r.hi
	z := float64(r * r)
	return pair64{r, math.FMA(float64(z*r), poly(z, sinPoly[:]), t.r.lo*math.FMA(-0.5, z, 1))}
}

func (t trigReduced) cos() pair64 {
	r := t.r.hi
	z := float64(r * r)
	p := fastSum2(1, -0.5*z)
	return pair64{p.hi, p.lo + math.FMA(-r, t.r.lo, float64(z*z)*poly(z, cosPoly[:]))}
}

// quadrant returns sin(r + n·π/2).
func (t trigReduced) quadrant(n uint64) float64 {
	if n&1 == 0 {
		return flip(t.sin().value(), n>>1)
	}
	return flip(t.cos().value(), n>>1)
}

// flip negates y if the lowest bit of n is set.
func flip(y float64, n uint64) float64 {
	return math.Float64frombits(math.Float64bits(y) ^ n<<63)
}

// finite reports whether x is a number.
func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

func sin(x float64) float64 {
	t := reduceTrig(math.Abs(x))
	return flip(t.quadrant(t.n), math.Float64bits(x)>>63)
}

func cos(x float64) float64 {
	t := reduceTrig(math.Abs(x))
	return t.quadrant(t.n + 1)
}

func tan(x float64) float64 {
	t := reduceTrig(math.Abs(x))
	s, c := t.sin(), t.cos()
	s, c = fastSum2(s.hi, s.lo), fastSum2(c.hi, c.lo)
	if t.n&1 != 0 {
		s, c = c, s
	}
	return flip(s.div(c).value(), t.n^math.Float64bits(x)>>63)
}

// sinNarrow and cosNarrow are sin and cos of a float32.

func sinNarrow(x float64) float64 {
	n, r := reduceTrigNarrow(math.Abs(x))
	return flip(quadrantNarrow(n, r), math.Float64bits(x)>>63)
}

func cosNarrow(x float64) float64 {
	n, r := reduceTrigNarrow(math.Abs(x))
	return quadrantNarrow(n+1, r)
}

// reduceTrigNarrow is reduceTrig with r in one part, of an x ≥ 0 that is a float32.
func reduceTrigNarrow(x float64) (n uint64, r float64) {
	if x > trigBound {
		return reduceHugeNarrow(x)
	}
	biased := math.FMA(x, twoOverPi, roundBias)
	k := biased - roundBias
	return math.Float64bits(biased), math.FMA(-k, halfPi2, math.FMA(-k, halfPi1, x))
}

func quadrantNarrow(n uint64, r float64) float64 {
	z := float64(r * r)
	if n&1 == 0 {
		return flip(sinReduced(r, z), n>>1)
	}
	return flip(cosReduced(z), n>>1)
}

// sinReduced and cosReduced return sin(r) and cos(r), near enough for a float32, for |r| ≤ π/4,
// where z is r².

func sinReduced(r, z float64) float64 { return math.FMA(float64(z*r), poly(z, sinPoly32[:]), r) }

func cosReduced(z float64) float64 { return math.FMA(z, poly(z, cosPoly32[:]), 1) }

// tanNarrow is tan of a float32.
func tanNarrow(x float64) float64 {
	n, r := reduceTrigNarrow(math.Abs(x))
	z := float64(r * r)
	s, c := sinReduced(r, z), cosReduced(z)
	if n&1 != 0 {
		s, c = c, s
	}
	return flip(s/c, n^math.Float64bits(x)>>63)
}
