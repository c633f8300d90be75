//go:build cuda && linux

package cudabridge

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// Launch implements device.Queue.
func (q *queue) Launch(m device.Module, l *device.Launch) error {
	return q.do("launch "+l.Entry, func() error {
		e, err := q.entry(m, l)
		if err != nil {
			return err
		}
		// The driver takes the values of all parameters before it returns.
		params := make([]unsafe.Pointer, len(l.Params))
		for i := range l.Params {
			params[i] = unsafe.Pointer(&l.Params[i])
		}
		g, b := l.Grid, l.Block
		return e.Launch(g[0], g[1], g[2], b[0], b[1], b[2], 0, q.stream, params)
	})
}

// entry returns what a launch launches, if it can be.
func (q *queue) entry(m device.Module, l *device.Launch) (entry, error) {
	h, ok := m.(*handle)
	switch {
	case !ok || h.gpu != q.gpu:
		return entry{}, errors.New("the module is not one of this device")
	case h.closed.Load():
		return entry{}, fmt.Errorf("the module: %w", mmapstore.ErrClosed)
	}
	e, ok := h.entries[l.Entry]
	if !ok {
		return entry{}, errors.New("the module has no such entry")
	}
	if len(l.Params) != e.params {
		return entry{}, fmt.Errorf("%d parameters, want %d", len(l.Params), e.params)
	}
	for _, n := range [...]int{l.Grid[0], l.Grid[1], l.Grid[2], l.Block[0], l.Block[1], l.Block[2]} {
		if n < 1 || n > math.MaxInt32 {
			return entry{}, fmt.Errorf("a grid of %v blocks of %v threads: want 1 to %d of each", l.Grid, l.Block, math.MaxInt32)
		}
	}
	return e, nil
}
