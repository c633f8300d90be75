//go:build cuda && fakecuda && linux

package fakedriver

// primary is the context of a device that all who retain it share.
type primary struct {
	handle uintptr
	uses   int
}

// retainPrimary returns the primary context of a device, which the first call makes.
func (d *driver) retainPrimary(device int) uintptr {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.mu.primary[device]
	if p == nil {
		p = &primary{handle: d.mu.contexts.add(&context{device: device, streams: map[*stream]bool{}})}
		d.mu.primary[device] = p
	}
	p.uses++
	return p.handle
}

// releasePrimary destroys the primary context of a device when the last user releases it.
func (d *driver) releasePrimary(device int) code {
	d.mu.Lock()
	p := d.mu.primary[device]
	if p == nil {
		d.mu.Unlock()
		return invalidContext
	}
	p.uses--
	last := p.uses == 0
	if last {
		delete(d.mu.primary, device)
	}
	d.mu.Unlock()

	if !last {
		return success
	}
	return d.destroyContext(p.handle)
}

func (d *driver) primaryIsActive(device int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.primary[device] != nil
}
