//go:build linux && amd64 && !noasm

package jit

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// executable reports whether there is code for this system.
const executable = true

// mapCode returns pages with code, which can be executed and not be written.
func mapCode(code []byte) ([]byte, error) {
	pages, err := unix.Mmap(-1, 0, len(code), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes for machine code: %w", len(code), err)
	}
	copy(pages, code)
	if err := unix.Mprotect(pages, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		unmapCode(pages)
		return nil, fmt.Errorf("make machine code executable: %w", err)
	}
	return pages, nil
}

func unmapCode(pages []byte) {
	if err := unix.Munmap(pages); err != nil {
		panic("BUG: jit: unmap code: " + err.Error())
	}
}

// call calls the code at pc.
//
//go:noescape
func call(pc, args unsafe.Pointer, n int)
