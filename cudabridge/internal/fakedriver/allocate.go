//go:build cuda && fakecuda && linux

package fakedriver

// #include <stdlib.h>
import "C"

import "unsafe"

// pageBytes is what pinned memory is aligned to.
const pageBytes = 4096

// allocate takes memory of the device whose context is current.
func (d *driver) allocate(n int64) (uint64, code) {
	c, fail := d.current()
	if fail != success {
		return 0, fail
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.memory.allocate(c, n, d.mu.settings.memory)
}

// free gives device memory back when all is done that the default stream waits for. Nothing is at
// address 0, and that is freed.
func (d *driver) free(at uint64) code {
	c, fail := d.current()
	if fail != success || at == 0 {
		return fail
	}
	d.drain(c, false)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.memory.free(at)
}

// around returns the allocation that holds an address.
func (d *driver) around(at uint64) (*allocation, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.memory.around(at)
}

// memoryInfo returns how many bytes are used of the device whose context is current.
func (d *driver) memoryInfo() (used, limit int64, fail code) {
	c, fail := d.current()
	if fail != success {
		return 0, 0, fail
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.memory.used[c.device], d.mu.settings.memory, success
}

// writeCombined is the flag of pinned memory that is written past the caches.
const writeCombined = 4

// pinned is memory of the program that streams copy from and to on their own.
type pinned struct {
	at    unsafe.Pointer
	bytes int64
	flags uint32
	owner *context
}

// pin makes pinned memory of the current context.
func (d *driver) pin(n int64, flags uint32) (unsafe.Pointer, code) {
	c, fail := d.current()
	if fail != success {
		return nil, fail
	}
	if n <= 0 || n > 1<<40 {
		return nil, invalidValue
	}
	p := C.aligned_alloc(pageBytes, C.size_t((n+pageBytes-1)/pageBytes*pageBytes))
	if p == nil {
		return nil, outOfMemory
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.pinned[uintptr(p)] = pinned{p, n, flags, c}
	return p, success
}

// unpin frees pinned memory, by its first address, when the streams of the current context are done.
func (d *driver) unpin(p unsafe.Pointer) code {
	c, fail := d.current()
	if fail != success {
		return fail
	}
	d.drain(c, true)
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.mu.pinned[uintptr(p)]; !ok {
		return invalidValue
	}
	delete(d.mu.pinned, uintptr(p))
	C.free(p)
	return success
}
