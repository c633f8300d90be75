//go:build cuda && fakecuda && linux

package fakedriver

import (
	"bytes"
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
	for base, pinned := range d.mu.pinned {
		size := uintptr(pinned.bytes)
		if at >= base && at-base <= size && uintptr(n) <= size-(at-base) {
			return true
		}
	}
	return false
}

// queueOver is queue for an operation on n bytes of a device, which must be there.
func (d *driver) queueOver(at uint64, n int64, stream uintptr) (add adder, fail code) {
	add, fail = d.queue(stream)
	if fail != success {
		return nil, fail
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.mu.memory.has(at, n) {
		return nil, invalidValue
	}
	return add, success
}

// upload queues a copy to a device. What is not pinned is copied aside at once.
func (d *driver) upload(at uint64, from unsafe.Pointer, n int64, stream uintptr) code {
	add, fail := d.queueOver(at, n, stream)
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
	_, fail = add(func() error { return d.write(at, src) })
	return fail
}

// download queues a copy from a device. One to what is not pinned is waited for.
func (d *driver) download(to unsafe.Pointer, at uint64, n int64, stream uintptr) code {
	add, fail := d.queueOver(at, n, stream)
	if fail != success {
		return fail
	}
	if to == nil && n > 0 {
		return invalidValue
	}
	done, fail := add(func() error { return d.read(at, hostBytes(to, n)) })
	if fail == success && !d.isPinned(to, n) {
		return d.wait(done)
	}
	return fail
}

// copyDevice queues a copy between two places of devices.
func (d *driver) copyDevice(to, from uint64, n int64, stream uintptr) code {
	add, fail1 := d.queueOver(to, n, stream)
	_, fail2 := d.queueOver(from, n, stream)
	if fail := max(fail1, fail2); fail != success {
		return fail
	}
	_, fail := add(func() error {
		b := make([]byte, n)
		if err := d.read(from, b); err != nil {
			return err
		}
		return d.write(to, b)
	})
	return fail
}

// fillBytes are how many bytes are filled at once.
const fillBytes = 64 << 10

// fill queues writing n copies of a pattern, the length of which divides fillBytes.
func (d *driver) fill(at uint64, pattern []byte, n int64, stream uintptr) code {
	size := int64(len(pattern))
	if at%uint64(size) != 0 || n < 0 || n > (1<<62)/size {
		return invalidValue
	}
	add, fail := d.queueOver(at, n*size, stream)
	if fail != success {
		return fail
	}
	_, fail = add(func() error {
		block := bytes.Repeat(pattern, int(min(n, fillBytes/size)))
		for done := int64(0); done < n*size; done += int64(len(block)) {
			if err := d.write(at+uint64(done), block[:min(int64(len(block)), n*size-done)]); err != nil {
				return err
			}
		}
		return nil
	})
	return fail
}

// write and read copy to and from memory of a device. It may have been freed since the copy was
// queued, and that is an error, as it is to read what nobody wrote.
func (d *driver) write(at uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return d.vm.Write(at, b)
}

func (d *driver) read(at uint64, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return d.vm.Read(at, b)
}
