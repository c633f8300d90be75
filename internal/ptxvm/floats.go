package ptxvm

import "math"

var (
	single = kind{'f', 32}
	double = kind{'f', 64}
)

func f32(a uint64) float32    { return math.Float32frombits(uint32(a)) }
func f64(a uint64) float64    { return math.Float64frombits(a) }
func bits32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func bits64(x float64) uint64 { return math.Float64bits(x) }

// addFloats adds arithmetic on floats, rounded to the nearest.
func (t table) addFloats() {
	t.addSingles()
	t.addDoubles()
	for _, k := range []kind{single, double} {
		sign := uint64(1) << (k.bits - 1)
		name := "." + k.String()
		t.add("neg"+name, map1(func(a uint64) uint64 { return a ^ sign }), k, k)
		t.add("abs"+name, map1(func(a uint64) uint64 { return a &^ sign }), k, k)
		t.add("copysign"+name, map2(func(a, b uint64) uint64 { return b&^sign | a&sign }), k, k, k)
	}
}

func (t table) addSingles() {
	binary := func(op string, f func(a, b float32) float32) {
		t.add(op+".rn.f32", map2(func(a, b uint64) uint64 { return bits32(f(f32(a), f32(b))) }), single, single, single)
	}
	binary("add", func(a, b float32) float32 { return a + b })
	binary("sub", func(a, b float32) float32 { return a - b })
	binary("mul", func(a, b float32) float32 { return a * b })
	binary("div", func(a, b float32) float32 { return a / b })
	t.add("fma.rn.f32", map3(func(a, b, c uint64) uint64 { return bits32(fused(f32(a), f32(b), f32(c))) }), single, single, single, single)
	t.add("sqrt.rn.f32", map1(func(a uint64) uint64 { return bits32(float32(math.Sqrt(float64(f32(a))))) }), single, single)
}

func (t table) addDoubles() {
	binary := func(op string, f func(a, b float64) float64) {
		t.add(op+".rn.f64", map2(func(a, b uint64) uint64 { return bits64(f(f64(a), f64(b))) }), double, double, double)
	}
	binary("add", func(a, b float64) float64 { return a + b })
	binary("sub", func(a, b float64) float64 { return a - b })
	binary("mul", func(a, b float64) float64 { return a * b })
	binary("div", func(a, b float64) float64 { return a / b })
	t.add("fma.rn.f64", map3(func(a, b, c uint64) uint64 { return bits64(math.FMA(f64(a), f64(b), f64(c))) }), double, double, double, double)
	t.add("sqrt.rn.f64", map1(func(a uint64) uint64 { return bits64(math.Sqrt(f64(a))) }), double, double)
}

// fused returns a·b + c, rounded once. The product of two float32s is an exact float64. The sum is
// rounded to odd before it is rounded to a float32, as in Boldo and Melquiond, "Emulation of FMA
// and correctly rounded sums: proved algorithms using rounding to odd" (2008).
func fused(a, b, c float32) float32 {
	p, z := float64(a)*float64(b), float64(c)
	sum := p + z
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return float32(sum)
	}

	// What the sum lost, by Knuth's exact addition.
	t := sum - p
	lost := (p - (sum - t)) + (z - t)

	odd := math.Float64bits(sum)
	if lost != 0 && odd&1 == 0 {
		if (lost < 0) == (sum < 0) {
			odd++
		} else {
			odd--
		}
	}
	return float32(math.Float64frombits(odd))
}
