package tensortest

import "unsafe"

// Buffer returns size zeroed bytes whose address is skew bytes past a multiple of 64, 0 ≤ skew <
// 64.
func Buffer(size, skew int) []byte {
	raw := make([]byte, size+128)
	start := -uintptr(unsafe.Pointer(&raw[0])) & 63
	first := int(start) + skew
	return raw[first : first+size : first+size]
}
