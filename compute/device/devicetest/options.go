package devicetest

import (
	"time"

	"github.com/tstore/tstore/mmapstore"
)

// Options configures New. The zero value of each field is a default.
type Options struct {
	// Place is where the memory is; gpu:0 if it is CPU.
	Place mmapstore.Place
	// MemoryBytes is how much may be taken; 64 MiB if it is 0.
	MemoryBytes int64
	// Major and Minor are the compute capability; 9.0 if Major is 0. Code for a later one is refused.
	Major, Minor int
	// Seed chooses what queues do late. Each does it in another way.
	Seed uint64
	// Latency is how long each operation of a queue takes at least.
	Latency time.Duration
	// Patience is how long Close waits for a stalled queue before the device is lost; 10 ms if it
	// is 0.
	Patience time.Duration
	// Faults are calls that fail.
	Faults []Fault
}

// withDefaults returns the options with all fields set. o may be nil.
func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	if all.Place == mmapstore.CPU {
		all.Place = mmapstore.GPU(0)
	}
	if all.MemoryBytes == 0 {
		all.MemoryBytes = 64 << 20
	}
	if all.Major == 0 {
		all.Major, all.Minor = 9, 0
	}
	if all.Patience == 0 {
		all.Patience = 10 * time.Millisecond
	}
	return all
}
