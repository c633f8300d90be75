//go:build !linux

package kernel_test

import (
	"testing"
	"unsafe"
)

const guardsFault = false

// guarded returns size bytes that begin at a multiple of 4096. What is beyond them is not watched
// on this platform.
func guarded(_ testing.TB, size int) []byte {
	b := make([]byte, size+4096)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & 4095
	return b[skip : skip+size : skip+size]
}
