//go:build cuda && linux

package main

import (
	"fmt"

	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/mmapstore"
)

// useGPU opens a GPU, of whose memory the command takes memory bytes at most; 0 leaves that to
// cudabridge.
func (a *app) useGPU(place mmapstore.Place, memory int64) error {
	list, err := cudabridge.Devices()
	if err != nil {
		return err
	}
	if n, _ := place.GPU(); n >= len(list) {
		return fmt.Errorf("the driver has %s, the last of them %v", plural(len(list), "GPU"), list[len(list)-1].Place)
	}
	a.gpu, err = cudabridge.Open(place, &cudabridge.Options{MemoryLimit: memory})
	return err
}

// handOver does nothing: this is the program for GPUs.
func (a *app) handOver() error { return nil }
