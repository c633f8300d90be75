package offload

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/mmapstore"
)

// minSlots is the least number of slots of a job with several chunks: while the device computes on
// one, the next is filled, and the one before is emptied.
const minSlots = 3

// An Engine computes on a device. It belongs to one goroutine at a time; so do its jobs, but for
// their workers.
type Engine struct {
	device  device.Device
	slots   int   // of a job
	staging int64 // bytes of host memory that all slots may have
	codes   map[string]*code
	idle    []*slot

	// CheckShare is the part of all chunks that the CPU computes too, to compare them, from 0 to 1.
	CheckShare float64
}

// ErrMismatch: a device computes other bits than the CPU.
var ErrMismatch = errors.New("the device computes other bits than the CPU")

// New returns an Engine for a device, which stays the caller's. Its jobs have workers goroutines,
// but at least three, and staging bytes of host memory that the device copies from and to.
func New(d device.Device, workers int, staging int64) *Engine {
	return &Engine{device: d, slots: max(workers, minSlots), staging: staging, codes: map[string]*code{}}
}

// Place says where the device is.
func (e *Engine) Place() mmapstore.Place { return e.device.Place() }

// Close gives back what the engine has of the device. No job may be there any more. Closing again
// does nothing. That the device is lost is no error here: who used it was told.
func (e *Engine) Close() error {
	err := e.drop()
	for _, c := range e.codes {
		err = errors.Join(err, unlessLost(c.module.Close()))
	}
	e.codes = map[string]*code{}
	return err
}

// unlessLost returns an error but device.ErrLost.
func unlessLost(err error) error {
	if errors.Is(err, device.ErrLost) {
		return nil
	}
	return err
}

// A code is a compiled program.
type code struct {
	*ptx.Kernel
	module device.Module
}

// code returns the code of a program on operands of some layouts.
func (e *Engine) code(l *machine.Lowered, layouts *ptx.Layouts) (*code, error) {
	key := ptx.Key(l.Program, layouts)
	if c := e.codes[key]; c != nil {
		return c, nil
	}
	kernel, err := ptx.Compile(l.Program, layouts)
	if err != nil {
		return nil, err
	}
	module, err := e.device.Compile(kernel.Text)
	if err != nil {
		return nil, fmt.Errorf("compile a program for %v: %w", e.Place(), err)
	}
	c := &code{kernel, module}
	e.codes[key] = c
	return c, nil
}

// Explain says what computes a program, or why the CPU does. resident says that an operand is on the
// device.
func (e *Engine) Explain(p *machine.Program, resident bool) (what string, ok bool) {
	l, err := lower(p, resident)
	if err == nil {
		var k *ptx.Kernel
		if k, err = ptx.Compile(l.Program, nil); err == nil {
			return fmt.Sprintf("GPU code for %v, %d elements a thread", e.Place(), k.PerThread), true
		}
	}
	return fmt.Sprintf("the CPU, not %v: %v", e.Place(), err), false
}

// Covers returns a *ptx.UnsupportedError if there is no code for a program on operands of which some
// are on the device.
func (e *Engine) Covers(p *machine.Program) error {
	l, err := lower(p, true)
	if err == nil {
		_, err = ptx.Compile(l.Program, nil)
	}
	return err
}

// lower returns a program as package ptx takes it. One that computes nothing is for operands on the
// device: others are moved by the CPU.
func lower(p *machine.Program, resident bool) (machine.Lowered, error) {
	l, computes := p.Lower()
	if !computes && !resident {
		return l, &ptx.UnsupportedError{What: "programs that compute nothing"}
	}
	return l, nil
}
