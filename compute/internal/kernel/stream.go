package kernel

import "math/bits"

// StreamCopy returns the kernel of [Copy] for elements of size bytes that stores past the caches:
// for results much larger than the caches that are not read soon. Form 0 copies a vector, form 1
// repeats a scalar. dst must be aligned to 64 bytes, and a call should write 4 KiB or more, because
// it waits at its end until all is stored. It is nil if there is none.
func StreamCopy(size int, form Form) Func {
	return best().streams[bits.TrailingZeros(uint(size))][form]
}

// A streams holds kernels that copy elements of 2^i bytes past the caches, in forms 0 and 1.
type streams [5][2]Func

// set makes fn the kernel for elements of some bytes in one form.
func (s *streams) set(size int, form Form, fn Func) { s[bits.TrailingZeros(uint(size))][form] = fn }

// merge takes over all kernels of u.
func (s *streams) merge(u *streams) {
	for i := range u {
		for form, fn := range u[i] {
			if fn != nil {
				s[i][form] = fn
			}
		}
	}
}
