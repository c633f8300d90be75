package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// A double emits instructions on float64s, also for results that are rounded to float32 at the end. Each step is
// that of the function in Go of the same name, with the same roundings.
type double struct {
	fp
	loaded map[string]value // constants in registers
	most   int              // how many constants may be in registers: the steps need the others
}

// A mathOp is a function of one operand. narrow is for float32 and wide for float64: each emits what comes before the
// loop and returns what emits the result of a vector, of half as many bytes for float32. One that is nil has no
// assembly.
type mathOp struct {
	op, formula  string
	narrow, wide func(double) func(x value) value
}

var mathOps = []mathOp{
	{"Exp", "exp(a)", double.expNarrow, double.exp},
	{"Exp2", "2^a", double.exp2Narrow, double.exp2},
	{"Expm1", "exp(a) - 1", double.expm1Narrow, double.expm1},
	{"Log", "log(a)", double.logNarrow, double.log},
	{"Log2", "log2(a)", double.log2Narrow, double.log2},
	{"Log10", "log10(a)", double.log10Narrow, double.log10},
	{"Log1p", "log(1 + a)", double.log1pNarrow, nil},
	{"Sin", "sin(a)", double.sinNarrow, nil},
	{"Cos", "cos(a)", double.cosNarrow, nil},
	{"Tan", "tan(a)", double.tanNarrow, nil},
	{"Asin", "asin(a)", double.asinNarrow, nil},
	{"Acos", "acos(a)", double.acosNarrow, nil},
	{"Atan", "atan(a)", double.atanNarrow, nil},
	{"Sinh", "sinh(a)", double.sinhNarrow, double.sinh},
	{"Cosh", "cosh(a)", double.coshNarrow, double.cosh},
	{"Cbrt", "∛a", double.cbrtNarrow, nil},
	{"Erf", "erf(a)", double.erfNarrow, nil},
	{"Erfc", "erfc(a)", double.erfcNarrow, nil},
	{"Gelu", "a/2·erfc(-a/√2)", double.geluNarrow, nil},
	{"Tanh", "tanh(a)", double.tanhNarrow, double.tanh},
	{"Sigmoid", "1/(1 + exp(-a))", double.sigmoidNarrow, double.sigmoid},
}

// A mathOp2 is a function of two float32s.
type mathOp2 struct {
	op, formula string
	narrow      func(double) func(x, y value) value
}

var mathOps2 = []mathOp2{
	{"Pow", "a^b", double.powNarrow},
	{"Atan2", "the angle of (b, a)", double.atan2Narrow},
}

func emitMath(k *asm) {
	for _, o := range mathOps {
		if o.narrow != nil {
			k.emitMathOp(o.op, o.formula, 4, k.joinedSteps(func(d double) func(...value) value {
				step := o.narrow(d)
				return func(x ...value) value { return step(x[0]) }
			}))
		}
		if o.wide != nil {
			k.emitMathOp(o.op, o.formula, 8, k.steps(o.wide))
		}
	}
	for _, o := range mathOps2 {
		k.emitMathOp2(o)
	}
}

func (k *asm) emitMathOp2(o mathOp2) {
	l := loop{lanes: k.width / 8, start: k.joinedSteps(func(d double) func(...value) value {
		step := o.narrow(d)
		return func(x ...value) value { return step(x[0], x[1]) }
	})}
	k.emitOperation(operation{op: o.op, formula: o.formula, operands: 2, scalars: bothForms, unroll: 2}, l, 4, true, "Float32")
}

func (k *asm) emitMathOp(op, formula string, size int, start func(*asm) func([][]value) []value) {
	l := loop{lanes: k.width / 8, start: start}
	k.emitOperation(operation{op: op, formula: formula, operands: 1, unroll: 2}, l, size, true, fp{k, size}.typ())
}

func (k *asm) steps(start func(double) func(value) value) func(*asm) func([][]value) []value {
	return func(*asm) func([][]value) []value {
		step := start(double{fp{k, 8}, map[string]value{}, 8})
		return func(in [][]value) []value { return k.eachOf(in[0], step) }
	}
}

// joinedSteps is steps for float32s, whose results are joined where there are two.
func (k *asm) joinedSteps(start func(double) func(...value) value) func(*asm) func([][]value) []value {
	return func(*asm) func([][]value) []value {
		step := start(double{fp{k, 8}, map[string]value{}, 16})
		halves := each(func(x ...value) value {
			for i := range x { // scalars fill whole vectors
				x[i] = narrow(x[i], k.width/2)
			}
			return step(x...)
		})
		return func(in [][]value) []value {
			out := halves(in)
			if len(out)%2 != 0 {
				return out
			}
			joined := make([]value, len(out)/2)
			for i := range joined {
				joined[i] = k.join(out[2*i], out[2*i+1])
			}
			return joined
		}
	}
}

// widen makes float64s of float32s, and round the reverse.

func (d double) widen(x value) value { return d.op(d.VCVTPS2PD, x) }

func (d double) round(x value) value {
	if d.fp.wide() {
		return d.half(d.VCVTPD2PS, x)
	}
	return d.half(d.VCVTPD2PSY, x)
}

// half is the result of an instruction on float32s.
func (d double) half(instruction instruction, sources ...value) value {
	return d.opOf(d.width/2, instruction, sources...)
}

// useHalf loads variables of package kernel into registers as float32s, before the loop.
func (d double) useHalf(names ...string) {
	for _, name := range names {
		d.loaded[key("half "+name, 0)] = d.round(d.broadcastFrom(global(name, 0), 8))
	}
}

func (d double) getHalf(name string) value { return d.loaded[key("half "+name, 0)] }

// The following work on float32s.

func (d double) clampHalf(a value, lo, hi string) value {
	return d.half(d.VMAXPS, d.atMostHalf(a, hi), d.getHalf(lo))
}

func (d double) atMostHalf(a value, hi string) value { return d.half(d.VMINPS, a, d.getHalf(hi)) }

// signHalf is the sign bit of a, absHalf the others.
func (d double) signHalf(a value) value { return d.half(d.VANDPS, d.replicated(1<<31, 4), a) }
func (d double) absHalf(a value) value  { return d.half(d.VANDPS, d.replicated(1<<31-1, 4), a) }

// copySignHalf is |a| with the sign of b.
func (d double) copySignHalf(a, b value) value {
	return d.half(d.VORPS, d.signHalf(b), d.absHalf(a))
}

// join makes one vector of two halves.
func (k *asm) join(lo, hi value) value {
	if k.wide() {
		d := k.vec()
		i, err := x86.VINSERTF64X4(operand.U8(1), hi, narrow(lo, 64), d)
		k.reading(i, err, hi, lo)
		return d
	}
	return k.op(of4(k.VINSERTF128), operand.U8(1), hi, narrow(lo, 32))
}

// global is the address of a variable of package kernel, or of an element of one.
func global(name string, index int) operand.Mem {
	return operand.NewDataAddr(operand.Symbol{Name: "·" + name}, 8*index)
}

// use loads variables of package kernel into registers before the loop, if there are enough registers.
func (d double) use(names ...string) {
	for _, name := range names {
		d.usePart(name, 0)
	}
}

// useTable does it with the n elements of a table.
func (d double) useTable(name string, n int) {
	for i := range n {
		d.usePart(name, i)
	}
}

func (d double) usePart(name string, index int) {
	if d.room() {
		d.loaded[key(name, index)] = d.broadcastFrom(global(name, index), 8)
	}
}

// room reports whether there is a register for another constant.
func (d double) room() bool { return d.fp.wide() && len(d.loaded) < d.most }

func key(name string, index int) string { return fmt.Sprintf("%s %d", name, index) }

// get is a variable of package kernel, which must not be changed.
func (d double) get(name string) value { return d.part(name, 0) }

func (d double) part(name string, index int) value {
	if r, ok := d.loaded[key(name, index)]; ok {
		return r
	}
	return d.broadcastFrom(global(name, index), 8)
}

// bits is a vector of float64s with these bits in memory or, after useBits, in a register.
func (d double) bits(b uint64) value {
	if r, ok := d.loaded[key("bits", int(b))]; ok {
		return r
	}
	return d.replicated(b, 8)
}

func (d double) useBits(bits ...uint64) {
	for _, b := range bits {
		if d.room() {
			d.loaded[key("bits", int(b))] = d.broadcast(b, 8)
		}
	}
}

// inRegister is bits, in a register at any rate.
func (d double) inRegister(b uint64) value {
	v := d.bits(b)
	if m, ok := v.(operand.Mem); ok {
		r := d.vec()
		d.VMOVUPD(m, r)
		return r
	}
	return v
}

// The bits of numbers.
const (
	signBits      = 1 << 63
	oneBits       = 0x3ff0000000000000
	twoBits       = 0x4000000000000000
	halfBits      = 0x3fe0000000000000
	infinityBits  = 0x7ff0000000000000
	minusInfinity = 0xfff0000000000000
)

// copy is a register that may be changed.
func (d double) copy(a value) value {
	if _, ok := a.(reg.Register); ok {
		return d.op(d.VMOVAPD, a)
	}
	return d.op(d.VMOVUPD, a)
}

// The following change their first argument, a register, and return it: c + a·b and c - a·b.

func (d double) plusProduct(c, a, b value) value {
	d.VFMADD231PD(b, a, c)
	return c
}

func (d double) minusProduct(c, a, b value) value {
	d.VFNMADD231PD(b, a, c)
	return c
}

// timesPlus changes a to a·b + c, where c may be in memory.
func (d double) timesPlus(a, b, c value) value {
	d.VFMADD213PD(c, b, a)
	return a
}

// poly is the polynomial with the n coefficients in a table.
func (d double) poly(x value, table string, n int) value {
	p := d.copyPart(table, n-1)
	for i := n - 2; i >= 0; i-- {
		d.timesPlusPart(p, x, table, i)
	}
	return p
}

func (d double) timesPlusPart(p, x value, table string, i int) {
	if _, ok := d.loaded[key(table, i)]; d.fp.wide() && !ok {
		d.VFMADD213PD_BCST(global(table, i), x, p)
		return
	}
	d.timesPlus(p, x, d.part(table, i))
}

func (d double) copyPart(table string, i int) value {
	if r, ok := d.loaded[key(table, i)]; ok {
		return d.copy(r)
	}
	return d.broadcastFrom(global(table, i), 8)
}

// addBits and subBits work on integers, shiftLeft and shiftRight on the bits of floats.

func (d double) addBits(a, b value) value { return d.op(d.VPADDQ, b, a) }
func (d double) subBits(a, b value) value { return d.op(d.VPSUBQ, b, a) }

func (d double) shiftLeft(a value, n int) value  { return d.op(d.VPSLLQ, operand.U8(n), a) }
func (d double) shiftRight(a value, n int) value { return d.op(d.VPSRLQ, operand.U8(n), a) }

// abs is |a|.
func (d double) abs(a value) value { return d.andNot(d.inRegister(signBits), a) }

// negative is a mask for choose of the elements whose sign bit is set, the only one that choose looks at with AVX2.
func (d double) negative(a value) value {
	if !d.fp.wide() {
		return a
	}
	return d.signMask(a)
}

// copySign is |a| with the sign of b.
func (d double) copySign(a, b value) value {
	sign := d.inRegister(signBits)
	return d.or(d.and(sign, b), d.andNot(sign, a))
}
