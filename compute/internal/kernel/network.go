package kernel

import (
	"math/bits"
	"sync"
	"unsafe"
)

// A Network sorts the columns of some rows of unsigned integers, all columns at once. It is a list
// of comparators. Each puts the lesser elements of two rows into the upper one. A Network is
// immutable and safe for concurrent use.
type Network struct {
	size  int // bytes of an element
	fn    Func
	pairs [][2]uint32 // the rows of each comparator, in bytes from the first one
}

// NewNetwork returns the network for some rows of NetworkLanes elements of 4 or 8 bytes: Batcher's
// merge exchange (Knuth, The Art of Computer Programming, volume 3, algorithm 5.2.2M), which takes
// about rows·log²(rows)/4 comparators.
func NewNetwork(size, rows int) *Network {
	return newNetwork(bestNetworks(), size, rows)
}

func newNetwork(best *networks, size, rows int) *Network {
	n := &Network{size: size, fn: best.fn[size>>3]}
	stride := uint32(size * best.lanes(size))

	top := 1 << bits.Len(uint(max(rows, 1)-1)) >> 1
	// The names are Knuth's: p is the distance of the runs that are merged, q the distance within a
	// pass, and d the distance of the rows of a comparator.
	for p := top; p > 0; p /= 2 {
		for q, r, d := top, 0, p; ; q, r, d = q/2, p, q-p {
			for i := range rows - d {
				if i&p == r {
					n.pairs = append(n.pairs, [2]uint32{uint32(i) * stride, uint32(i+d) * stride})
				}
			}
			if q == p {
				break
			}
		}
	}

	return n
}

// NetworkLanes returns the number of columns that a Network sorts at once: 0 if that takes longer
// here than to sort one after the other.
func NetworkLanes(size int) int { return bestNetworks().lanes(size) }

// Sort sorts the columns of rows of NetworkLanes elements, which lie one after another and are best
// aligned to 64 bytes.
func (n *Network) Sort(rows unsafe.Pointer) {
	if len(n.pairs) > 0 {
		Call(n.fn, rows, unsafe.Pointer(unsafe.SliceData(n.pairs)), nil, nil, len(n.pairs))
	}
}

// networks are the kernels of an instruction set, for elements of 4 and of 8 bytes.
type networks struct {
	width int // bytes of a vector
	fn    [2]Func
}

func (n *networks) lanes(size int) int {
	if n.fn[size>>3] == nil {
		return 0
	}
	return n.width / size
}

// bestNetworks returns those of this CPU.
var bestNetworks = sync.OnceValue(func() *networks {
	switch {
	case hasAVX512():
		return &networksAVX512
	case hasAVX2():
		return &networksAVX2
	}
	return &networks{}
})
