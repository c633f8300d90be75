//go:build cuda && linux

package cudabridge

import (
	"fmt"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/compute/device"
)

// piece is memory of the device. One of no bytes is nowhere.
type piece struct {
	at    cu.DevicePtr
	bytes int64
}

// take takes memory of the device.
func (g *gpu) take(n int64) (piece, error) {
	const doing = "allocate memory"
	if n < 0 {
		return piece{}, g.wrap(doing, fmt.Errorf("%d bytes", n))
	}
	if err := g.usable(); err != nil {
		return piece{}, g.wrap(doing, err)
	}
	if err := g.budget.Take(n); err != nil || n == 0 {
		return piece{}, err
	}

	p := piece{bytes: n}
	err := g.try(doing, func() (err error) {
		p.at, err = cu.MemAlloc(n)
		return err
	})
	if err != nil {
		g.budget.Give(n)
		if isOutOfMemory(err) {
			err = g.short(n)
		}
		return piece{}, err
	}
	return p, nil
}

// give gives memory back.
func (g *gpu) give(p piece) error {
	if p.bytes == 0 {
		return nil
	}
	err := g.undo("free memory", func() error { return cu.MemFree(p.at) })
	if err == nil {
		g.budget.Give(p.bytes)
	}
	return err
}

// free returns how much memory of the device nobody has.
func (g *gpu) free() (n int64, err error) {
	err = g.try("ask how much memory is free", func() (err error) {
		n, _, err = cu.MemInfo()
		return err
	})
	return n, err
}

// short returns the error of memory that the program may take and the device has not: others have
// it.
func (g *gpu) short(n int64) error {
	used, _ := g.budget.Used()
	free, err := g.free()
	if err != nil {
		free = 0
	}
	return &device.MemoryError{Place: g.info.Place, Asked: n, Used: used, Limit: min(used+free, g.budget.Limit())}
}
