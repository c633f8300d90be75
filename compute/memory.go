package compute

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// unknownMemory is the limit where neither a cgroup nor the system says how much memory there is.
const unknownMemory = 1 << 30

// complete checks options and fills in the defaults.
func (o *Options) complete() error {
	switch {
	case o.Parallelism < 0:
		return fmt.Errorf("parallelism %d: expected a number of workers, or 0 for one a processor", o.Parallelism)
	case o.MemoryLimit < 0:
		return fmt.Errorf("memory limit of %d bytes: expected a positive number, or 0 for what the machine allows", o.MemoryLimit)
	case !(o.CheckDevice >= 0 && o.CheckDevice <= 1):
		return fmt.Errorf("check %v of what the device computes: expected a share from 0 to 1", o.CheckDevice)
	case int(o.IO) >= len(ioModes):
		return fmt.Errorf("%v: expected one of %v", o.IO, ioModes)
	}

	if int(o.Backend) >= len(backends) {
		return fmt.Errorf("%v: expected one of %v", o.Backend, backends)
	}

	if o.Parallelism == 0 {
		o.Parallelism = runtime.GOMAXPROCS(0)
	}
	if o.MemoryLimit == 0 {
		o.MemoryLimit = machineMemory()
	}
	return nil
}

// MachineMemory returns the memory, in bytes, that computing takes at most where Options set no
// limit: what the process's cgroup or the machine allows.
func MachineMemory() int64 { return machineMemory() }

// machineMemory returns the memory that the process may use, as it was at the first call: the limit
// of its cgroup, or the memory of the machine.
var machineMemory = sync.OnceValue(func() int64 {
	for _, provider := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem} {
		if limit, err := provider(); err == nil && limit > 0 && limit < 1<<62 {
			return int64(limit)
		}
	}
	return unknownMemory
})
