package device

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/tstore/tstore/mmapstore"
)

// ErrLost: the device has failed or does not answer, and this program can't use it any more.
var ErrLost = errors.New("the device is lost")

// A MemoryError says that a device has not as much memory as was asked for.
type MemoryError struct {
	Place mmapstore.Place
	Asked int64 // bytes
	Used  int64 // bytes that this program has taken
	Limit int64 // bytes that it may take
}

// Error implements error.
func (e *MemoryError) Error() string {
	size := func(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }
	return fmt.Sprintf("%v: no room for %s: %s of %s are in use", e.Place, size(e.Asked), size(e.Used), size(e.Limit))
}
