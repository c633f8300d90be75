package kernel

import (
	"math/bits"
	"unsafe"
)

// minGathered is how many elements a kernel for Gather in assembly pays for.
const minGathered = 8

// Gather copies n elements of elemSize bytes, which start strideBytes apart at src, to dst one
// after the other. The stride may be negative, or 0 to repeat one element; addresses may have any
// alignment. dst and the elements read do not overlap. Sizes of 1, 2, 4, 8 and 16 bytes are fast.
func Gather(dst, src unsafe.Pointer, elemSize int, strideBytes int, n int) {
	if n >= minGathered {
		if fn := best().gathers.lookup(elemSize, strideBytes); fn != nil {
			Call(fn, dst, src, nil, nil, n)
			return
		}
	}
	move2(dst, src, elemSize, elemSize, strideBytes, n)
}

// Scatter is the reverse of Gather: it copies n elements that follow each other at src to places
// that start strideBytes apart at dst. With a stride of 0 the last one stays.
func Scatter(dst, src unsafe.Pointer, elemSize int, strideBytes int, n int) {
	move2(dst, src, elemSize, strideBytes, elemSize, n)
}

// move2 copies n elements of size bytes between places that start to and from bytes apart.
func move2(dst, src unsafe.Pointer, size, to, from, n int) {
	if to == size && from == size {
		copy(unsafe.Slice((*byte)(dst), n*size), unsafe.Slice((*byte)(src), n*size))
		return
	}

	// A loop for each size has no call for each element.
	switch size {
	case 1:
		moveWords[[1]byte](dst, src, to, from, n)
	case 2:
		moveWords[[2]byte](dst, src, to, from, n)
	case 4:
		moveWords[[4]byte](dst, src, to, from, n)
	case 8:
		moveWords[[8]byte](dst, src, to, from, n)
	case 16:
		moveWords[[16]byte](dst, src, to, from, n)
	default:
		moveBytes(dst, src, size, to, from, n)
	}
}

// moveWords copies elements of a fixed size: an array of bytes is moved as one word, at any
// alignment.
func moveWords[T any](dst, src unsafe.Pointer, to, from, n int) {
	i, j := 0, 0
	for range n {
		*(*T)(unsafe.Add(dst, i)) = *(*T)(unsafe.Add(src, j))
		i, j = i+to, j+from
	}
}

func moveBytes(dst, src unsafe.Pointer, size, to, from, n int) {
	for i := range n {
		copy(unsafe.Slice((*byte)(unsafe.Add(dst, i*to)), size), unsafe.Slice((*byte)(unsafe.Add(src, i*from)), size))
	}
}

// A gathers holds kernels that gather elements of 2^i bytes, j-1 elements apart.
type gathers [5][6]Func

// set makes fn the kernel for elements of some bytes, stride elements apart.
func (g *gathers) set(size, stride int, fn Func) { g[bits.TrailingZeros(uint(size))][stride+1] = fn }

// lookup returns the kernel for elements of size bytes, strideBytes apart, or nil.
func (g *gathers) lookup(size, strideBytes int) Func {
	power := bits.TrailingZeros(uint(size))
	if power >= len(g) || size != 1<<power || strideBytes&(size-1) != 0 {
		return nil
	}
	stride := strideBytes>>power + 1
	if stride < 0 || stride >= len(g[power]) {
		return nil
	}
	return g[power][stride]
}

// merge takes over all kernels of u.
func (g *gathers) merge(u *gathers) {
	for i := range u {
		for j, fn := range u[i] {
			if fn != nil {
				g[i][j] = fn
			}
		}
	}
}
