//go:build cuda && fakecuda && linux

package fakedriver

// #include "thread.h"
import "C"

// context is a CUcontext.
type context struct {
	device int
	flags  uint32
	// streams are those that wait for the default stream, which waits for them.
	streams map[*stream]bool
}

func (d *driver) newContext(device int, flags uint32) uintptr {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.contexts.add(&context{device: device, flags: flags, streams: map[*stream]bool{}})
}

// destroyContext waits for the streams of a context, and frees what belongs to it.
func (d *driver) destroyContext(handle uintptr) code {
	c, ok := d.context(handle)
	if !ok {
		return invalidContext
	}
	d.drain(c, true)

	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.contexts.remove(handle)
	for h, s := range d.mu.streams.things {
		if s.context == c {
			d.mu.streams.remove(h)
		}
	}
	for h, e := range d.mu.events.things {
		if e.context == c {
			d.mu.events.remove(h)
		}
	}
	d.mu.memory.freeOf(c)
	return success
}

func (d *driver) context(handle uintptr) (*context, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.contexts.get(handle)
}

// current returns the context that is current in the calling thread.
func (d *driver) current() (*context, code) {
	t := C.fakecuda_thread()
	if t.depth == 0 {
		return nil, invalidContext
	}
	c, ok := d.context(uintptr(t.contexts[t.depth-1]))
	if !ok {
		return nil, invalidContext
	}
	return c, success
}

// push makes a context current in the calling thread, above the one that is.
func push(handle uintptr) code {
	t := C.fakecuda_thread()
	if int(t.depth) == len(t.contexts) {
		return outOfMemory
	}
	t.contexts[t.depth] = C.uintptr_t(handle)
	t.depth++
	return success
}

// pop returns the context that is current in the calling thread, and makes the one below current.
func pop() (uintptr, code) {
	t := C.fakecuda_thread()
	if t.depth == 0 {
		return 0, invalidContext
	}
	t.depth--
	return uintptr(t.contexts[t.depth]), success
}

// top is the handle of the context that is current in the calling thread, or 0.
func top() uintptr {
	t := C.fakecuda_thread()
	if t.depth == 0 {
		return 0
	}
	return uintptr(t.contexts[t.depth-1])
}
