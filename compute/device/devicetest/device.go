package devicetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/internal/ptxvm"
	"github.com/tstore/tstore/mmapstore"
)

// A Device is a device.Device in Go. It is safe for concurrent use.
type Device struct {
	options  Options
	vm       ptxvm.Device
	budget   *device.Budget
	gate     gate
	launches atomic.Int64
	up, down atomic.Int64 // bytes

	mu struct {
		sync.Mutex
		faults   []Fault
		calls    map[Call]int
		live     Live
		queues   uint64 // ever made
		mistakes []error
		closed   bool
	}
}

var _ device.Device = (*Device)(nil)

// New returns a Device. o may be nil.
func New(o *Options) *Device {
	all := o.withDefaults()
	d := &Device{options: all, budget: device.NewBudget(all.Place, all.MemoryBytes)}
	d.gate.gone = make(chan struct{})
	d.mu.calls = map[Call]int{}
	d.mu.faults = all.Faults
	return d
}

// Info implements device.Device.
func (d *Device) Info() device.Info {
	o := &d.options
	used, _ := d.budget.Used()
	return device.Info{
		Place: o.Place, Name: "devicetest", Driver: "ptxvm", Major: o.Major, Minor: o.Minor,
		TotalBytes: o.MemoryBytes, LimitBytes: o.MemoryBytes, UsedBytes: used,
	}
}

// Place implements mmapstore.Allocator.
func (d *Device) Place() mmapstore.Place { return d.options.Place }

// Close implements device.Device. It does nothing but return an error while something is left that
// was made on the device.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mu.closed {
		return d.wrap("close", mmapstore.ErrClosed)
	}
	if l := d.mu.live; l.Queues+l.Modules+l.Blocks > 0 {
		return d.mistakeLocked("close", fmt.Errorf("it still has queues: %d, modules: %d, blocks: %d", l.Queues, l.Modules, l.Blocks))
	}
	d.mu.closed = true
	return d.wrap("close", d.gate.lost())
}

// usableLocked returns why the device can't be used.
func (d *Device) usableLocked() error {
	if d.mu.closed {
		return mmapstore.ErrClosed
	}
	return d.gate.lost()
}

// wrap says where and at what an error happened, if there is one.
func (d *Device) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%v: %s: %w", d.options.Place, doing, err)
}

// fail returns the error of a Fault. It loses the device if the error says so.
func (d *Device) fail(f *Fault) error {
	if errors.Is(f.Err, device.ErrLost) {
		d.Lose()
	}
	return d.wrap(string(f.Call), f.Err)
}

// mistake notes an error that the caller made, and returns it with its place.
func (d *Device) mistake(doing string, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mistakeLocked(doing, err)
}

func (d *Device) mistakeLocked(doing string, err error) error {
	err = d.wrap(doing, err)
	d.mu.mistakes = append(d.mu.mistakes, err)
	return err
}
