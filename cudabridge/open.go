package cudabridge

import (
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// Options configures Open. The zero value of each field is a default.
type Options struct {
	// MemoryLimit is how many bytes of the device's memory may be taken; three quarters of what is
	// free if it is 0. What the driver needs for itself does not count.
	MemoryLimit int64
	// Patience is how long the Close of a queue or of the device waits for a device that does not
	// answer, before that is lost; a second if it is 0.
	Patience time.Duration
}

// Open opens a GPU for computing, with a context of its own. Each must be closed. o may be nil. It
// has the errors of Devices.
func Open(place mmapstore.Place, o *Options) (device.Device, error) {
	var all Options
	if o != nil {
		all = *o
	}
	if all.Patience == 0 {
		all.Patience = time.Second
	}
	return open(place, &all)
}
