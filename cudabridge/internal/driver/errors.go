package driver

import (
	"errors"
	"fmt"
)

// ErrMissing: there is no library of a driver.
var ErrMissing = errors.New("no NVIDIA driver")

// NoDevice is the Code of a driver that has no GPU: CUDA_ERROR_NO_DEVICE.
const NoDevice = 100

// Error is an error of the driver.
type Error struct {
	// Code is a CUresult.
	Code int
	// Words are the driver's, and empty if it has none.
	Words string
}

// Error returns the driver's words and its code.
func (e *Error) Error() string {
	if e.Words == "" {
		return fmt.Sprintf("CUDA error %d", e.Code)
	}
	return fmt.Sprintf("%s (CUDA error %d)", e.Words, e.Code)
}
