package main

import (
	"go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// exact are the functions that are one instruction, and the same for float32s where onFloat32s is
// set.
var exact = map[string]struct {
	instruction string
	onFloat32s  bool
}{
	"math.FMA":         {"fma.rn.f64", false},
	"math.Sqrt":        {"sqrt.rn.f64", false},
	"math.Abs":         {"abs.f64", true},
	"math.Trunc":       {"cvt.rzi.f64.f64", true},
	"math.Floor":       {"cvt.rmi.f64.f64", true},
	"math.Ceil":        {"cvt.rpi.f64.f64", true},
	"math.RoundToEven": {"cvt.rni.f64.f64", true},

	kernelPath + ".fma32": {"fma.rn.f32", false},

	"math.Float64bits":     {"mov.b64", false},
	"math.Float64frombits": {"mov.b64", false},
	"math.Float32bits":     {"mov.b32", false},
	"math.Float32frombits": {"mov.b32", false},
}

// call translates a call.
func (f *frame) call(c *ssa.Call) *value {
	var args []*value
	for _, a := range c.Call.Args {
		args = append(args, f.value(a))
	}
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		return f.builtin(b.Name(), c, args)
	}
	fn := c.Call.StaticCallee()
	if fn == nil {
		refuse("a call of what is not known, in %v", f.fn)
	}
	if v := f.exactly(fn.String(), c, args); v != nil {
		return v
	}
	return f.inline(fn, args)
}

// exactly translates calls of functions that devices have instructions for.
func (f *frame) exactly(name string, c *ssa.Call, args []*value) *value {
	if v := bitsOf(name, args); v != nil {
		return v
	}
	if x, ok := exact[name]; ok {
		var operands []string
		for _, a := range args {
			operands = append(operands, f.operand(a))
		}
		v := f.emit(scalarOf(c.Type()), x.instruction, operands...)
		if x.onFloat32s && args[0].single != nil {
			v.single = f.emit(single, onSingle(x.instruction), f.operand(args[0].single))
		}
		return v
	}

	switch name {
	case "math.Copysign": // whose operands PTX takes in the other order
		v := f.emit(double, "copysign.f64", f.operand(args[1]), f.operand(args[0]))
		if args[0].single != nil && args[1].single != nil {
			v.single = f.emit(single, "copysign.f32", f.operand(args[1].single), f.operand(args[0].single))
		}
		return v
	case "math.Signbit":
		bits := f.emit(long, "mov.b64", f.operand(args[0]))
		return f.emit(truth, "setp.lt.s64", bits.reg, "0")
	}
	return nil
}

// bitsOf returns the bits of a float that is a constant.
func bitsOf(name string, args []*value) *value {
	if len(args) != 1 || args[0].constant == nil {
		return nil
	}
	x := args[0].constant
	switch name {
	case "math.Float32bits":
		v, _ := constant.Float32Val(constant.ToFloat(x))
		return &value{scalar: word, constant: constant.MakeUint64(uint64(math.Float32bits(v)))}
	case "math.Float64bits":
		v, _ := constant.Float64Val(constant.ToFloat(x))
		return &value{scalar: long, constant: constant.MakeUint64(math.Float64bits(v))}
	}
	return nil
}

// onSingle is an instruction on float64s for float32s.
func onSingle(instruction string) string {
	switch instruction {
	case "abs.f64":
		return "abs.f32"
	default: // a rounding
		return instruction[:len("cvt.rzi")] + ".f32.f32"
	}
}

// builtin translates a function of the language.
func (f *frame) builtin(name string, c *ssa.Call, args []*value) *value {
	switch name {
	case "len":
		if array, ok := arrayOf(args[0]); ok {
			return constantInt(array.Len())
		}
	case "Sizeof":
		return constantInt(sizes.Sizeof(c.Call.Args[0].Type()))
	case "min", "max":
		v := args[0]
		for _, other := range args[1:] {
			v = f.extreme(name, v, other)
		}
		return v
	}
	refuse("%v", c)
	return nil
}

// arrayOf returns the type of the array that a slice or a pointer is of.
func arrayOf(v *value) (*types.Array, bool) {
	if v.place == nil {
		return nil, false
	}
	array, ok := v.place.typ.Underlying().(*types.Array)
	return array, ok
}
