//go:build cuda && fakecuda && linux

package fakedriver

import "unsafe"

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

// pin notes memory of the program that streams may copy from and to on their own.
func (d *driver) pin(p unsafe.Pointer, n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.pinned[uintptr(p)] = n
}

// unpin forgets pinned memory, by its first address, when the streams of the current context are
// done.
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
	return success
}
