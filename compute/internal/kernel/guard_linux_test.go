package kernel_test

import (
	"testing"

	"golang.org/x/sys/unix"
)

const guardsFault = true // touching memory beyond what guarded returns

// guarded returns size bytes, a multiple of the page size, between two pages that can't be touched.
func guarded(t testing.TB, size int) []byte {
	page := unix.Getpagesize()
	b, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	for _, guard := range [][]byte{b[:page], b[page+size:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return b[page : page+size : page+size]
}
