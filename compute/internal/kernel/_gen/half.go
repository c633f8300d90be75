package main

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
)

// A half is a format of 16 bits, which is computed with as float32.
type half struct {
	widen  func(bits value) value // half as many bytes to float32
	narrow func(single value) value
	round  func(single value) value // narrow, and widen
}

// startHalf emits the constants of a format.
func (f fp) startHalf(typ string) half {
	if typ == "Float16" {
		return f.startFloat16()
	}
	return f.startBFloat16()
}

func (f fp) startFloat16() half {
	h := half{}
	h.widen = func(bits value) value { return f.op(f.VCVTPH2PS, bits) }
	h.narrow = func(single value) value { return f.opOf(f.width/2, f.VCVTPS2PH, operand.Imm(0), single) }
	h.round = func(single value) value { return h.widen(h.narrow(single)) }
	return h
}

// startRounding returns what emits the rounding of a float32 to its upper half: adds almost half of
// the lower one, or half where the upper one is odd. NaNs are not touched but made quiet. The lower
// half is then anything.
func (f fp) startRounding() func(single value) value {
	n := integer{asm: f.asm, size: 4}
	almostHalf, one, quiet := f.broadcast(0x7fff, 4), f.broadcast(1, 4), f.broadcast(0x400000, 4)
	return func(single value) value {
		odd := f.asm.and(one, n.shift(false, single, 16))
		up := n.add(n.add(single, odd), almostHalf)
		return f.choose(f.cmp(unordered, single, single), f.asm.or(quiet, single), up)
	}
}

// startBFloat16 is the upper half of a float32.
func (f fp) startBFloat16() half {
	n := integer{asm: f.asm, size: 4}
	high, rounded := f.startHighWords(), f.startRounding()
	upper := f.broadcast(0xffff0000, 4)
	return half{
		widen:  func(bits value) value { return n.shift(true, f.op(f.VPMOVZXWD, bits), 16) },
		narrow: func(single value) value { return high(rounded(single)) },
		round:  func(single value) value { return f.asm.and(upper, rounded(single)) },
	}
}

// startHighWords returns what emits the upper halves of doublewords.
func (f fp) startHighWords() func(a value) value {
	n := integer{asm: f.asm, size: 4}
	if f.wide() {
		return func(a value) value { return f.opOf(f.width/2, f.VPMOVDW, n.shift(false, a, 16)) }
	}
	return func(a value) value {
		low, high := f.halves(n.shift(false, a, 16))
		return f.opOf(16, f.VPACKUSDW, high, low)
	}
}

var halfOps = []floatOp{
	{operation{op: "Add", formula: "a + b", operands: 2}, simple(func(f fp, x []value) value { return f.add(x[0], x[1]) })},
	{operation{op: "Sub", formula: "a - b", operands: 2}, simple(func(f fp, x []value) value { return f.sub(x[0], x[1]) })},
	{operation{op: "Mul", formula: "a·b", operands: 2}, simple(func(f fp, x []value) value { return f.mul(x[0], x[1]) })},
	{operation{op: "Div", formula: "a/b", operands: 2}, simple(func(f fp, x []value) value { return f.div(x[0], x[1]) })},
	{operation{op: "Min", formula: "min(a, b)", operands: 2}, simple(func(f fp, x []value) value { return f.min(x[0], x[1]) })},
	{operation{op: "Max", formula: "max(a, b)", operands: 2}, simple(func(f fp, x []value) value { return f.max(x[0], x[1]) })},
}

// emitHalf emits operations on floats of 16 bits in memory, which load, compute and round in one,
// and the roundings of float32.
func emitHalf(k *asm) {
	f := fp{k, 4}
	for _, typ := range []string{"Float16", "BFloat16"} {
		for _, o := range halfOps {
			f.emitHalfOp(o, typ)
		}
		o := operation{op: "Round" + typ, formula: "a rounded to " + strings.ToLower(typ), operands: 1}
		k.emitOperation(o, loop{start: func(*asm) func([][]value) []value {
			h := f.startHalf(typ)
			return each(func(x ...value) value { return h.round(x[0]) })
		}}, 4, "Float32")
	}
}

// emitHalfOp emits one operation.
func (f fp) emitHalfOp(o floatOp, typ string) {
	if typ == "BFloat16" {
		f.emitHalfOpInPlace(o, typ)
		return
	}
	l := loop{lanes: f.lanes(), args: []arg{{size: 2}, {size: 2}}}
	l.start = func(*asm) func([][]value) []value {
		h, step := f.startHalf(typ), o.start(f)
		return f.joined(each(func(x ...value) value {
			for i := range x {
				x[i] = h.widen(x[i])
			}
			return h.narrow(step(x...))
		}))
	}
	f.emitOperation(o.operation, l, 2, typ)
}

// joined makes whole vectors of the halves that steps result in, where there are two: they are
// stored at once.
func (f fp) joined(steps func([][]value) []value) func([][]value) []value {
	return func(in [][]value) []value {
		out := steps(in)
		if len(out) < 2 {
			return out
		}
		var whole []value
		for i := 0; i < len(out); i += 2 {
			whole = append(whole, f.join(out[i], out[i+1]))
		}
		return whole
	}
}

// join returns the vector of two halves.
func (f fp) join(low, high value) value {
	d := f.vec()
	if f.wide() {
		f.VINSERTI64X4(operand.Imm(1), high, narrow(low, f.width), d)
	} else {
		f.VINSERTI128(operand.Imm(1), high, narrow(low, f.width), d)
	}
	return d
}

// emitHalfOpInPlace emits one operation on bfloat16, which is the upper half of a float32: elements
// with even and those with odd numbers are computed apart, where they are.
func (f fp) emitHalfOpInPlace(o floatOp, typ string) {
	l := loop{lanes: 2 * f.lanes(), args: []arg{{size: 2}, {size: 2}}}
	l.start = func(*asm) func([][]value) []value {
		n := integer{asm: f.asm, size: 4}
		rounded, upper, step := f.startRounding(), f.broadcast(0xffff0000, 4), o.start(f)
		return each(func(x ...value) value {
			even, odd := make([]value, len(x)), make([]value, len(x))
			for i := range x {
				even[i], odd[i] = n.shift(true, x[i], 16), f.asm.and(upper, x[i])
			}
			low, high := rounded(step(even...)), rounded(step(odd...))
			return f.asm.or(n.shift(false, low, 16), f.asm.and(upper, high))
		})
	}
	f.emitOperation(o.operation, l, 2, typ)
}
