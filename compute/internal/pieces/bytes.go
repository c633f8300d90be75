package pieces

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// MaxAlign is the alignment that every element type is content with.
const MaxAlign = 8

// IsAligned reports whether elements of any type may lie at the start of b.
func IsAligned(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%MaxAlign == 0
}

// AlignedBytes returns n bytes where elements of any type may be put.
func AlignedBytes(n int) []byte {
	words := make([]uint64, (n+MaxAlign-1)/MaxAlign)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// As returns b, which is aligned, seen as elements of T.
func As[T dtype.Element](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// Bytes returns x seen as bytes.
func Bytes[T dtype.Element](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}
