package cudabridge

import (
	"errors"

	"github.com/tstore/tstore/mmapstore"
)

// ErrUnavailable: this program was built without CUDA.
var ErrUnavailable = errors.New("no CUDA in this build: build with -tags cuda on a machine with the CUDA headers")

// Device is one GPU.
type Device struct {
	// Place is how the rest of tstore names it: gpu:0, gpu:1, ….
	Place mmapstore.Place
	// Name is the vendor's, such as "NVIDIA H200".
	Name string
	// TotalBytes is the size of its memory.
	TotalBytes int64
	// Major and Minor are its compute capability.
	Major, Minor int
}

// Devices lists the GPUs, in the driver's order. It may be called from any goroutine.
func Devices() ([]Device, error) { return devices() }
