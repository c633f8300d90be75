package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A function1 is a transcendental function of a float64, and the one that gives nearly as many bits as a float32
// needs in a float64, for which arguments are float32s; nil if that is the same.
//
// The functions here call none of package math but those that are exact on every platform, and say where products
// are rounded: their results have the same bits everywhere, in assembly too.
type function1 struct{ wide, narrow func(float64) float64 }

var functions1 = map[Op]function1{
	Cbrt: {cbrt, cbrtNarrow},
	Exp:  {exp, expNarrow}, Exp2: {exp2, exp2Narrow}, Expm1: {expm1, expm1Narrow},
	Log: {log, logNarrow}, Log2: {log2, log2Narrow}, Log10: {log10, log10Narrow}, Log1p: {log1p, log1pNarrow},
	Sin: {sin, sinNarrow}, Cos: {cos, cosNarrow}, Tan: {tan, tanNarrow},
	Asin: {asin, asinNarrow}, Acos: {acos, acosNarrow}, Atan: {atan, atanNarrow},
	Sinh: {sinh, sinhNarrow}, Cosh: {cosh, coshNarrow}, Tanh: {tanh, tanhNarrow},
	Asinh: {wide: asinh}, Acosh: {wide: acosh}, Atanh: {wide: atanh},
	Erf: {erf, erfNarrow}, Erfc: {erfc, erfcNarrow}, Gelu: {gelu, geluNarrow},
	Sigmoid: {sigmoid, sigmoidNarrow},
}

// A function2 is a function1 with two arguments.
type function2 struct{ wide, narrow func(x, y float64) float64 }

var functions2 = map[Op]function2{
	Pow: {pow, powNarrow}, Hypot: {hypot, hypotNarrow}, Atan2: {atan2, atan2Narrow}, LogAddExp: {wide: logAddExp},
}

// registerMath adds the transcendental functions written in Go.
func registerMath(t *table) {
	for op, f := range functions1 {
		t.setFunction1(op, f)
	}
	for op, f := range functions2 {
		t.setFunction2(op, f)
	}
}

func (t *table) setFunction1(op Op, f function1) {
	if f.narrow == nil {
		f.narrow = f.wide
	}
	t.set1(op, dtype.Float64, func(dst, a unsafe.Pointer, n int) { each1(dst, a, n, f.wide) })
	t.set1(op, dtype.Float32, func(dst, a unsafe.Pointer, n int) {
		each1(dst, a, n, func(x float32) float32 { return float32(f.narrow(float64(x))) })
	})
}

func (t *table) setFunction2(op Op, f function2) {
	if f.narrow == nil {
		f.narrow = f.wide
	}
	t.set2(op, dtype.Float64, func(dst, a, b unsafe.Pointer, n, sa, sb int) { each2(dst, a, b, n, sa, sb, f.wide) })
	t.set2(op, dtype.Float32, func(dst, a, b unsafe.Pointer, n, sa, sb int) {
		each2(dst, a, b, n, sa, sb, func(x, y float32) float32 { return float32(f.narrow(float64(x), float64(y))) })
	})
}
