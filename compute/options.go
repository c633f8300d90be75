package compute

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/mmapstore"
)

// Options say how a [Plan] computes. The zero value is a valid choice.
type Options struct {
	Parallelism int   // workers; 0 means GOMAXPROCS
	MemoryLimit int64 // bytes of private and dirty memory; 0 means what the cgroup or the machine allows
	IO          IOMode
	Backend     Backend

	// Device computes what it has code for: element-wise passes, reductions, and products of matrices. Nil is the
	// CPU, which computes the rest as well. What is computed has the same bits, except for the
	// payloads of NaNs. The device is the caller's, and must be there until the plan is closed.
	//
	// Tensors in its memory are read and written there, beside others in host memory. NewPlan and
	// SetDst return an error that wraps mmapstore.ErrPlace if another place computes what is done
	// with them, such as the CPU.
	Device device.Device

	// DeviceRates, if not nil, has Device compute only what it is expected to compute 1.25 times as
	// fast as the CPU. DeviceRates is called when a pass is large enough for that, with Device, and
	// returns how fast it is: measure.Cache has a method for it. Where the device has too little
	// memory, or fails, the CPU computes what is not stored.
	DeviceRates func(ctx context.Context, d device.Device) (measure.Rates, error)

	// CheckDevice is the share of what the device computes that the CPU computes as well, from 0 to 1:
	// of the chunks of element-wise passes, of the boxes of reductions, whose accumulators are
	// compared, and of the strips of tiles of products. Which ones is random. A bit that differs,
	// but for those of NaNs, is an ErrDeviceMismatch, and Plan.String says how many were compared.
	// Passes over tensors that are on the device are not: the CPU can't compute on these.
	CheckDevice float64

	// Progress is called now and then while the plan runs, by one goroutine at a time.
	Progress func(Progress)

	// Scratch allocates results, and what is kept between passes. It is given back when the plan is
	// closed. If Scratch is nil, memory is used: the heap, or from 16 MiB on memory of the system.
	// The system gets it back as soon as it is released, and hands it out cleared. Storages on Device
	// are for plans that it computes alone.
	Scratch func(size int64) (*mmapstore.Storage, error)
}

// codes maps backends to the codes of passes.
var codes = [...]pass.Code{BackendAuto: pass.AnyCode, BackendKernels: pass.KernelCode, BackendMachineCode: pass.MachineCode}

// stagingShare is the part of the memory limit that a device may copy from and to.
const stagingShare = 8

// passes returns how the passes of a plan run by complete options. Its engine, if there is one, is
// to be closed.
func (o *Options) passes() pass.Options {
	made := pass.Options{Limits: o.limits(), Pread: o.IO == IOPread, Code: codes[o.Backend]}
	if o.Device != nil {
		made.Engine = offload.New(o.Device, o.Parallelism, o.MemoryLimit/stagingShare)
		made.Engine.CheckShare = o.CheckDevice
		if d, rates := o.Device, o.DeviceRates; rates != nil {
			made.Engine.Auto = offload.NewAuto(func(ctx context.Context) (measure.Rates, error) { return rates(ctx, d) })
		}
	}
	if report := o.Progress; report != nil {
		made.Progress = func(p pass.Progress) { report(Progress(p)) }
	}
	return made
}

// limits returns those that complete options set.
func (o *Options) limits() graph.Limits {
	return graph.Limits{Parallelism: o.Parallelism, MemoryLimit: o.MemoryLimit, Scratch: o.Scratch}
}

// Progress is how far a [Plan] has come.
type Progress struct {
	Done, Total  int64 // bytes of operands read and of results written
	Pass, Passes int   // the pass over memory that runs, from 1, and how many there are
}

// An IOMode says how elements of mapped files are reached.
type IOMode uint8

// The modes.
const (
	IOAuto   IOMode = iota // whichever suits the file and its file system
	IOMapped               // through the mapping
	IOPread                // by reading into buffers
)

var ioModes = [...]string{"auto", "mapped", "pread"}

// String returns the name of the mode, such as "pread".
func (m IOMode) String() string {
	if int(m) >= len(ioModes) {
		return fmt.Sprintf("IOMode(%d)", uint8(m))
	}
	return ioModes[m]
}
