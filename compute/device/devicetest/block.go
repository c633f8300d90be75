package devicetest

import (
	"fmt"
	"io"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/internal/ptxvm"
	"github.com/tstore/tstore/mmapstore"
)

// Alloc implements mmapstore.Allocator.
func (d *Device) Alloc(size int64) (mmapstore.Block, error) {
	fault, err := d.begin(Alloc)
	if err != nil {
		return mmapstore.Block{}, d.wrap(string(Alloc), err)
	}
	if fault != nil {
		return mmapstore.Block{}, d.fail(fault)
	}

	b, err := d.take(Alloc, size)
	if err != nil {
		return mmapstore.Block{}, err
	}
	b.Zero()
	d.count(func(l *Live) { l.Blocks++ })
	free := func() error {
		d.count(func(l *Live) { l.Blocks-- })
		d.give(b)
		return d.wrap("free", d.gate.lost())
	}
	return mmapstore.NewDeviceBlock(d.Place(), size, &memory{d, b}, free), nil
}

// take takes memory that nobody has written.
func (d *Device) take(c Call, n int64) (*ptxvm.Buffer, error) {
	if n < 0 {
		return nil, d.mistake(string(c), fmt.Errorf("%d bytes", n))
	}
	if err := d.budget.Take(n); err != nil {
		return nil, err
	}
	b, err := d.vm.Alloc(int(n))
	if err != nil {
		d.budget.Give(n)
		return nil, d.mistake(string(c), err)
	}
	return b, nil
}

// give frees memory.
func (d *Device) give(b *ptxvm.Buffer) {
	b.Free()
	d.budget.Give(int64(b.Size()))
}

// A memory is the memory of a block.
type memory struct {
	device *Device
	buffer *ptxvm.Buffer
}

var _ device.Memory = (*memory)(nil)

// Address implements device.Memory.
func (m *memory) Address() uint64 { return m.buffer.Address() }

// ReadAt implements io.ReaderAt.
func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	n := int(min(int64(len(p)), max(int64(m.buffer.Size())-at, 0)))
	if err := m.copy("read a block", m.device.vm.Read, p[:n], at); err != nil {
		return 0, err
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt implements io.WriterAt.
func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if err := m.copy("write a block", m.device.vm.Write, p, at); err != nil {
		return 0, err
	}
	return len(p), nil
}

// copy copies bytes of the block from or to p.
func (m *memory) copy(doing string, copy func(address uint64, p []byte) error, p []byte, at int64) error {
	d := m.device
	if err := d.gate.lost(); err != nil {
		return d.wrap(doing, err)
	}
	if at < 0 || len(p) > 0 && at > int64(m.buffer.Size()) {
		return d.mistake(doing, fmt.Errorf("%d bytes at byte %d of %d", len(p), at, m.buffer.Size()))
	}
	if len(p) == 0 {
		return nil
	}
	if err := copy(m.Address()+uint64(at), p); err != nil {
		return d.mistake(doing, err)
	}
	return nil
}
