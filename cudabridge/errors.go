package cudabridge

import (
	"errors"

	"github.com/tstore/tstore/cudabridge/internal/driver"
)

var (
	// ErrUnavailable: this program was built without CUDA.
	ErrUnavailable = errors.New("this program was built without CUDA")
	// ErrNoDriver: the driver's library could not be loaded. The error says why in the words of
	// the system.
	ErrNoDriver = driver.ErrMissing
	// ErrOldDriver: the driver knows no CUDA as new as it takes.
	ErrOldDriver = errors.New("the NVIDIA driver is too old")
	// ErrNoDevice: the driver has no GPU for this process.
	ErrNoDevice = errors.New("the NVIDIA driver has no GPU for this process")
)
