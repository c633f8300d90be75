package offload

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/mmapstore"
)

// minSlots is the least number of slots of a job with several chunks: while the device computes on
// one, the next is filled, and the one before is emptied.
const minSlots = 3

// An Engine computes on a device. It belongs to one goroutine at a time; so do its jobs, but for
// their workers.
type Engine struct {
	device  device.Device
	workers int   // of jobs of the CPU
	slots   int   // of a job
	staging int64 // bytes of host memory that all slots may have
	codes   map[string]*code
	idle    []*slot

	// CheckShare is the share of what the device computes that the CPU computes too, to compare all
	// bits, from 0 to 1.
	CheckShare     float64
	checked, parts atomic.Int64 // parts that the CPU has computed too, and all

	// Auto has the device compute only what it is expected to do faster; nil: all it has code for.
	Auto   *Auto
	failed error // why it is not used any more
}

// ErrMismatch: a device computes other bits than the CPU.
var ErrMismatch = errors.New("the device computes other bits than the CPU")

// New returns an Engine for a device, which stays the caller's. Its jobs have workers goroutines,
// but at least three, and staging bytes of host memory that the device copies from and to.
func New(d device.Device, workers int, staging int64) *Engine {
	return &Engine{device: d, workers: workers, slots: max(workers, minSlots), staging: staging, codes: map[string]*code{}}
}

// Place says where the device is.
func (e *Engine) Place() mmapstore.Place { return e.device.Place() }

// Close gives back what the engine has of the device. No job may be there any more. Closing again
// does nothing. That the device is lost, or has failed, is no error here: who used it was told. Nor
// is what a device says at the end that the engine need not use.
func (e *Engine) Close() error {
	err := e.drop()
	for _, c := range e.codes {
		err = errors.Join(err, unlessLost(c.module.Close()))
	}
	e.codes = map[string]*code{}
	return e.atEnd(err)
}

// unlessLost returns an error but device.ErrLost.
func unlessLost(err error) error {
	if errors.Is(err, device.ErrLost) {
		return nil
	}
	return err
}

// atEnd returns an error of giving back what a job had, of which all that it computed has been
// waited for. An engine that chooses leaves a device that has failed.
func (e *Engine) atEnd(err error) error {
	if e.Auto != nil && err != nil && e.failed == nil {
		e.Fail(err)
	}
	if e.failed != nil {
		return nil
	}
	return err
}

// A code is a compiled program.
type code struct {
	kernel *ptx.Kernel
	folds  *ptx.FoldKernel // instead, of a program with folds
	module device.Module
}

// code returns the code of a program on operands of some layouts.
func (e *Engine) code(l *machine.Lowered, layouts *ptx.Layouts) (*code, error) {
	return e.compiled(ptx.Key(l.Program, layouts), func(c *code) (text string, err error) {
		if c.kernel, err = ptx.Compile(l.Program, layouts); err != nil {
			return "", err
		}
		return c.kernel.Text, nil
	})
}

// foldCode returns the code of what a reduction folds, of inputs with some layouts.
func (e *Engine) foldCode(f *reduce.Folding, layouts *ptx.Layouts) (*code, error) {
	return e.compiled(fmt.Sprint(f.PerLane, ptx.Key(f.Program, layouts)), func(c *code) (text string, err error) {
		if c.folds, err = ptx.CompileFolds(f.Program, layouts, f.PerLane); err != nil {
			return "", err
		}
		return c.folds.Text, nil
	})
}

// compiled returns the code with a key, which lower makes if there is none.
func (e *Engine) compiled(key string, lower func(*code) (text string, err error)) (*code, error) {
	if c := e.codes[key]; c != nil {
		return c, nil
	}
	c := &code{}
	text, err := lower(c)
	if err != nil {
		return nil, err
	}
	if c.module, err = e.device.Compile(text); err != nil {
		return nil, fmt.Errorf("compile a program for %v: %w", e.Place(), err)
	}
	e.codes[key] = c
	return c, nil
}

// Covers returns a *ptx.UnsupportedError if there is no code for a program on the operands that
// NewLoop takes.
func (e *Engine) Covers(p *machine.Program, nest *plan.Nest, operands []exec.Operand, inputs int) error {
	l, err := e.cutLoop(context.Background(), p, nest, operands, inputs)
	if err == nil {
		_, err = ptx.Compile(l.lowered.Program, &l.layouts)
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
