package jit

import "github.com/tstore/tstore/dtype"

// convert is v as another type, as dtype.Convert does it.
func (l *lowering) convert(v value, to dtype.Type) value {
	if v.typ == to {
		if to == dtype.Bool {
			v.loose = false
		}
		return v
	}
	return value{node: l.converted(v, to), typ: to}
}

// steps holds the conversions of one instruction. Those that keep bits as they are have none.
var steps = map[[2]dtype.Type]*instruction{
	{dtype.Float32, dtype.Float64}: &widenFloat,
	{dtype.Float64, dtype.Float32}: &narrowFloat,
	{dtype.Float16, dtype.Float32}: &widenHalf,
	{dtype.Float32, dtype.Float16}: &narrowHalf,

	{dtype.Int8, dtype.Int32}: &widenByte, {dtype.Uint8, dtype.Int32}: &widenUbyte,
	{dtype.Int16, dtype.Int32}: &widenShort, {dtype.Uint16, dtype.Int32}: &widenUshort,
	{dtype.Int32, dtype.Int8}: &narrowByte, {dtype.Int32, dtype.Uint8}: &narrowByte,
	{dtype.Int32, dtype.Int16}: &narrowShort, {dtype.Int32, dtype.Uint16}: &narrowShort,
	{dtype.Int8, dtype.Int16}: &widenByteShort, {dtype.Uint8, dtype.Int16}: &widenUbyteShort,
	{dtype.Int8, dtype.Uint16}: &widenByteShort, {dtype.Uint8, dtype.Uint16}: &widenUbyteShort,
	{dtype.Int16, dtype.Int8}: &narrowShortByte, {dtype.Int16, dtype.Uint8}: &narrowShortByte,
	{dtype.Uint16, dtype.Int8}: &narrowShortByte, {dtype.Uint16, dtype.Uint8}: &narrowShortByte,
	{dtype.Int32, dtype.Int64}: &widenInt, {dtype.Uint32, dtype.Int64}: &widenUint, {dtype.Int64, dtype.Int32}: &narrowInt,

	{dtype.Int32, dtype.Float32}: &intFloat, {dtype.Uint32, dtype.Float32}: &uintFloat,
	{dtype.Int64, dtype.Float32}: &longFloat, {dtype.Uint64, dtype.Float32}: &ulongFloat,
	{dtype.Int32, dtype.Float64}: &intDouble, {dtype.Uint32, dtype.Float64}: &uintDouble,
	{dtype.Int64, dtype.Float64}: &longDouble, {dtype.Uint64, dtype.Float64}: &ulongDouble,
	{dtype.Float32, dtype.Int32}: &floatInt, {dtype.Float32, dtype.Int64}: &floatLong,
	{dtype.Float64, dtype.Int32}: &doubleInt, {dtype.Float64, dtype.Int64}: &doubleLong,
}

// through holds the types that conversions in two steps go through.
func through(from, to dtype.Type) (dtype.Type, bool) {
	switch {
	case isHalf(to) && from.Size() < 4, isHalf(from):
		return dtype.Float32, true // which holds all of them
	case isHalf(to) && isInteger(from) && from.Size() == 4, to == dtype.Uint64 && from == dtype.Float32:
		return dtype.Float64, true // likewise
	case from == dtype.Bool, to == dtype.Bool && from.Size() < 4:
		return dtype.Int32, true
	case from == dtype.Uint32 && to.Size() < 4 && isInteger(to):
		return dtype.Int32, true // the same bits
	case from == dtype.Uint64 && isInteger(to):
		return dtype.Int64, true
	case to == dtype.Uint64 && isInteger(from):
		return dtype.Int64, true
	case to == dtype.Uint32 && (isInteger(from) || from.Kind() == dtype.KindFloat):
		if from.Size() < 4 && isInteger(from) {
			return dtype.Int32, true
		}
		return dtype.Int64, true
	case from.Size() < 4 && isInteger(from), to.Size() < 4 && isInteger(to):
		return dtype.Int32, true
	}
	return 0, false
}

func isHalf(t dtype.Type) bool { return t == dtype.Float16 || t == dtype.BFloat16 }

func isInteger(t dtype.Type) bool { return t.Kind() == dtype.KindInt || t.Kind() == dtype.KindUint }

// sameBits reports whether integers of two types are the same in memory.
func sameBits(from, to dtype.Type) bool {
	return isInteger(from) && isInteger(to) && from.Size() == to.Size()
}

func (l *lowering) converted(v value, to dtype.Type) int {
	from := v.typ
	do, ok := steps[[2]dtype.Type{from, to}]
	long := from == dtype.Int64 || from == dtype.Uint64
	switch {
	case long && (isHalf(to) || to == dtype.Float32 && !l.isa.wide):
		return l.convert(value{node: l.oddDouble(v), typ: dtype.Float64}, to).node
	case to == dtype.Uint64 && from == dtype.Float64:
		return l.toUint64(v.node)
	case ok && do.form == formNarrow:
		return l.add(node{do: do, args: [3]int{l.vector(v.node), -1, -1}, size: to.Size()})
	case ok:
		return l.unary(do, to.Size(), v.node)
	case sameBits(from, to):
		return v.node
	case from == dtype.Uint32 && to == dtype.Int32, from == dtype.Int64 && to == dtype.Uint32:
		return l.converted(value{node: v.node, typ: from}, dtype.Int32)
	case from == dtype.BFloat16 && to == dtype.Float32:
		return l.shift(&shiftLeftBy, 4, l.unary(&widenUshort, 4, v.node), 16)
	case from == dtype.Float32 && to == dtype.BFloat16:
		return l.narrowBFloat16(l.vector(v.node))
	case from == dtype.Bool && to.Kind() != dtype.KindComplex && (to.Size() >= 4 || isInteger(to)):
		return l.fromBool(v.node, to)
	case to == dtype.Bool && from.Kind() != dtype.KindComplex && (from.Size() >= 4 || isInteger(from)):
		return l.toBool(v.node, from)
	case from == dtype.Float64 && isHalf(to):
		return l.convert(value{node: l.oddSingle(v.node), typ: dtype.Float32}, to).node
	}

	if via, ok := through(from, to); ok && via != from && via != to {
		return l.convert(l.convert(v, via), to).node
	}

	refuse("conversions from %v to %v", from, to)
	return 0
}

func (l *lowering) shift(p *family, size, a, by int) int {
	return l.unaryBy(p.of(size), size, a, by)
}

// fromBool is 1 where a mask is set, else 0.
func (l *lowering) fromBool(mask int, to dtype.Type) int {
	if to.Kind() == dtype.KindFloat {
		return l.keep(to.Size(), mask, l.number(1, to.Size()))
	}
	return l.keep(to.Size(), mask, l.literal(1, to.Size()))
}

// toBool is where a is not 0.
func (l *lowering) toBool(a int, from dtype.Type) int {
	zero := l.literal(0, from.Size())
	if from.Kind() == dtype.KindFloat {
		return l.compareFloats(floatNotEqual, from.Size(), a, zero)
	}
	return l.compareInts(intNotEqual, from, a, zero)
}
