//go:build cuda && fakecuda && linux

package fakedriver

import (
	"slices"
	"unsafe"
)

// hostBytes returns memory of the program. The caller of the driver says that it is there.
func hostBytes(p unsafe.Pointer, n int64) []byte { return unsafe.Slice((*byte)(p), n) }

// isPinned reports whether memory of the program lies within pinned memory.
func (d *driver) isPinned(p unsafe.Pointer, n int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := uintptr(p)
	for base, size := range d.mu.pinned {
		if at >= base && at-base <= uintptr(size) && uintptr(n) <= uintptr(size)-(at-base) {
			return true
		}
	}
	return false
}

// device returns bytes of a device.
func (d *driver) device(at uint64, n int64) ([]byte, code) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, ok := d.mu.memory.bytesAt(at, n)
	if !ok {
		return nil, invalidValue
	}
	return b, success
}

// upload queues a copy to a device. What is not pinned is copied aside at once.
func (d *driver) upload(at uint64, from unsafe.Pointer, n int64, stream uintptr) code {
	add, fail := d.queue(stream)
	if fail != success {
		return fail
	}
	to, fail := d.device(at, n)
	if fail != success {
		return fail
	}
	if from == nil && n > 0 {
		return invalidValue
	}
	src := hostBytes(from, n)
	if stream != 0 && !d.isPinned(from, n) {
		src = slices.Clone(src)
	}
	add(func() { copy(to, src) })
	return success
}

// download queues a copy from a device. One to what is not pinned is waited for.
func (d *driver) download(to unsafe.Pointer, at uint64, n int64, stream uintptr) code {
	add, fail := d.queue(stream)
	if fail != success {
		return fail
	}
	src, fail := d.device(at, n)
	if fail != success {
		return fail
	}
	if to == nil && n > 0 {
		return invalidValue
	}
	done := add(func() { copy(hostBytes(to, n), src) })
	if !d.isPinned(to, n) {
		<-done
	}
	return success
}

// copyDevice queues a copy between two places of devices.
func (d *driver) copyDevice(to, from uint64, n int64, stream uintptr) code {
	add, fail := d.queue(stream)
	if fail != success {
		return fail
	}
	dst, fail1 := d.device(to, n)
	src, fail2 := d.device(from, n)
	if fail := max(fail1, fail2); fail != success {
		return fail
	}
	add(func() { copy(dst, src) })
	return success
}

// fill queues writing n copies of a pattern.
func (d *driver) fill(at uint64, pattern []byte, n int64, stream uintptr) code {
	add, fail := d.queue(stream)
	if fail != success {
		return fail
	}
	size := int64(len(pattern))
	if at%uint64(size) != 0 || n < 0 || n > (1<<62)/size {
		return invalidValue
	}
	dst, fail := d.device(at, n*size)
	if fail != success {
		return fail
	}
	add(func() {
		for i := range dst {
			dst[i] = pattern[i%len(pattern)]
		}
	})
	return success
}
