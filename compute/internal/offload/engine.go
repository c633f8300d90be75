package offload

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/machine"
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
	slots   int   // of a job
	staging int64 // bytes of host memory that all slots may have
	codes   map[string]*code
	idle    []*slot
}

// New returns an Engine for a device, which stays the caller's. Its jobs have workers goroutines,
// but at least three, and staging bytes of host memory that the device copies from and to.
func New(d device.Device, workers int, staging int64) *Engine {
	return &Engine{device: d, slots: max(workers, minSlots), staging: staging, codes: map[string]*code{}}
}

// Place says where the device is.
func (e *Engine) Place() mmapstore.Place { return e.device.Place() }

// Close gives back what the engine has of the device. No job may be there any more. Closing again
// does nothing.
func (e *Engine) Close() error {
	var err error
	for _, s := range e.idle {
		err = errors.Join(err, s.queue.Close())
	}
	for _, c := range e.codes {
		err = errors.Join(err, c.module.Close())
	}
	e.idle, e.codes = nil, map[string]*code{}
	if err != nil {
		return fmt.Errorf("close the queues of %v: %w", e.Place(), err)
	}
	return nil
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

// foldCode returns the code of a program with folds, with a thread for each lane or not.
func (e *Engine) foldCode(l *machine.Lowered, perLane bool) (*code, error) {
	return e.compiled(fmt.Sprint(perLane, ptx.Key(l.Program, nil)), func(c *code) (text string, err error) {
		if c.folds, err = ptx.CompileFolds(l.Program, nil, perLane); err != nil {
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

// Explain says what computes a program, or why the CPU does.
func (e *Engine) Explain(p *machine.Program) (what string, ok bool) {
	l, err := lower(p)
	if err == nil {
		var k *ptx.Kernel
		if k, err = ptx.Compile(l.Program, nil); err == nil {
			return fmt.Sprintf("GPU code for %v, %d elements a thread", e.Place(), k.PerThread), true
		}
	}
	return e.refused(err), false
}

// ExplainReduction says what folds the elements of a reduction, or why the CPU does.
func (e *Engine) ExplainReduction(job *reduce.Engine) (what string, ok bool) {
	folding, err := lowerFolds(job)
	if err == nil {
		if _, err = ptx.CompileFolds(folding.Program, nil, folding.PerLane); err == nil {
			how := "a block of threads for each run of elements"
			if folding.PerLane {
				how = "a thread for each column"
			}
			return fmt.Sprintf("GPU code for %v, which reduces as well, %s", e.Place(), how), true
		}
	}
	return e.refused(err), false
}

// refused says why the CPU does what there is no code for.
func (e *Engine) refused(err error) string { return fmt.Sprintf("the CPU, not %v: %v", e.Place(), err) }

// lowerFolds returns what a reduction folds, as package ptx takes it.
func lowerFolds(job *reduce.Engine) (*reduce.Folding, error) {
	folding, why := job.Folding()
	if why != "" {
		return nil, &ptx.UnsupportedError{What: why}
	}
	return folding, nil
}

// lower returns a program as package ptx takes it.
func lower(p *machine.Program) (machine.Lowered, error) {
	l, ok := p.Lower()
	if !ok || len(l.Program.Ops) == 0 {
		return l, &ptx.UnsupportedError{What: "programs that compute nothing"}
	}
	return l, nil
}
