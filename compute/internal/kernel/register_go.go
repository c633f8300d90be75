package kernel

import "github.com/tstore/tstore/dtype"

// registerGo adds the kernels written in Go, but for the transcendental functions.
func registerGo(t *table) {
	setBool(t)

	setInteger[int8](t)
	setInteger[int16](t)
	setInteger[int32](t)
	setInteger[int64](t)
	setInteger[uint8](t)
	setInteger[uint16](t)
	setInteger[uint32](t)
	setInteger[uint64](t)

	setFloat[float32, uint32](t)
	setFloat[float64, uint64](t)
	setComplex[float32](t, dtype.Complex64)
	setComplex[float64](t, dtype.Complex128)

	setNextAfter(t)
	setNarrowing(t)

	setCopy[uint16](t, dtype.Float16)
	setCopy[uint16](t, dtype.BFloat16)
	setCopy[uint8](t, dtype.Float8E4M3FN)
	setCopy[uint8](t, dtype.Float8E5M2)

	setConverts(t)
}
