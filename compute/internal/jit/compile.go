package jit

import (
	"errors"
	"runtime"
	"sync/atomic"
)

// Code is a compiled Program. It is immutable and safe for concurrent use.
type Code struct {
	memory   []byte
	size     int
	literals []uint64
	operands []int // bytes of an element of each operand in memory
	inputs   int   // how many of them are read
	step     int   // the instructions compute multiples of this number of elements
}

// Compile makes machine code for a program. It returns an UnsupportedError if no code exists for
// it, and other errors if the system gives no memory for code.
func Compile(p *Program) (*Code, error) { return compileFor(target(), p) }

func compileFor(isa *instructionSet, p *Program) (*Code, error) {
	if isa == nil {
		return nil, &UnsupportedError{"this processor or system"}
	}

	code, c, err := assemble(isa, p)
	if err != nil {
		return nil, err
	}

	// Count before mapping: mappings are a scarce resource of the whole process.
	if mapped.Add(1) > maxMapped {
		mapped.Add(-1)
		return nil, errTooMuch
	}

	if c.memory, err = mapPages(code); err != nil {
		mapped.Add(-1)
		return nil, err
	}

	runtime.AddCleanup(c, release, c.memory)
	return c, nil
}

// maxMapped is how much Code may have pages at once: a system gives a process some 65,000 mappings,
// of all kinds.
const maxMapped = 1024

// mapPages is mapCode; tests replace it.
var mapPages = mapCode

// mapped counts the Code that has pages.
var mapped atomic.Int64

var errTooMuch = errors.New("too much machine code is in use")

func release(memory []byte) {
	unmapCode(memory)
	mapped.Add(-1)
}

// assemble returns the instructions of a program, and the Code of them that has no memory yet.
func assemble(isa *instructionSet, p *Program) (code []byte, c *Code, err error) {
	err = refusal(func() { code, c = emit(isa, p) })
	return code, c, err
}

func emit(isa *instructionSet, p *Program) (code []byte, c *Code) {
	l := lower(isa, p)
	e := &emitter{isa: isa, stream: p.Stream, lanes: l.lanes(isa)}

	if !isa.wide {
		l.narrow(e.lanes)
	}

	e.nodes, e.outputs = l.nodes, l.outputs
	for _, t := range p.Inputs {
		e.inputs = append(e.inputs, t.Size())
	}
	c = &Code{literals: l.literals, operands: e.operands(), inputs: len(e.inputs), step: 1}

	if len(p.Folds) > 0 {
		e.fold(l)
	} else {
		e.plan = allocate(l.nodes, l.outputs)
		e.loop()
		if !isa.wide {
			c.step = e.lanes
		}
	}

	c.size = len(e.code)
	return e.code, c
}

// Constants returns a new block of constants for calls of c, of a program with the given number of
// scalars. Each takes a word, from its first byte on; those behind them must not be changed.
func (c *Code) Constants(scalars int) []uint64 {
	block := make([]uint64, scalars+len(c.literals))
	copy(block[scalars:], c.literals)
	return block
}

// Size returns the bytes of instructions.
func (c *Code) Size() int { return c.size }

// lanes returns the number of elements of a vector: those of the largest size fill one.
func (l *lowering) lanes(isa *instructionSet) int {
	largest := 0
	for i := range l.nodes {
		n := &l.nodes[i]
		if !isa.wide && (n.do == &uintFloat || n.do == &floatLong) {
			largest = 8 // on the way
		}
		largest = max(largest, n.size)
	}
	return isa.bytes / largest
}
