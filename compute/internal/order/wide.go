package order

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A Wide is a key of 128 bits, that of an element of complex128: Key is its upper half, Low its
// lower one.
type Wide struct{ Key, Low uint64 }

// A WidePair is a wide key and the index of its element.
type WidePair struct{ Key, Low, Index uint64 }

// IsNaN reports whether a key stands for a complex number with a NaN.
func (w Wide) IsNaN() bool { return w.Key >= wideNaN }

// Scalar returns the element of a key.
func (w Wide) Scalar() dtype.Scalar {
	elem := bytesOf(make([]uint64, 2))
	DecodeWide(elem, []Wide{w})
	return dtype.Load(dtype.Complex128, elem)
}

// isWide reports whether the keys of items have a lower half.
func isWide[E Item]() bool {
	switch any(*new(E)).(type) {
	case Wide, WidePair:
		return true
	}
	return false
}

// lowWord returns the lower half of a wide key.
func lowWord[E Item](e *E) uint64 { return *lowOf(e) }

func lowOf[E Item](e *E) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(e), unsafe.Sizeof(uint64(0))))
}

// swapWords exchanges the halves of wide keys.
func swapWords[E Item](x []E) {
	for i := range x {
		high, low := (*uint64)(unsafe.Pointer(&x[i])), lowOf(&x[i])
		*high, *low = *low, *high
	}
}

// sameLow reports whether wide keys have the same lower halves.
func sameLow[E Item](x []E) bool {
	for i := range x {
		if lowWord(&x[i]) != lowWord(&x[0]) {
			return false
		}
	}
	return true
}

// sortTies sorts items with wide keys by their lower halves. The upper halves are in order already.
func sortTies[E Item](x, room []E) {
	for i := 0; i < len(x); {
		end := i + 1
		for end < len(x) && word(&x[end]) == word(&x[i]) {
			end++
		}
		if end > i+1 {
			swapWords(x[i:end])
			sortWords(x[i:end], room[i:end], 0, false)
			swapWords(x[i:end])
		}
		i = end
	}
}
