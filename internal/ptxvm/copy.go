package ptxvm

import "errors"

// Write copies data to memory of d, which must lie within one Buffer.
func (d *Device) Write(address uint64, data []byte) error {
	m, at, reason := d.find(address, len(data))
	if reason != "" {
		return errors.New(reason)
	}
	m.set(at, data)
	return nil
}

// Read copies memory of d, which must lie within one Buffer, to data. It fails if some of it was
// never written.
func (d *Device) Read(address uint64, data []byte) error {
	m, at, reason := d.find(address, len(data))
	if reason != "" {
		return errors.New(reason)
	}
	return m.get(at, data)
}

// Write copies data to b, from byte at on.
func (b *Buffer) Write(at int, data []byte) error {
	if reason := b.outside(at, len(data)); reason != "" {
		return errors.New("write " + reason)
	}
	b.set(at, data)
	return nil
}

// Read copies bytes of b from byte at on to data. It fails if some of them were never written.
func (b *Buffer) Read(at int, data []byte) error {
	if reason := b.outside(at, len(data)); reason != "" {
		return errors.New("read " + reason)
	}
	return b.get(at, data)
}

// Zero writes zeros to all of b.
func (b *Buffer) Zero() {
	clear(b.data)
	b.written.setRange(0, len(b.data))
}
