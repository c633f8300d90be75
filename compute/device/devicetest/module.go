package devicetest

import (
	"fmt"
	"sync"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/internal/ptxvm"
	"github.com/tstore/tstore/mmapstore"
)

// A module is code that ptxvm runs.
type module struct {
	device *Device
	code   *ptxvm.Module
	mu     struct {
		sync.Mutex
		launches int // under way
		closed   bool
	}
}

// Compile implements device.Device.
func (d *Device) Compile(text string) (device.Module, error) {
	fault, err := d.begin(Compile)
	if err != nil {
		return nil, d.wrap(string(Compile), err)
	}
	if fault != nil {
		return nil, d.fail(fault)
	}

	code, err := d.vm.Load(text)
	if err == nil && code.Target() > 10*d.options.Major+d.options.Minor {
		code.Unload()
		err = fmt.Errorf("code for sm_%d on a device of capability %d.%d", code.Target(), d.options.Major, d.options.Minor)
	}
	if err != nil {
		return nil, d.mistake(string(Compile), err)
	}
	d.count(func(l *Live) { l.Modules++ })
	return &module{device: d, code: code}, nil
}

// Close implements device.Module.
func (m *module) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.device
	lost := d.gate.lost()
	switch {
	case m.mu.closed:
		return d.wrap("close a module", mmapstore.ErrClosed)
	case m.mu.launches > 0 && lost == nil:
		return d.mistake("close a module", fmt.Errorf("%d launches of it are under way", m.mu.launches))
	}

	m.mu.closed = true
	m.code.Unload()
	d.count(func(l *Live) { l.Modules-- })
	return d.wrap("close a module", lost)
}

// begin counts a launch that begins.
func (m *module) begin() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mu.closed {
		return fmt.Errorf("the module: %w", mmapstore.ErrClosed)
	}
	m.mu.launches++
	return nil
}

// end counts a launch that ended.
func (m *module) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mu.launches--
}
