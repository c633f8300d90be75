//go:build cuda && linux

package cudabridge

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// gpu is a device.Device.
type gpu struct {
	number   int
	info     device.Info
	patience time.Duration
	context  cu.CUContext
	budget   *device.Budget
	copier   copier
	code     cache
	gone     chan struct{} // closed when the device is lost

	mu struct {
		sync.Mutex
		closed         bool
		lost           error          // why, if it is
		queues, blocks int            // that are there
		pending        []<-chan error // of queues that were closed before the device was done with them
	}
}

var _ device.Device = (*gpu)(nil)

func newGPU(d Device, o *Options) *gpu {
	n, _ := d.Place.GPU()
	g := &gpu{number: n, patience: o.Patience, gone: make(chan struct{})}
	g.info = device.Info{Place: d.Place, Name: d.Name, Major: d.Major, Minor: d.Minor, TotalBytes: d.TotalBytes}
	g.copier.gpu = g
	g.code.modules = map[string]*module{}
	return g
}

// Info implements device.Device.
func (g *gpu) Info() device.Info {
	i := g.info
	i.UsedBytes, _ = g.budget.Used()
	return i
}

// Place implements mmapstore.Allocator.
func (g *gpu) Place() mmapstore.Place { return g.info.Place }

// do is try, if the device can be used.
func (g *gpu) do(doing string, f func() error) error {
	if err := g.usable(); err != nil {
		return g.wrap(doing, err)
	}
	return g.try(doing, f)
}

// undo is try, for what gives something back: if the device is lost, all goes with its context.
func (g *gpu) undo(doing string, f func() error) error {
	if err := g.lost(); err != nil {
		return g.wrap(doing, err)
	}
	return g.try(doing, f)
}

// try calls f in a thread in which the context is current, and returns what went wrong.
func (g *gpu) try(doing string, f func() error) error {
	// A context belongs to a thread, and a goroutine changes threads.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	err := cu.SetCurrentContext(g.context)
	if err == nil {
		err = f()
	}
	return g.failure(doing, err)
}

// start calls f as try does, in a goroutine of its own, whose result is sent to done.
func (g *gpu) start(doing string, f func() error) (done <-chan error) {
	result := make(chan error, 1)
	go func() { result <- g.try(doing, f) }()
	return result
}

// usable returns why the device can't be used, if so.
func (g *gpu) usable() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.closed {
		return mmapstore.ErrClosed
	}
	return g.mu.lost
}

// lost returns why the device is lost, if it is.
func (g *gpu) lost() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mu.lost
}

// at says where an error happened.
func (g *gpu) at(err error) error { return fmt.Errorf("%v: %w", g.info.Place, err) }

// wrap says where and at what an error happened, if there is one.
func (g *gpu) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return g.at(fmt.Errorf("%s: %w", doing, err))
}

// count changes how many queues and blocks there are.
func (g *gpu) count(queues, blocks int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mu.queues += queues
	g.mu.blocks += blocks
}

// Close implements device.Device. It does nothing but return an error while something is left that
// was made on the device.
func (g *gpu) Close() error {
	const doing = "close"
	if err := g.close(); err != nil {
		return g.wrap(doing, err)
	}

	// The context is not taken from a device that is at work there: that may never return. If the
	// device is ever done, all that it kept is given back.
	err := g.copier.close()
	gone := make(chan error, 1)
	go func() {
		g.waitForPending()
		gone <- g.destroyContext()
	}()
	var timeout <-chan time.Time
	if g.lost() != nil {
		timeout = time.After(g.patience)
	}
	select {
	case failed := <-gone:
		err = errors.Join(err, failed)
	case <-timeout:
	}
	if lost := g.lost(); lost != nil {
		return g.wrap(doing, lost)
	}
	return err
}

// waitForPending waits until the device is done with all queues that were closed before it was.
func (g *gpu) waitForPending() {
	g.mu.Lock()
	pending := g.mu.pending
	g.mu.Unlock()
	for _, done := range pending {
		<-done
	}
}

// close forbids all calls from here on.
func (g *gpu) close() error {
	g.code.Lock()
	defer g.code.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.closed {
		return mmapstore.ErrClosed
	}
	if modules := len(g.code.modules); g.mu.queues+modules+g.mu.blocks > 0 {
		return fmt.Errorf("it has %d queues, %d modules and %d blocks", g.mu.queues, modules, g.mu.blocks)
	}
	g.mu.closed = true
	return nil
}
