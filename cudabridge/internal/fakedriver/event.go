//go:build cuda && fakecuda && linux

package fakedriver

import "time"

// disableTiming is the flag of an event that has no time.
const disableTiming = 2

// event is a CUevent.
type event struct {
	context *context
	flags   uint32
	record  *record // the last one, or nil; under the lock of the driver
}

// record is a place in a stream.
type record struct {
	done <-chan struct{} // closed when the stream has come there
	at   time.Time       // when that was
}

// newEvent makes an event of the current context.
func (d *driver) newEvent(flags uint32) (uintptr, code) {
	c, fail := d.current()
	if fail != success {
		return 0, fail
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.events.add(&event{context: c, flags: flags}), success
}

func (d *driver) destroyEvent(handle uintptr) code {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.mu.events.get(handle); !ok {
		return invalidHandle
	}
	d.mu.events.remove(handle)
	return success
}

// recordOf returns the last record of an event, which is nil if there is none.
func (d *driver) recordOf(handle uintptr) (*event, *record, code) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.mu.events.get(handle)
	if !ok {
		return nil, nil, invalidHandle
	}
	return e, e.record, success
}

// recordEvent marks the place behind all that a stream was given.
func (d *driver) recordEvent(handle, stream uintptr) code {
	add, fail := d.queue(stream)
	if fail != success {
		return fail
	}
	e, _, fail := d.recordOf(handle)
	if fail != success {
		return fail
	}
	r := &record{}
	r.done, fail = add(func() error { r.at = time.Now(); return nil })
	d.mu.Lock()
	defer d.mu.Unlock()
	e.record = r
	return fail
}

// elapsed returns the time between two events.
func (d *driver) elapsed(from, to uintptr) (time.Duration, code) {
	e1, r1, fail1 := d.recordOf(from)
	e2, r2, fail2 := d.recordOf(to)
	switch {
	case max(fail1, fail2) != success:
		return 0, max(fail1, fail2)
	case r1 == nil || r2 == nil || (e1.flags|e2.flags)&disableTiming != 0:
		return 0, invalidHandle
	case !isDone(r1.done) || !isDone(r2.done):
		return 0, notReady
	}
	return r2.at.Sub(r1.at), success
}
