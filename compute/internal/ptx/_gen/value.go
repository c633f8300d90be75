package main

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// A scalar is a type of Go that one register holds. Integers of 8 and 16 bits are extended to 32.
type scalar struct {
	register string // f32, f64, b32, b64 or pred
	bits     int
	unsigned bool
}

// scalarOf returns the scalar that a type is.
func scalarOf(t types.Type) scalar {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		refuse("type %v", t)
	}
	unsigned := b.Info()&types.IsUnsigned != 0
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return scalar{"pred", 1, false}
	case types.Float32:
		return scalar{"f32", 32, false}
	case types.Float64, types.UntypedFloat:
		return scalar{"f64", 64, false}
	case types.Int8, types.Uint8:
		return scalar{"b32", 8, unsigned}
	case types.Int16, types.Uint16:
		return scalar{"b32", 16, unsigned}
	case types.Int32, types.Uint32, types.UntypedRune:
		return scalar{"b32", 32, unsigned}
	case types.Int64, types.Uint64, types.Int, types.Uint, types.Uintptr, types.UntypedInt:
		return scalar{"b64", 64, unsigned}
	}
	refuse("type %v", t)
	return scalar{}
}

func (s scalar) isFloat() bool { return s.register[0] == 'f' }

func (s scalar) isInteger() bool { return s.register[0] == 'b' }

// number is the type of an instruction that minds the sign, as u32 is.
func (s scalar) number() string {
	switch {
	case !s.isInteger():
		return s.register
	case s.unsigned:
		return "u" + s.register[1:]
	}
	return "s" + s.register[1:]
}

// A value is what a value of SSA is here: a register, a constant, several values, or a pointer.
type value struct {
	scalar
	reg      string
	constant constant.Value
	parts    []*value // of a struct or of several results
	single   *value   // the float32 that a float64 was made of
	cell     *value   // what a pointer to a local variable points to
	fixed    bool     // whether that is a value, which a store replaces, or registers that it sets
	place    *place   // what a pointer to a package's variable points to
}

// A place is a part of a variable: at a byte, and as many more as a register says.
type place struct {
	global *ssa.Global
	at     int64
	more   string // "" for none
	typ    types.Type
}

// An untranslatable is what has no translation.
type untranslatable struct{ what string }

func refuse(format string, args ...any) { panic(untranslatable{fmt.Sprintf(format, args...)}) }

// literal is a constant as PTX writes it. Floats are given by their bits.
func literal(s scalar, v constant.Value) string {
	switch s.register {
	case "f32":
		f, _ := constant.Float32Val(constant.ToFloat(v))
		return fmt.Sprintf("0f%08X", math.Float32bits(f))
	case "f64":
		f, _ := constant.Float64Val(constant.ToFloat(v))
		return fmt.Sprintf("0d%016X", math.Float64bits(f))
	}
	whole := constant.ToInt(v)
	if whole.Kind() != constant.Int {
		refuse("constant %v of type %v", v, s)
	}
	return whole.ExactString()
}

// fold computes with constants, as far as counting in loops needs it. ok is false for what is left
// to the device.
func fold(op token.Token, x, y constant.Value) (v constant.Value, ok bool) {
	switch op {
	case token.ADD, token.SUB, token.MUL:
		v = constant.BinaryOp(x, op, y)
		i, isInt := constant.Val(v).(int64)
		return v, isInt && i >= math.MinInt32 && i <= math.MaxInt32
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return constant.MakeBool(constant.Compare(x, op, y)), true
	}
	return nil, false
}
