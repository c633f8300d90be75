//go:build cuda && fakecuda && linux

package fakedriver

/*
#include <stdlib.h>
#include "thread.h"
*/
import "C"

import "sync/atomic"

// context is a CUcontext.
type context struct {
	device int
	flags  uint32
	// streams are those that wait for the default stream, which waits for them.
	streams map[*stream]bool
	// failed is set when an operation fails. Nothing runs from then on.
	failed atomic.Bool
}

// state is what calls answer once the context has failed.
func (c *context) state() code {
	if c.failed.Load() {
		return launchFailed
	}
	return success
}

// run does an operation of a stream, unless the context has failed.
func (c *context) run(op func() error) {
	if c.failed.Load() {
		return
	}
	if err := op(); err != nil {
		c.failed.Store(true)
		fake.mu.Lock()
		defer fake.mu.Unlock()
		fake.mu.failure = err
	}
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
	for h, m := range d.mu.modules.things {
		if m.context == c {
			d.unloadLocked(h)
		}
	}
	d.mu.memory.freeOf(c)
	for at, p := range d.mu.pinned {
		if p.owner == c {
			delete(d.mu.pinned, at)
			C.free(p.at)
		}
	}
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

// failure is what calls answer if the context that is current in the calling thread has failed.
func (d *driver) failure() code {
	c, fail := d.current()
	if fail != success {
		return success
	}
	return c.state()
}

// wait waits for an operation of the current context.
func (d *driver) wait(done <-chan struct{}) code {
	<-done
	return d.failure()
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
