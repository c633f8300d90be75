//go:build cuda && linux

package cudabridge

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/dustin/go-humanize"
	"gorgonia.org/cu"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/mmapstore"
)

// oldestGPU is the least compute capability that runs the code of this program.
const oldestGPU = 7

func open(place mmapstore.Place, o *Options) (device.Device, error) {
	n, ok := place.GPU()
	if !ok {
		return nil, fmt.Errorf("open %v: it is no GPU", place)
	}
	list, err := devices()
	if err != nil {
		return nil, fmt.Errorf("open %v: %w", place, err)
	}
	if n >= len(list) {
		return nil, fmt.Errorf("open %v: %w of that number: it has %d", place, ErrNoDevice, len(list))
	}
	d := list[n]
	if d.Major < oldestGPU {
		return nil, fmt.Errorf("open %v: %s has compute capability %d.%d, and %d.0 or newer is needed", place, d.Name, d.Major, d.Minor, oldestGPU)
	}

	g := newGPU(d, o)
	if err := g.begin(o.MemoryLimit); err != nil {
		return nil, err
	}
	return g, nil
}

// begin makes the context, and looks how much memory there is.
func (g *gpu) begin(limit int64) error {
	if err := g.makeContext(); err != nil {
		return fmt.Errorf("open %v: make a context: %w", g.info.Place, err)
	}

	free, err := g.free()
	switch {
	case err != nil:
	case limit < 0:
		err = fmt.Errorf("open %v: a limit of %d bytes", g.info.Place, limit)
	case limit > free:
		size := func(n int64) string { return humanize.IBytes(uint64(n)) }
		err = fmt.Errorf("open %v: a limit of %s is asked for, and %s of its %s are free", g.info.Place, size(limit), size(free), size(g.info.TotalBytes))
	case limit == 0:
		limit = free / 4 * 3
	}
	if err != nil {
		return errors.Join(err, g.destroyContext())
	}
	g.info.LimitBytes = limit
	g.budget = device.NewBudget(g.info.Place, limit)
	return nil
}

// makeContext makes the context. It is current in no thread then: each call makes it current in its
// own.
func (g *gpu) makeContext() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	var err error
	if g.context, err = cu.Device(g.number).MakeContext(cu.SchedBlockingSync); err != nil {
		return driver.ErrorOf(err)
	}
	if _, err := cu.PopCurrentCtx(); err != nil {
		return errors.Join(driver.ErrorOf(err), driver.ErrorOf(g.context.Destroy()))
	}
	return nil
}

// destroyContext destroys the context, and all that is left in it. It need not be current.
func (g *gpu) destroyContext() error {
	c := g.context // which Destroy changes
	return g.failure("give the device back", c.Destroy())
}
