package jit

import (
	"errors"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// Code is a compiled Program. It is immutable and safe for concurrent use.
type Code struct {
	memory   []byte
	size     int
	literals []uint64
}

// vectorBytes is the length of the longest vectors.
const vectorBytes = 64

// ISA names the instruction set of the code that Compile makes here, "" if it makes none.
func ISA() string {
	if !executable || kernel.ISA() != "avx512" {
		return ""
	}
	return kernel.ISA()
}

// Compile makes code of a program. An UnsupportedError says that there is none for it; other errors say that the system
// gives no memory for code.
func Compile(p *Program) (*Code, error) {
	if ISA() == "" {
		return nil, &UnsupportedError{"this processor or system"}
	}
	code, literals, err := assemble(p)
	if err != nil {
		return nil, err
	}
	if mapped.Add(1) > maxMapped {
		mapped.Add(-1)
		return nil, errTooMuch
	}
	c := &Code{size: len(code), literals: literals}
	if c.memory, err = mapPages(code); err != nil {
		mapped.Add(-1)
		return nil, err
	}
	runtime.AddCleanup(c, release, c.memory)
	return c, nil
}

// maxMapped is how much Code may have pages at once: a system gives a process some 65,000 mappings, of all kinds.
const maxMapped = 1024

// mapPages is mapCode, but in tests.
var mapPages = mapCode

// mapped counts the Code that has pages.
var mapped atomic.Int64

var errTooMuch = errors.New("too much machine code is in use")

func release(memory []byte) {
	unmapCode(memory)
	mapped.Add(-1)
}

// assemble returns the bytes of the code of a program, and the constants that it needs behind the scalars.
func assemble(p *Program) (code []byte, literals []uint64, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *UnsupportedError:
			err = r
		default:
			panic(r)
		}
	}()
	l := lower(p)
	e := &emitter{nodes: l.nodes, outputs: l.outputs, stream: p.Stream, lanes: lanes(l.nodes)}
	for _, t := range p.Inputs {
		e.inputs = append(e.inputs, t.Size())
	}
	if len(p.Sums) > 0 {
		e.sum(l)
	} else {
		e.plan = allocate(l.nodes, l.outputs)
		e.loop()
	}
	return e.code, l.literals, nil
}

// lanes returns the number of elements of a vector: those of the largest size fill one.
func lanes(nodes []node) int {
	largest := 0
	for i := range nodes {
		if f := nodes[i].do.form; f != formScalar && f != formLoad {
			largest = max(largest, nodes[i].size)
		}
	}
	if largest < 4 {
		refuse("small elements alone")
	}
	for i := range nodes {
		largest = max(largest, nodes[i].size)
	}
	return vectorBytes / largest
}

// Constants returns a new block of constants for calls of c, of a program with the given number of scalars. Each takes a
// word, from its first byte on; those behind them must not be changed.
func (c *Code) Constants(scalars int) []uint64 {
	block := make([]uint64, scalars+len(c.literals))
	copy(block[scalars:], c.literals)
	return block
}

// Size returns the bytes of instructions.
func (c *Code) Size() int { return c.size }

// Call computes n elements. args holds the addresses of the constants, of the first element of each input, and of where that of
// each output goes; or, of a program with sums, of the accumulators of each and of what they have lost, nil of float32. n is a
// multiple of [SumLanes] then. An output may lie at the addresses of inputs with elements of its size if it is the only one;
// otherwise outputs overlap nothing. Nothing beyond the n elements is read or written.
//
// Like kernel.Call, it has a stack frame, whose entry is the point where the scheduler can stop a loop over calls.
//
//go:noinline
func (c *Code) Call(args []unsafe.Pointer, n int) {
	call(unsafe.Pointer(unsafe.SliceData(c.memory)), unsafe.Pointer(unsafe.SliceData(args)), n)
	runtime.KeepAlive(c)
	runtime.KeepAlive(args)
}
