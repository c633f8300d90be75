//go:build cuda && linux

package main

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/mmapstore"
)

// useGPU opens a GPU, of whose memory the command takes memory bytes at most; 0 leaves that to
// cudabridge.
func (a *app) useGPU(place mmapstore.Place, memory int64) (err error) {
	a.gpu, err = openGPU(place, memory)
	return err
}

// mayUseGPU has the command compute on the first GPU what that is expected to do faster.
func (a *app) mayUseGPU(memory int64) {
	gpu := &lazyGPU{place: mmapstore.GPU(0), memory: memory}
	a.gpu, a.rates = gpu, gpu.rates
}

// handOver does nothing: this is the program for GPUs.
func (a *app) handOver() error { return nil }

func openGPU(place mmapstore.Place, memory int64) (device.Device, error) {
	list, err := cudabridge.Devices()
	if err != nil {
		return nil, err
	}
	if n, _ := place.GPU(); n >= len(list) {
		return nil, fmt.Errorf("the driver has %s, the last of them %v", plural(len(list), "GPU"), list[len(list)-1].Place)
	}
	return cudabridge.Open(place, &cudabridge.Options{MemoryLimit: memory})
}

// measureGPU returns how fast a GPU is, which is kept for commands that choose.
func measureGPU(ctx context.Context, place mmapstore.Place) (measure.Rates, error) {
	gpu := &lazyGPU{place: place}
	defer gpu.Close()
	d, err := gpu.open()
	if err != nil {
		return measure.Rates{}, err
	}
	return new(measure.Cache).Measure(ctx, d)
}
