package cudabridge

import (
	"fmt"

	"github.com/tstore/tstore/mmapstore"
)

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

// Version is a version of CUDA.
type Version struct{ Major, Minor int }

// String returns the version as NVIDIA writes it, such as "12.9".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Devices lists the GPUs, in the driver's order, which $CUDA_VISIBLE_DEVICES changes. Without any
// it returns ErrNoDevice, ErrNoDriver, ErrOldDriver, ErrUnavailable, or what the driver says. It
// may be called from any goroutine.
func Devices() ([]Device, error) { return devices() }

// DriverVersion returns the newest version of CUDA that the driver knows, with the errors of
// Devices.
func DriverVersion() (Version, error) { return driverVersion() }
