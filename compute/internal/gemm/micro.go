package gemm

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A microFunc multiplies a panel of a by a panel of b, kc ≥ 1 steps long. It stores the tile of
// results in c, or adds it to c if add is not 0. The rows of c are stride bytes apart. A panel
// holds, for each step along k, the elements of all its rows or columns.
type microFunc func(kc int, a, b, c *byte, stride int, add int)

// A micro is a micro-kernel: a function for tiles of rows × cols.
type micro struct {
	fn         microFunc
	rows, cols int
	speed      int // products in about a millisecond
}

// portable holds the kernels in Go. They are the meaning of the others.
var portable = map[dtype.Type]micro{
	dtype.Float32: {microFloat32, 4, 4, 500_000},
	dtype.Float64: {microFloat64, 4, 4, 500_000},
	dtype.Int32:   {microInt[int32], 4, 4, 500_000},
	dtype.Int64:   {microInt[int64], 4, 4, 500_000},
}

// call calls a kernel. It has a stack frame, whose entry is where the scheduler can stop a loop
// over machine code.
//
//go:noinline
func (m *micro) call(kc int, a, b, c unsafe.Pointer, stride int, add int) {
	m.fn(kc, (*byte)(a), (*byte)(b), (*byte)(c), stride, add)
}

// number is a type that kernels compute with.
type number interface {
	float32 | float64 | int32 | int64
}

// storeTile stores or adds a tile of 4 × 4 sums.
func storeTile[T number](sums *[16]T, c *byte, stride, add int) {
	for i := range 4 {
		row := (*[4]T)(unsafe.Add(unsafe.Pointer(c), i*stride))
		for j := range row {
			if add != 0 {
				row[j] += sums[4*i+j]
			} else {
				row[j] = sums[4*i+j]
			}
		}
	}
}

func microFloat64(kc int, a, b, c *byte, stride int, add int) {
	var sums [16]float64
	x, y := unsafe.Slice((*[4]float64)(unsafe.Pointer(a)), kc), unsafe.Slice((*[4]float64)(unsafe.Pointer(b)), kc)
	for k := range x {
		for i, v := range &x[k] {
			for j, w := range &y[k] {
				sums[4*i+j] = math.FMA(v, w, sums[4*i+j])
			}
		}
	}
	storeTile(&sums, c, stride, add)
}

func microFloat32(kc int, a, b, c *byte, stride int, add int) {
	var wide [16]float64

	x, y := unsafe.Slice((*[4]float32)(unsafe.Pointer(a)), kc), unsafe.Slice((*[4]float32)(unsafe.Pointer(b)), kc)

	for k := range x {
		row, col := widened(&x[k]), widened(&y[k])
		for i, v := range &row {
			for j, w := range &col {
				before, product := wide[4*i+j], float64(v*w) // fma32, without a call
				sum := product + before
				rounded, ok := round32(sum)
				if !ok {
					rounded = roundSum(product, before, sum)
				}
				wide[4*i+j] = rounded
			}
		}
	}

	var sums [16]float32
	for i, v := range &wide {
		sums[i] = float32(v)
	}

	storeTile(&sums, c, stride, add)
}

func widened(x *[4]float32) [4]float64 {
	return [4]float64{float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])}
}

func microInt[T int32 | int64](kc int, a, b, c *byte, stride int, add int) {
	var sums [16]T
	x, y := unsafe.Slice((*[4]T)(unsafe.Pointer(a)), kc), unsafe.Slice((*[4]T)(unsafe.Pointer(b)), kc)
	for k := range x {
		for i, v := range &x[k] {
			for j, w := range &y[k] {
				sums[4*i+j] += v * w
			}
		}
	}
	storeTile(&sums, c, stride, add)
}
