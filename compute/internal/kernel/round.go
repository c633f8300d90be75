package kernel

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setRounding sets the roundings to whole numbers.
func setRounding[T float](t *table, typ dtype.Type) {
	t.set1(Floor, typ, floor[T])
	t.set1(Ceil, typ, ceil[T])
	t.set1(Trunc, typ, trunc[T])
	t.set1(Rint, typ, rint[T])
}

func floor[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return T(math.Floor(float64(x))) })
}

func ceil[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return T(math.Ceil(float64(x))) })
}

func trunc[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return T(math.Trunc(float64(x))) })
}

func rint[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return T(math.RoundToEven(float64(x))) })
}

// setNarrowing sets the roundings to the types that exist only in memory.
func setNarrowing(t *table) {
	set := func(op Op, round func(x float32) float32) {
		t.set1(op, dtype.Float32, func(dst, a unsafe.Pointer, n int) { each1(dst, a, n, round) })
	}
	set(RoundFloat16, func(x float32) float32 { return dtype.ToF16(x).Float32() })
	set(RoundBFloat16, func(x float32) float32 { return dtype.ToBF16(x).Float32() })
	set(RoundFloat8E4M3FN, func(x float32) float32 { return dtype.ToF8E4M3FN(x).Float32() })
	set(RoundFloat8E5M2, func(x float32) float32 { return dtype.ToF8E5M2(x).Float32() })
}
