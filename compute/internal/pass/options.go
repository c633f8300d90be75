package pass

import (
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/offload"
)

// Options say how the passes of a plan run.
type Options struct {
	graph.Limits
	Pread bool // files are read by system calls, and not through their mappings
	Code  Code

	// Engine computes the passes that it has code for; nil leaves all to the CPU. It is the caller's.
	Engine *offload.Engine

	// Progress is called now and then, by one goroutine at a time; nil for nobody.
	Progress func(Progress)
}

// A Progress is how far a plan has come.
type Progress struct {
	Done, Total  int64 // bytes of operands read and of results written
	Pass, Passes int   // the pass that runs, from 1, and how many there are
}

// A Code says what computes elements: each gives the same bits, except for the payloads of NaNs.
type Code uint8

// The codes.
const (
	AnyCode     Code = iota // machine code where it pays, else kernels
	KernelCode              // one loop for each operation, block by block
	MachineCode             // machine code as far as there is some for the operations, else kernels
)

// program returns p for a pass over some elements.
func (c Code) program(p *machine.Program, elems int) *machine.Program {
	switch c {
	case KernelCode:
		return p.Kernels()
	case MachineCode:
		return p.Native(machine.Always)
	default:
		return p.Native(elems)
	}
}
