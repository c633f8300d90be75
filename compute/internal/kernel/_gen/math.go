package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/x86"
)

// A double emits instructions on float64s, also for results that are rounded to float32 at the end.
// Each step is that of the function in Go of the same name, with the same roundings.
type double struct{ real }

// A mathOp is a function of one operand. narrow is for float32 and wide for float64: each emits
// what comes before the loop and returns what emits the result of a vector, of half as many bytes
// for float32. One that is nil has no assembly.
type mathOp struct {
	op, formula  string
	narrow, wide func(double) func(x value) value
	single       func(single) func(x value) value // instead of narrow, on float32s
}

var mathOps = []mathOp{
	{op: "Exp", formula: "exp(a)", wide: double.exp, single: single.exp},
	{op: "Exp2", formula: "2^a", wide: double.exp2, single: single.exp2},
	{op: "Expm1", formula: "exp(a) - 1", wide: double.expm1, single: single.expm1},
	{op: "Log", formula: "log(a)", wide: double.log, single: single.log},
	{op: "Log2", formula: "log2(a)", wide: double.log2, single: single.log2},
	{op: "Log10", formula: "log10(a)", wide: double.log10, single: single.log10},
	{op: "Log1p", formula: "log(1 + a)", wide: double.log1p, single: single.log1p},
	{op: "Sin", formula: "sin(a)", narrow: double.sinNarrow, wide: double.sin},
	{op: "Cos", formula: "cos(a)", narrow: double.cosNarrow, wide: double.cos},
	{op: "Tan", formula: "tan(a)", narrow: double.tanNarrow, wide: double.tan},
	{op: "Asin", formula: "asin(a)", narrow: double.asinNarrow, wide: double.asin},
	{op: "Acos", formula: "acos(a)", narrow: double.acosNarrow, wide: double.acos},
	{op: "Atan", formula: "atan(a)", narrow: double.atanNarrow, wide: double.atan},
	{op: "Sinh", formula: "sinh(a)", narrow: double.sinhNarrow, wide: double.sinh},
	{op: "Cosh", formula: "cosh(a)", narrow: double.coshNarrow, wide: double.cosh},
	{op: "Cbrt", formula: "∛a", narrow: double.cbrtNarrow, wide: double.cbrt},
	{op: "Erf", formula: "erf(a)", narrow: double.erfNarrow, wide: double.erf},
	{op: "Erfc", formula: "erfc(a)", narrow: double.erfcNarrow, wide: double.erfc},
	{op: "Gelu", formula: "a/2·erfc(-a/√2)", narrow: double.geluNarrow, wide: double.gelu},
	{op: "Asinh", formula: "asinh(a)", narrow: ofFloat32(double.asinh), wide: double.asinh},
	{op: "Acosh", formula: "acosh(a)", narrow: ofFloat32(double.acosh), wide: double.acosh},
	{op: "Atanh", formula: "atanh(a)", narrow: ofFloat32(double.atanh), wide: double.atanh},
	{op: "Tanh", formula: "tanh(a)", wide: double.tanh, single: single.tanh},
	{op: "Sigmoid", formula: "1/(1 + exp(-a))", wide: double.sigmoid, single: single.sigmoid},
}

// A mathOp2 is a mathOp of two operands.
type mathOp2 struct {
	op, formula  string
	narrow, wide func(double) func(x, y value) value
}

var mathOps2 = []mathOp2{
	{"Pow", "a^b", double.powNarrow, double.pow},
	{"Atan2", "the angle of (b, a)", double.atan2Narrow, double.atan2},
	{"Hypot", "√(a² + b²)", double.hypotNarrow, double.hypot},
	{"LogAddExp", "log(exp(a) + exp(b))", ofFloat32s(double.logAddExp), double.logAddExp},
}

func emitMath(k *asm) {
	for _, o := range mathOps {
		if o.single != nil {
			k.emitMathOp(o.op, o.formula, 4, k.width/4, k.singleSteps(o.single))
		}
		if o.narrow != nil {
			k.emitMathOp(o.op, o.formula, 4, k.width/8, k.joinedSteps(func(d double) func(...value) value {
				return ofOne(o.narrow(d))
			}))
		}
		if o.wide != nil {
			k.emitMathOp(o.op, o.formula, 8, k.width/8, k.steps(o.wide))
		}
	}

	for _, o := range mathOps2 {
		k.emitMathOp2(o)
	}
}

func (k *asm) emitMathOp2(o mathOp2) {
	op := operation{op: o.op, formula: o.formula, operands: 2, unroll: 2}
	l := loop{lanes: k.width / 8, start: k.joinedSteps(func(d double) func(...value) value { return ofTwo(o.narrow(d)) })}
	k.emitOperation(op, l, 4, "Float32")
	op.unroll = 1
	l = loop{unroll: 2, start: func(*asm) func([][]value) []value { return each(k.alone(ofTwo(o.wide(double{k.real(8, 8)})))) }}
	k.emitOperation(op, l, 8, "Float64")
}

// ofOne and ofTwo are functions of one and two values as ones of any number.

func ofOne(f func(value) value) func(...value) value {
	return func(x ...value) value { return f(x[0]) }
}

func ofTwo(f func(x, y value) value) func(...value) value {
	return func(x ...value) value { return f(x[0], x[1]) }
}

func (k *asm) emitMathOp(op, formula string, size, lanes int, start func(*asm) func([][]value) []value) {
	l := loop{lanes: lanes, start: start}
	k.emitOperation(operation{op: op, formula: formula, operands: 1, unroll: 2}, l, size, fp{k, size}.typ())
}

func (k *asm) steps(start func(double) func(value) value) func(*asm) func([][]value) []value {
	return func(*asm) func([][]value) []value {
		return each(k.alone(ofOne(start(double{k.real(8, 8)}))))
	}
}

func (k *asm) singleSteps(start func(single) func(value) value) func(*asm) func([][]value) []value {
	return func(*asm) func([][]value) []value {
		step := start(single{k.real(4, 12)})
		return func(in [][]value) []value { return k.woven(in[0], k.registers/16, step) }
	}
}

// joinedSteps is steps for float32s, whose results are joined where there are two.
func (k *asm) joinedSteps(start func(double) func(...value) value) func(*asm) func([][]value) []value {
	return func(*asm) func([][]value) []value {
		step := k.alone(start(double{k.real(8, 16)}))
		halves := each(step)
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
		d.loaded[key("half "+name, 0)] = d.round(d.broadcastFrom(d.global(name, 0), 8))
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

// The bits of numbers.
const (
	signBits      = 1 << 63
	oneBits       = 0x3ff0000000000000
	twoBits       = 0x4000000000000000
	halfBits      = 0x3fe0000000000000
	infinityBits  = 0x7ff0000000000000
	minusInfinity = 0xfff0000000000000
)

// negative is a mask for choose of the elements whose sign bit is set, the only one that choose
// looks at with AVX2.
func (d double) negative(a value) value {
	if !d.fp.wide() {
		return a
	}
	return d.signMask(a)
}
