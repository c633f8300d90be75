package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A function1 is a transcendental function of a float64, and a faster one for arguments that are
// float32s: its float64 result has nearly as many bits as a float32 needs. The second is nil if it
// is the same as the first.
//
// Functions here call only functions of package math that are exact on every platform, and say
// where products are rounded. So results have the same bits everywhere, in assembly too.
type function1 struct {
	wide, narrow func(float64) float64
	single       func(float32) float32 // instead of narrow, in float32 arithmetic
}

var functions1 = map[Op]function1{
	Cbrt: {wide: cbrt, narrow: cbrtNarrow},
	Exp:  {wide: exp, single: expSingle}, Exp2: {wide: exp2, single: exp2Single}, Expm1: {wide: expm1, single: expm1Single},
	Log: {wide: log, single: logSingle}, Log2: {wide: log2, single: log2Single}, Log10: {wide: log10, single: log10Single}, Log1p: {wide: log1p, single: log1pSingle},
	Sin: {wide: sin, narrow: sinNarrow}, Cos: {wide: cos, narrow: cosNarrow}, Tan: {wide: tan, narrow: tanNarrow},
	Asin: {wide: asin, narrow: asinNarrow}, Acos: {wide: acos, narrow: acosNarrow}, Atan: {wide: atan, narrow: atanNarrow},
	Sinh: {wide: sinh, narrow: sinhNarrow}, Cosh: {wide: cosh, narrow: coshNarrow}, Tanh: {wide: tanh, single: tanhSingle},
	Asinh: {wide: asinh}, Acosh: {wide: acosh}, Atanh: {wide: atanh},
	Erf: {wide: erf, narrow: erfNarrow}, Erfc: {wide: erfc, narrow: erfcNarrow}, Gelu: {wide: gelu, narrow: geluNarrow},
	Sigmoid: {wide: sigmoid, single: sigmoidSingle},
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
	if f.single == nil {
		f.single = func(x float32) float32 { return float32(f.narrow(float64(x))) }
	}
	t.set1(op, dtype.Float32, func(dst, a unsafe.Pointer, n int) { each1(dst, a, n, f.single) })
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
