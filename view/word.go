package view

import "unsafe"

// A word is the bytes of one element, whatever they mean. Arrays of bytes have alignment 1, so a
// word may lie at any address, and moving one is a single load and store where the hardware can.
type word interface {
	[1]byte | [2]byte | [4]byte | [8]byte | [16]byte
}

// words returns b as words; a remainder is left out.
func words[W word](b []byte) []W {
	var w W
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/len(w))
}
