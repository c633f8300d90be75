package compute

import (
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/machine"
)

// PassOptions say how the passes of a plan run.
type passOptions struct {
	graph.Limits
	Pread bool // files are read by system calls, and not through their mappings
	Code  code

	// Progress is called now and then, by one goroutine at a time; nil for nobody.
	Progress func(passProgress)
}

// A passProgress is how far a plan has come.
type passProgress struct {
	Done, Total  int64 // bytes of operands read and of results written
	Pass, Passes int   // the pass that runs, from 1, and how many there are
}

// A code says what computes elements: each gives the same bits, except for the payloads of NaNs.
type code uint8

// The codes.
const (
	anyCode     code = iota // machine code where it pays, else kernels
	kernelCode              // one loop for each operation, block by block
	machineCode             // machine code as far as there is some for the operations, else kernels
)

// program returns p for a pass over some elements.
func (c code) program(p *machine.Program, elems int) *machine.Program {
	switch c {
	case kernelCode:
		return p.Kernels()
	case machineCode:
		return p.Native(machine.Always)
	default:
		return p.Native(elems)
	}
}
