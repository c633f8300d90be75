// Package kerneltest has what tests of everything that computes the functions of package kernel
// share.
package kerneltest

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// Step is the distance of the float32s, as numbers of 32 bits, that Hashes are of. It is a prime, so
// that all exponents and low bits come up.
const Step = 2003

// BlockElems is how many arguments are computed in one call.
const BlockElems = 1 << 12

// Hashes are those of the results of the functions of one float32. The results are the same on every
// processor; they change where a function gets other last bits, which is to be meant.
var Hashes = map[kernel.Op]uint64{
	kernel.Cbrt:    0xbe888b331446c0a2,
	kernel.Exp:     0x117dcf0ebac11a96,
	kernel.Exp2:    0x1e925e234c86534a,
	kernel.Expm1:   0x8b2ee8013a7efd48,
	kernel.Log:     0xcbe73ff3775bc458,
	kernel.Log2:    0xa1a148f3e275bb18,
	kernel.Log10:   0x85cfb5c69aeb4df3,
	kernel.Log1p:   0x915cd2523ec05440,
	kernel.Sin:     0xbc60fa29f6aa2f38,
	kernel.Cos:     0x94f324fbd237358c,
	kernel.Tan:     0xf950f4a44da26da9,
	kernel.Asin:    0x29638aed647404cf,
	kernel.Acos:    0x6a242f1a824c91a8,
	kernel.Atan:    0xc6e8d15420f91bfb,
	kernel.Sinh:    0x7dd03f667a191eed,
	kernel.Cosh:    0xf3eb1f310fc410e9,
	kernel.Tanh:    0x7a084b553e35af49,
	kernel.Asinh:   0x67d2dd9219028956,
	kernel.Acosh:   0x2933b3fa2027c00c,
	kernel.Atanh:   0x66cff4739c979e2b,
	kernel.Erf:     0x10026191086d040d,
	kernel.Erfc:    0xd57ac34b6e7de0b7,
	kernel.Sigmoid: 0x7cc70fb0f4f716cb,
	kernel.Gelu:    0x9a397daada761edc,
}

// Blocks calls fn with the bits of the first argument of each block, by several goroutines.
func Blocks(step uint64, fn func(first uint64)) {
	var wg sync.WaitGroup
	workers := uint64(runtime.GOMAXPROCS(0))
	for w := range workers {
		wg.Go(func() {
			for first := w * BlockElems * step; first < 1<<32; first += workers * BlockElems * step {
				fn(first)
			}
		})
	}
	wg.Wait()
}

// Args makes the arguments of a block and returns their number: first and every step-th from there.
func Args(x *[BlockElems]float32, first, step uint64) (n int) {
	for ; n < len(x) && first+uint64(n)*step < 1<<32; n++ {
		x[n] = math.Float32frombits(uint32(first + uint64(n)*step))
	}
	return n
}

// A Hash is the sum of the hashes of blocks. It is safe for concurrent use.
type Hash struct{ sum atomic.Uint64 }

// Add adds the hash (FNV-1a, of words) of the results of a block, in which all NaNs are one.
func (h *Hash) Add(first uint64, results []float32) {
	s := uint64(14695981039346656037) ^ first
	for _, v := range results {
		bits := math.Float32bits(v)
		if v != v {
			bits = math.Float32bits(float32(math.NaN()))
		}
		s = (s ^ uint64(bits)) * 1099511628211
	}
	h.sum.Add(s)
}

// Sum returns the hash of what was added.
func (h *Hash) Sum() uint64 { return h.sum.Load() }
