//go:build cuda && linux

package main

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/mmapstore"
)

// errComputesOnCPU refuses devices, which this program lists and does not compute on.
var errComputesOnCPU = errors.New("the GPU is there, but this revision of tstore computes on the CPU alone (docs/gpu.md)")

// useGPU returns why nothing can be computed on a GPU.
func (a *app) useGPU(place mmapstore.Place) error {
	list, err := cudabridge.Devices()
	if err != nil {
		return err
	}
	if n, _ := place.GPU(); n >= len(list) {
		return fmt.Errorf("the driver has %s, the last of them %v", plural(len(list), "GPU"), list[len(list)-1].Place)
	}
	return errComputesOnCPU
}

// handOver does nothing: this is the program for GPUs.
func (a *app) handOver() error { return nil }
