package ptx

import (
	"github.com/tstore/tstore/dtype"
)

// A value is an element in registers: one, or two of a complex number.
//
// Integers of 8 and 16 bits are extended to 32, by their sign if they have one. float16, bfloat16
// and float8 are the bits that they have in memory, extended with zeros: they are converted to
// float32 for everything but copies. A bool is a predicate; one from memory is its byte.
type value struct {
	typ       dtype.Type
	registers []string
	loose     bool // of a bool: whether the register has its byte, which may be others than 0 and 1
}

// of returns a value with one register.
func of(t dtype.Type, register string) value { return value{typ: t, registers: []string{register}} }

// truthOf returns a bool.
func truthOf(predicate string) value { return of(dtype.Bool, predicate) }

// one returns the only register of v.
func (v value) one() string { return v.registers[0] }

// part returns one part of v.
func (v value) part(i int) value { return of(v.typ.Part(), v.registers[i]) }

// registerType returns the type of the registers of t in general: a bool has its byte.
func registerType(t dtype.Type) string {
	switch part := t.Part(); {
	case part == dtype.Float32:
		return "f32"
	case part == dtype.Float64:
		return "f64"
	case part.Size() == 8:
		return "b64"
	}
	return "b32"
}

// numberType returns the type of instructions that compute with t: as f32, s32 and u64.
func numberType(t dtype.Type) string {
	typ := registerType(t)
	switch {
	case typ[0] == 'f':
		return typ
	case t.Kind() == dtype.KindInt:
		return "s" + typ[1:]
	}
	return "u" + typ[1:]
}

// isSmall reports whether t is a float that is computed in float32.
func isSmall(t dtype.Type) bool { return t.Kind() == dtype.KindFloat && t.Size() < 4 }

// truth returns the predicate of a bool.
func (e *emitter) truth(v value) string {
	if v.loose {
		return e.emit("pred", "setp.ne.u32", v.one(), "0")
	}
	return v.one()
}

// byteOf returns the byte of a bool.
func (e *emitter) byteOf(v value) string {
	if v.loose {
		return v.one()
	}
	return e.emit("b32", "selp.b32", "1", "0", v.one())
}

// always returns a bool that is the same for all elements.
func (e *emitter) always(b bool) value {
	if b {
		return truthOf(e.emit("pred", "setp.eq.u32", "0", "0"))
	}
	return truthOf(e.emit("pred", "setp.ne.u32", "0", "0"))
}
