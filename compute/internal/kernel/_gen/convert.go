package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
)

// A conversion makes elements of one type out of those of another.
type conversion struct {
	from, to string
	largest  int // size of the largest elements on the way, of which a step has a vector

	// start emits constants and returns what emits the elements of a step, in as many bytes as they
	// take.
	start func(c converter) func(a value) value
}

// A converter emits the steps of conversions. The registers of a step hold lanes elements.
type converter struct {
	*asm
	lanes int
}

// to is an instruction's result of lanes elements of size bytes.
func (c converter) to(size int, instruction instruction, sources ...operand.Op) value {
	return c.opOf(c.lanes*size, instruction, sources...)
}

// by is the start of a conversion without constants.
func by(step func(c converter, a value) value) func(converter) func(value) value {
	return func(c converter) func(value) value {
		return func(a value) value { return step(c, a) }
	}
}

// then is the start of one conversion after another.
func then(first, second func(converter) func(value) value) func(converter) func(value) value {
	return func(c converter) func(value) value {
		f, s := first(c), second(c)
		return func(a value) value { return s(f(a)) }
	}
}

// sizeOf is the size of the elements of a type.
func sizeOf(typ string) int {
	bits := 8 // of a bool
	fmt.Sscanf(strings.TrimLeft(typ, "BFIUafilnotu"), "%d", &bits)
	return bits / 8
}

func emitConvert(k *asm) {
	for _, v := range conversions(k) {
		k.emitConversion(v)
	}
	for _, typ := range []string{"Float32", "Float64", "Int16", "Int32", "Int64"} {
		k.emitTruth(typ)
	}
}

// emitConversion emits one conversion.
func (k *asm) emitConversion(v conversion) {
	lanes := k.width / v.largest
	l := loop{
		name:  fmt.Sprintf("convert%sTo%s%s", v.from, v.to, k.name),
		doc:   fmt.Sprintf("dst = %s(a), a %s", strings.ToLower(v.to), strings.ToLower(v.from)),
		lanes: lanes,
		dst:   sizeOf(v.to),
		args:  []arg{{size: sizeOf(v.from)}},
		start: func(*asm) func([][]value) []value {
			step := v.start(converter{k, lanes})
			return each(func(x ...value) value { return step(x[0]) })
		},
	}

	k.emit(l)
	k.registerConvert(l.name, v.from, v.to)
	for _, same := range sameResults(v) {
		k.registerConvert(l.name, same[0], same[1])
	}
}

// sameResults are the pairs of types for which a conversion between integers is the same: those
// whose results, or whose operands that are cut off, differ only in whether they count as signed.
func sameResults(v conversion) [][2]string {
	if !isInteger(v.to) || v.from == "Bool" {
		if v.from == "Bool" && isInteger(v.to) {
			return [][2]string{{v.from, otherSign(v.to)}}
		}
		return nil
	}
	switch {
	case !isInteger(v.from) && sizeOf(v.to) < 4:
		return [][2]string{{v.from, otherSign(v.to)}}
	case isInteger(v.from) && sizeOf(v.from) < sizeOf(v.to):
		return [][2]string{{v.from, otherSign(v.to)}}
	case isInteger(v.from):
		return [][2]string{{v.from, otherSign(v.to)}, {otherSign(v.from), v.to}, {otherSign(v.from), otherSign(v.to)}}
	}
	return nil
}

// otherSign is the other type of integers of the same size.
func otherSign(typ string) string {
	if strings.HasPrefix(typ, "Uint") {
		return "I" + typ[2:]
	}
	return "Ui" + typ[1:]
}

// conversions lists those of an instruction set.
func conversions(k *asm) []conversion {
	all := []conversion{
		{"Float32", "Float64", 8, by(floatToDouble)},
		{"Float64", "Float32", 8, by(doubleToFloat)},
	}

	for _, half := range []string{"Float16", "BFloat16"} {
		widen := func(c converter) func(value) value {
			return fp{c.asm, 4}.startHalf(half).widen
		}
		all = append(all,
			conversion{half, "Float32", 4, widen},
			conversion{"Float32", half, 4, func(c converter) func(value) value { return fp{c.asm, 4}.startHalf(half).narrow }},
		)
	}

	for _, from := range []int{1, 2, 4} {
		for to := 2 * from; to <= 8; to *= 2 {
			for _, signed := range []bool{true, false} {
				all = append(all, conversion{intType(from, signed), intType(to, true), to, widenInteger(from, to, signed)})
			}
			all = append(all, conversion{intType(to, true), intType(from, true), to, narrowInteger(to, from)})
		}
	}

	for _, to := range []int{2, 4, 8} {
		all = append(all, conversion{"Bool", intType(to, true), to, then(startTruths, widenInteger(1, to, false))})
	}

	all = append(all, toFloat32(k)...)
	all = append(all, toFloat64(k)...)
	return append(all, fromFloats(k)...)
}

func intType(size int, signed bool) string { return integer{size: size, signed: signed}.typ() }

func floatToDouble(c converter, a value) value { return c.to(8, c.VCVTPS2PD, a) }

func doubleToFloat(c converter, a value) value {
	if c.wide() {
		return c.to(4, c.VCVTPD2PS, a)
	}
	return c.to(4, c.VCVTPD2PSY, a)
}

// startTruths makes 0 and 1 of bytes.
func startTruths(c converter) func(value) value {
	one := c.broadcast(1, 1)
	return func(a value) value { return c.to(1, c.VPMINUB, narrow(one, c.lanes), a) }
}

// emitTruth emits the conversion to bools: whether elements are not 0.
func (k *asm) emitTruth(typ string) {
	l := loop{
		name:  fmt.Sprintf("convert%sToBool%s", typ, k.name),
		doc:   fmt.Sprintf("dst = a ≠ 0, a %s", strings.ToLower(typ)),
		lanes: k.width / sizeOf(typ),
		dst:   1,
		args:  []arg{{size: sizeOf(typ)}},
	}

	l.start = func(*asm) func([][]value) []value {
		zero := k.zero()
		compare, opposite := fp{k, sizeOf(typ)}.notZero, false
		if isInteger(typ) {
			integers, not := integer{asm: k, size: sizeOf(typ)}.startCompare(intNotEqual)
			compare, opposite = integers, not
		}
		pack := k.packBools(sizeOf(typ), opposite)
		return func(in [][]value) []value {
			return pack(each(func(x ...value) value { return compare(x[0], zero) })(in))
		}
	}

	k.emit(l)
	k.registerConvert(l.name, typ, "Bool")
	if isInteger(typ) {
		k.registerConvert(l.name, otherSign(typ), "Bool")
	}
}

// notZero is the mask of a ≠ zero, also of NaN.
func (f fp) notZero(a, zero value) value { return f.cmp(notEqual, a, zero) }
