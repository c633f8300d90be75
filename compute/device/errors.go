package device

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/tstore/tstore/mmapstore"
)

// ErrLost: the device has failed or does not answer, and this program can't use it any more.
var ErrLost = errors.New("the device is lost")

// A MemoryError says that a device has not as much memory as was asked for, or the host not as much
// that a device can copy from and to.
type MemoryError struct {
	Place mmapstore.Place // CPU for memory of the host
	Asked int64           // bytes
	Used  int64           // bytes that this program has taken
	Limit int64           // bytes that it may take; 0 where the system has no more for it
}

// Error implements error.
func (e *MemoryError) Error() string {
	size := func(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }
	switch {
	case e.Place != mmapstore.CPU:
		return fmt.Sprintf("%v: no room for %s: %s of %s are in use", e.Place, size(e.Asked), size(e.Used), size(e.Limit))
	case e.Limit > 0:
		return fmt.Sprintf("%s of host memory to copy from and to a device: the memory limit has %s for it", size(e.Asked), size(e.Limit))
	}
	return fmt.Sprintf("the system has no %s of host memory for a device to copy from and to", size(e.Asked))
}
