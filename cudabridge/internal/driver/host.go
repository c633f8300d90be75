//go:build cuda && linux

package driver

// #include <cuda.h>
import "C"

import (
	"fmt"
	"unsafe"

	"gorgonia.org/cu"
)

// AllocHost returns pinned memory of the process, which devices copy from and to on their own. flags
// are those of cuMemHostAlloc, which gorgonia.org/cu lacks. A context must be current. The memory is
// not Go's, and lives until FreeHost.
func AllocHost(sizeBytes int64, flags uint) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	if code := C.cuMemHostAlloc(&p, C.size_t(sizeBytes), C.uint(flags)); code != 0 {
		return nil, fmt.Errorf("allocate %d bytes of pinned memory: %w", sizeBytes, newError(cu.Success, int(code)))
	}
	return p, nil
}

// FreeHost gives back what AllocHost returned. A context must be current.
func FreeHost(p unsafe.Pointer) error {
	if code := C.cuMemFreeHost(p); code != 0 {
		return fmt.Errorf("free pinned memory: %w", newError(cu.Success, int(code)))
	}
	return nil
}
