package ptxvm_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// classes holds the letters of the registers of the harness by the types of what they hold.
var classes = map[string]string{"16": "h", "32": "r", "64": "d", "f32": "f", "f64": "g"}

// registerOf returns register i that holds a type.
func registerOf(typ string, i int) string {
	if typ == "pred" {
		return "%p"
	}
	class, ok := classes[typ]
	if !ok {
		class = classes[strings.TrimLeft(typ, "bus")]
	}
	return fmt.Sprintf("%%%s%d", class, i)
}

// evaluate runs an instruction on rows of operands and returns its results, one a row. types are
// those of the result and of the operands.
func evaluate(t *testing.T, name string, types []string, rows [][]uint64) []uint64 {
	t.Helper()
	operands := len(types) - 1
	var code strings.Builder
	fmt.Fprintf(&code, "mad.wide.u32 %%in, %%tid, %d, %%in;\n", 8*operands)
	instruction := name + " " + registerOf(types[0], 0)
	for k, typ := range types[1:] {
		r := registerOf(typ, k+1)
		if typ == "pred" {
			fmt.Fprintf(&code, "ld.global.u64 %%d0, [%%in+%d];\nsetp.ne.u64 %%p, %%d0, 0;\n", 8*k)
		} else {
			fmt.Fprintf(&code, "ld.global.%s %s, [%%in+%d];\n", typ, r, 8*k)
		}
		instruction += ", " + r
	}
	code.WriteString(instruction + ";\n")
	switch typ := types[0]; typ {
	case "pred":
		code.WriteString("mov.b64 %d0, 0;\n@%p mov.b64 %d0, 1;\nst.global.b64 [%mine], %d0;\n")
	default:
		fmt.Fprintf(&code, "mov.b64 %%d3, 0;\nst.global.b64 [%%mine], %%d3;\nst.global.%s [%%mine], %s;\n", typ, registerOf(typ, 0))
	}

	var results []uint64
	for len(rows) > 0 {
		n := min(len(rows), 1000)
		p := program{code: code.String(), threads: n, out: n}
		for _, row := range rows[:n] {
			p.in = append(p.in, row...)
		}
		got, err := p.run()
		if err != nil {
			t.Fatalf("%s: %v", instruction, err)
		}
		results, rows = append(results, got...), rows[n:]
	}
	return results
}

func s16(x int16) uint64      { return uint64(uint16(x)) }
func s32(x int32) uint64      { return uint64(uint32(x)) }
func s64(x int64) uint64      { return uint64(x) }
func bits32(x float32) uint64 { return uint64(math.Float32bits(x)) }
func bits64(x float64) uint64 { return math.Float64bits(x) }

// TestInstructions compares instructions with results that the PTX ISA gives.
func TestInstructions(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	minus0 := math.Copysign(0, -1)
	for _, c := range []struct {
		name string
		args []uint64
		want uint64
	}{
		{"add.u16 u16 u16 u16", []uint64{65535, 2}, 1},
		{"sub.s32 s32 s32 s32", []uint64{s32(math.MinInt32), 1}, math.MaxInt32},
		{"mul.lo.s16 s16 s16 s16", []uint64{s16(-300), 300}, s16(-24464)},
		{"mul.hi.u32 u32 u32 u32", []uint64{1 << 31, 6}, 3},
		{"mul.hi.s32 s32 s32 s32", []uint64{s32(-1), 6}, s32(-1)},
		{"mul.hi.u64 u64 u64 u64", []uint64{1 << 63, 6}, 3},
		{"mul.hi.s64 s64 s64 s64", []uint64{s64(-5), 7}, s64(-1)},
		{"mul.hi.s64 s64 s64 s64", []uint64{s64(math.MinInt64), s64(math.MinInt64)}, 1 << 62},
		{"mul.wide.s32 s64 s32 s32", []uint64{s32(-3), 5}, s64(-15)},
		{"mul.wide.u32 u64 u32 u32", []uint64{s32(-1), 2}, 1<<33 - 2},
		{"mad.wide.s32 s64 s32 s32 s64", []uint64{s32(-3), 5, 20}, 5},
		{"mad.lo.u64 u64 u64 u64 u64", []uint64{3, 5, s64(-16)}, s64(-1)},
		{"div.s32 s32 s32 s32", []uint64{s32(-7), 2}, s32(-3)},
		{"div.s32 s32 s32 s32", []uint64{s32(math.MinInt32), s32(-1)}, s32(math.MinInt32)},
		{"rem.s64 s64 s64 s64", []uint64{s64(-7), 2}, s64(-1)},
		{"rem.u32 u32 u32 u32", []uint64{s32(-1), 10}, 5},
		{"min.s16 s16 s16 s16", []uint64{s16(-2), 1}, s16(-2)},
		{"max.u16 u16 u16 u16", []uint64{s16(-2), 1}, s16(-2)},
		{"abs.s32 s32 s32", []uint64{s32(math.MinInt32)}, s32(math.MinInt32)},
		{"neg.s16 s16 s16", []uint64{5}, s16(-5)},
		{"not.b16 b16 b16", []uint64{5}, 0xfffa},
		{"xor.b64 b64 b64 b64", []uint64{5, 3}, 6},
		{"shl.b32 b32 b32 u32", []uint64{3, 31}, 1 << 31},
		{"shl.b32 b32 b32 u32", []uint64{3, 32}, 0},
		{"shl.b64 b64 b64 u32", []uint64{3, 1 << 20}, 0},
		{"shr.u16 u16 u16 u32", []uint64{0x8000, 15}, 1},
		{"shr.s32 s32 s32 u32", []uint64{s32(-8), 1}, s32(-4)},
		{"shr.s32 s32 s32 u32", []uint64{s32(-8), 99}, s32(-1)},
		{"shr.s64 s64 s64 u32", []uint64{8, 64}, 0},
		{"popc.b64 u32 b64", []uint64{1<<63 | 5}, 3},
		{"clz.b32 u32 b32", []uint64{1}, 31},
		{"clz.b64 u32 b64", []uint64{0}, 64},
		{"bfe.u32 u32 u32 u32 u32", []uint64{0xabcd, 4, 8}, 0xbc},
		{"bfe.s32 s32 s32 u32 u32", []uint64{0xabcd, 4, 8}, s32(-0x44)},
		{"bfe.s32 s32 s32 u32 u32", []uint64{1 << 31, 31, 5}, s32(-1)},
		{"bfe.u32 u32 u32 u32 u32", []uint64{0xabcd, 40, 8}, 0},
		{"bfe.s64 s64 s64 u32 u32", []uint64{0x80, 0, 8}, s64(-128)},
		{"bfe.u64 u64 u64 u32 u32", []uint64{s64(-1), 0, 255}, s64(-1)},
		{"prmt.b32 b32 b32 b32 b32", []uint64{0x33221100, 0x77665544, 0x7250}, 0x77225500},
		{"prmt.b32 b32 b32 b32 b32", []uint64{0x80, 0x7f, 0x8888 | 0x0004}, 0xffffff00},
		{"selp.b16 b16 b16 b16 pred", []uint64{1, 2, 1}, 1},
		{"selp.f64 f64 f64 f64 pred", []uint64{1, 2, 0}, 2},

		{"setp.lt.s32 pred s32 s32", []uint64{s32(-1), 1}, 1},
		{"setp.lt.u32 pred u32 u32", []uint64{s32(-1), 1}, 0},
		{"setp.ge.s16 pred s16 s16", []uint64{s16(-1), 0}, 0},
		{"setp.eq.b64 pred b64 b64", []uint64{1 << 40, 1 << 40}, 1},
		{"setp.ne.f32 pred f32 f32", []uint64{bits32(float32(nan)), bits32(1)}, 0},
		{"setp.neu.f32 pred f32 f32", []uint64{bits32(float32(nan)), bits32(1)}, 1},
		{"setp.eq.f64 pred f64 f64", []uint64{bits64(0), bits64(minus0)}, 1},
		{"setp.ltu.f64 pred f64 f64", []uint64{bits64(2), bits64(nan)}, 1},
		{"setp.gt.f64 pred f64 f64", []uint64{bits64(2), bits64(nan)}, 0},
		{"setp.nan.f64 pred f64 f64", []uint64{bits64(2), bits64(nan)}, 1},
		{"setp.num.f32 pred f32 f32", []uint64{bits32(2), bits32(float32(inf))}, 1},

		{"neg.f32 f32 f32", []uint64{bits32(0)}, 1 << 31},
		{"abs.f64 f64 f64", []uint64{bits64(-inf)}, bits64(inf)},
		{"copysign.f64 f64 f64 f64", []uint64{bits64(-1), bits64(3)}, bits64(-3)},
		{"add.rn.f32 f32 f32 f32", []uint64{bits32(1), bits32(0x1p-24)}, bits32(1)},
		{"sub.rn.f64 f64 f64 f64", []uint64{bits64(inf), bits64(1)}, bits64(inf)},
		{"mul.rn.f32 f32 f32 f32", []uint64{bits32(0x1p-100), bits32(0x1p-49)}, 1},
		{"div.rn.f64 f64 f64 f64", []uint64{bits64(1), bits64(minus0)}, bits64(-inf)},
		{"sqrt.rn.f32 f32 f32", []uint64{bits32(2)}, bits32(math.Sqrt2)},
		{"sqrt.rn.f64 f64 f64", []uint64{bits64(minus0)}, bits64(minus0)},
		{"fma.rn.f64 f64 f64 f64 f64", []uint64{bits64(1 + 0x1p-52), bits64(1 - 0x1p-52), bits64(-1)}, bits64(-0x1p-104)},

		{"cvt.s32.s8 s32 s32", []uint64{0x180}, s32(-128)},
		{"cvt.u8.s32 u16 s32", []uint64{s32(-1)}, 255},
		{"cvt.s8.s32 s16 s32", []uint64{255}, s16(-1)},
		{"cvt.s64.s32 s64 s32", []uint64{s32(-2)}, s64(-2)},
		{"cvt.u64.s32 u64 s32", []uint64{s32(-2)}, s64(-2)},
		{"cvt.u64.u32 u64 u32", []uint64{s32(-2)}, 1<<32 - 2},
		{"cvt.u32.u64 u32 u64", []uint64{1<<32 + 7}, 7},
		{"cvt.rzi.s32.f32 s32 f32", []uint64{bits32(-2.9)}, s32(-2)},
		{"cvt.rmi.s32.f64 s32 f64", []uint64{bits64(-2.1)}, s32(-3)},
		{"cvt.rpi.u64.f64 u64 f64", []uint64{bits64(2.1)}, 3},
		{"cvt.rni.s64.f64 s64 f64", []uint64{bits64(2.5)}, 2},
		{"cvt.rzi.s32.f32 s32 f32", []uint64{bits32(3e9)}, math.MaxInt32},
		{"cvt.rzi.s8.f32 s32 f32", []uint64{bits32(-1000)}, s32(-128)},
		{"cvt.rzi.u32.f64 u32 f64", []uint64{bits64(-5)}, 0},
		{"cvt.rzi.u64.f64 u64 f64", []uint64{bits64(0x1p64)}, math.MaxUint64},
		{"cvt.rzi.s64.f64 s64 f64", []uint64{bits64(-inf)}, s64(math.MinInt64)},
		{"cvt.rzi.s32.f32 s32 f32", []uint64{bits32(float32(nan))}, 0},
		{"cvt.rzi.s64.f32 s64 f32", []uint64{bits32(float32(nan))}, 1 << 63},
		{"cvt.rzi.u32.f64 u32 f64", []uint64{bits64(nan)}, 1 << 31},
		{"cvt.rni.f64.f64 f64 f64", []uint64{bits64(-0.5)}, bits64(minus0)},
		{"cvt.rmi.f32.f32 f32 f32", []uint64{bits32(-0.5)}, bits32(-1)},
		{"cvt.rn.f32.s64 f32 s64", []uint64{s64(-1<<60 - 1)}, bits32(-1 << 60)},
		{"cvt.rm.f32.s64 f32 s64", []uint64{s64(-1<<60 - 1)}, bits32(-1<<60 - 1<<37)},
		{"cvt.rz.f64.u64 f64 u64", []uint64{math.MaxUint64}, bits64(0x1p64 - 0x1p11)},
		{"cvt.rn.f64.u64 f64 u64", []uint64{math.MaxUint64}, bits64(0x1p64)},
		{"cvt.rn.f32.u8 f32 u32", []uint64{0x1ff}, bits32(255)},
		{"cvt.rn.f16.f32 b16 f32", []uint64{bits32(65519)}, 0x7bff},
		{"cvt.rn.f16.f32 b16 f32", []uint64{bits32(-65520)}, 0xfc00},
		{"cvt.rz.f16.f32 b16 f32", []uint64{bits32(-1e9)}, 0xfbff},
		{"cvt.rp.f16.f64 b16 f64", []uint64{bits64(1e-300)}, 1},
		{"cvt.rn.f16.f32 b16 f32", []uint64{bits32(0x1p-14 - 0x1p-26)}, 0x0400},
		{"cvt.f32.f16 f32 b16", []uint64{0x0001}, bits32(0x1p-24)},
		{"cvt.f64.f16 f64 b16", []uint64{0xfc00}, bits64(-inf)},
	} {
		words := strings.Fields(c.name)
		if got := evaluate(t, words[0], words[1:], [][]uint64{c.args}); got[0] != c.want {
			t.Errorf("%s of %#x is %#x, want %#x", words[0], c.args, got[0], c.want)
		}
	}
}

// TestPacks makes registers of two, and two of one.
func TestPacks(t *testing.T) {
	p := program{in: []uint64{0x1122334455667788}, out: 2, code: `
	ld.global.b64 %d0, [%in];
	mov.b64 {%r0, %r1}, %d0;
	mov.b32 {%h0, %h1}, %r0;
	mov.b32 %r2, {%h1, %h0};
	mov.b64 %d1, {%r1, %r2};
	st.global.v2.b64 [%out], {%d0, %d1};`}
	got, err := p.run()
	if err != nil || got[1] != 0x7788556611223344 {
		t.Errorf("got %#x, %v", got, err)
	}
}

// edges are floats of all kinds.
func edges(r *rand.Rand, n int) (x []float64) {
	x = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, 0x1p-149, -0x1p-149, 0x1p-150, 0x1.8p-149, 0x1p-126, 0x1.fffffep127, 0x1.ffffffp127,
		0x1p128, 65504, 65519, 65520, 65536, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14, 0x1p63, 0x1p64, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1)}
	for range n {
		x = append(x, math.Ldexp(r.Float64()-0.5, r.IntN(340)-170), float64(r.IntN(4000)-2000)/8, math.Float64frombits(r.Uint64()))
	}
	return x
}

// exactly returns the big.Float of a finite x, with enough bits for sums of products.
func exactly(x float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(x) }

// TestFused compares fma.rn.f32 with exact numbers.
func TestFused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rows [][]uint64
	for range 20_000 {
		a, b := float32(r.NormFloat64()), float32(r.NormFloat64())
		c := float32(-float64(a) * float64(b) * (1 + math.Ldexp(float64(r.IntN(5)-2), -r.IntN(50))))
		if r.IntN(4) == 0 {
			a, c = math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		}
		if r.IntN(4) == 0 { // results that are subnormal
			a, b = a*0x1p-70, b*0x1p-70
			c = float32(r.IntN(64)) * 0x1p-149
		}
		if x := float64(a) * float64(b) * float64(c); x-x == 0 { // none is infinite or NaN
			rows = append(rows, []uint64{bits32(a), bits32(b), bits32(c)})
		}
	}
	got := evaluate(t, "fma.rn.f32", []string{"f32", "f32", "f32", "f32"}, rows)
	for i, row := range rows {
		var f [3]float64
		for k, v := range row {
			f[k] = float64(math.Float32frombits(uint32(v)))
		}
		sum := exactly(f[0])
		sum.Add(sum.Mul(sum, exactly(f[1])), exactly(f[2]))
		if want, _ := sum.Float32(); want != 0 && got[i] != bits32(want) {
			t.Fatalf("fma of %v is %#x, want %#x", f, got[i], bits32(want))
		}
	}
}

// TestRoundings compares the four roundings from float64 with exact numbers: a result is the
// float32 or float16 next to the number, on the right side.
func TestRoundings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var rows [][]uint64
	numbers := edges(r, 3000)
	for _, x := range numbers {
		rows = append(rows, []uint64{bits64(x)})
	}
	modes := map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf}
	formats := []struct {
		name, typ  string
		bits, size int     // of the fraction with the one before it, and of all
		least      int     // the exponent of the smallest number
		most       float64 // the largest
	}{
		{"f32", "f32", 24, 32, -149, math.MaxFloat32},
		{"f16", "b16", 11, 16, -24, 65504},
	}
	for _, f := range formats {
		for modifier, mode := range modes {
			name := "cvt." + modifier + "." + f.name + ".f64"
			got := evaluate(t, name, []string{f.typ, "f64"}, rows)
			for i, x := range numbers {
				want := rounded(x, mode, f.bits, f.least, f.most)
				if y := valueOf(got[i], f.size, f.bits); math.Float64bits(y) != math.Float64bits(want) && x == x {
					t.Fatalf("%s of %v is %v, want %v", name, x, y, want)
				}
			}
		}
	}
}

// rounded is x as a float of some bits whose smallest is 2^least and whose largest is most.
func rounded(x float64, mode big.RoundingMode, bits, least int, most float64) float64 {
	if x == 0 || math.IsInf(x, 0) || x != x {
		return x
	}
	precision := bits
	if _, exponent := math.Frexp(x); exponent-bits < least {
		precision = exponent - least
	}
	var y float64
	switch {
	case precision >= 1:
		y, _ = new(big.Float).SetPrec(uint(precision)).SetMode(mode).SetFloat64(x).Float64()
	default: // below the smallest
		up := mode == big.ToPositiveInf && x > 0 || mode == big.ToNegativeInf && x < 0 ||
			mode == big.ToNearestEven && math.Abs(x) > math.Ldexp(0.5, least)
		if up {
			y = math.Ldexp(1, least)
		}
		y = math.Copysign(y, x)
	}
	if math.Abs(y) <= most {
		return y
	}
	if mode == big.ToZero || mode == big.ToPositiveInf && x < 0 || mode == big.ToNegativeInf && x > 0 {
		return math.Copysign(most, x)
	}
	return math.Inf(int(math.Copysign(1, x)))
}

// valueOf decodes a float of some size.
func valueOf(v uint64, size, bits int) float64 {
	sign := 1 - 2*float64(v>>(size-1))
	exponents := 1<<(size-bits) - 1
	fraction := float64(v & (1<<(bits-1) - 1))
	exponent := int(v>>(bits-1)) & exponents
	unit := 2 - exponents/2 - bits
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, unit)
	case exponents:
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(fraction+math.Ldexp(1, bits-1), exponent-1+unit)
}
