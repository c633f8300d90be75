//go:build cuda && linux

package main

import (
	"context"
	"sync"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/mmapstore"
)

// A lazyGPU is a GPU that is opened when it is needed first: that takes longer than most commands.
type lazyGPU struct {
	place  mmapstore.Place
	memory int64 // bytes to take at most; 0 leaves that to cudabridge
	cache  measure.Cache
	once   sync.Once
	gpu    device.Device
	err    error // of open
}

// open opens the GPU, unless that was done.
func (g *lazyGPU) open() (device.Device, error) {
	g.once.Do(func() { g.gpu, g.err = openGPU(g.place, g.memory) })
	return g.gpu, g.err
}

// rates are compute.Options.DeviceRates.
func (g *lazyGPU) rates(ctx context.Context, _ device.Device) (measure.Rates, error) {
	d, err := g.open()
	if err != nil {
		return measure.Rates{}, err
	}
	return g.cache.Rates(ctx, d)
}

// Place implements mmapstore.Allocator.
func (g *lazyGPU) Place() mmapstore.Place { return g.place }

// Info implements device.Device. It knows the place alone where there is no GPU.
func (g *lazyGPU) Info() device.Info {
	d, err := g.open()
	if err != nil {
		return device.Info{Place: g.place}
	}
	return d.Info()
}

// Alloc implements mmapstore.Allocator.
func (g *lazyGPU) Alloc(n int64) (mmapstore.Block, error) {
	d, err := g.open()
	if err != nil {
		return mmapstore.Block{}, err
	}
	return d.Alloc(n)
}

// Compile implements device.Device.
func (g *lazyGPU) Compile(text string) (device.Module, error) {
	d, err := g.open()
	if err != nil {
		return nil, err
	}
	return d.Compile(text)
}

// NewQueue implements device.Device.
func (g *lazyGPU) NewQueue() (device.Queue, error) {
	d, err := g.open()
	if err != nil {
		return nil, err
	}
	return d.NewQueue()
}

// Close implements device.Device.
func (g *lazyGPU) Close() error {
	g.once.Do(func() { g.err = mmapstore.ErrClosed })
	if g.gpu == nil {
		return nil
	}
	return g.gpu.Close()
}
