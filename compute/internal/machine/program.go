package machine

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/tstore/tstore/dtype"
)

// registerBytes is the size of a register in a program that has some. The registers of a few
// instructions and the blocks of their inputs then fit in the first cache together.
const registerBytes = 8 << 10

// wholeBytes is the size of a block in a program that needs no registers.
const wholeBytes = 128 << 10

// A Program is a list of instructions that makes outputs from inputs. It is immutable and safe for
// concurrent use; see Worker for running it.
type Program struct {
	instrs  []instr // operands before what uses them
	inputs  []Value // the instruction of each input, -1 if nothing uses it
	outputs []Value
	block   int // elements
	largest int // bytes of the largest element of any value
	stop    *atomic.Bool
	kernels bool // whether machine code is not wanted
	native  bool // whether machine code is wanted, of enough elements
	elems   int  // how many are computed in all, if it is
}

// Program returns the instructions that the outputs need. Operations on floats without registers
// work in place if there is a kernel for that. Only Reset may be called on the Builder afterwards.
func (b *Builder) Program() *Program {
	b.merge()
	p := &Program{instrs: make([]instr, 0, len(b.read)+len(b.outputs)), inputs: make([]Value, len(b.read)), outputs: make([]Value, len(b.outputs))}
	for k := range p.inputs {
		p.inputs[k] = -1
	}
	renumbered := make([]Value, len(b.instrs)) // counted from 1, 0 for what is not taken yet
	for j, v := range b.outputs {
		p.outputs[j] = p.take(b, v, renumbered)
	}
	p.measure()
	return p
}

// take appends the instruction of v to p, after those it needs, and returns its number in p.
func (p *Program) take(b *Builder, v Value, renumbered []Value) Value {
	if to := renumbered[v]; to > 0 {
		return to - 1
	}
	i := b.instrs[v]
	for k := range i.numArgs() {
		i.args[k] = p.take(b, i.args[k], renumbered)
	}
	to := Value(len(p.instrs))
	renumbered[v] = to + 1
	if i.kind == input {
		p.inputs[i.input] = to
	}
	p.instrs = append(p.instrs, i)
	return to
}

// measure chooses the elements of a block: a multiple of 64, the same on every machine.
func (p *Program) measure() {
	p.largest = 1
	for i := range p.instrs {
		p.largest = max(p.largest, p.instrs[i].result.Size())
	}
	p.block = registerBytes / p.largest
	if p.NumOperations() <= 1 && len(p.outputs) == 1 {
		p.block = wholeBytes / p.largest
	}
}

// OutputTypes returns the types of the outputs.
func (p *Program) OutputTypes() []dtype.Type {
	types := make([]dtype.Type, len(p.outputs))
	for j, v := range p.outputs {
		types[j] = p.instrs[v].result
	}
	return types
}

// BlockElems returns the largest number of elements that Eval computes at once.
func (p *Program) BlockElems() int { return p.block }

// SmallBlockElems returns the number of elements that fit in a register which shares the first
// cache with others: the better size of a block where inputs are gathered.
func (p *Program) SmallBlockElems() int { return min(p.block, registerBytes/p.largest) }

// Until returns p with a switch. Once stop is set, operations and copies are left out: a block
// takes hardly any time, and its values are anything.
func (p *Program) Until(stop *atomic.Bool) *Program {
	stoppable := *p
	stoppable.stop = stop
	return &stoppable
}

// NumOperations returns the number of kernels that one block takes, besides gathering its inputs.
func (p *Program) NumOperations() int {
	n := 0
	for i := range p.instrs {
		if kind := p.instrs[i].kind; kind == apply || kind == convert {
			n++
		}
	}
	return n
}

// IsCopy reports whether the only output is the only input as it is.
func (p *Program) IsCopy() bool {
	return len(p.instrs) == 1 && p.instrs[0].kind == input && len(p.outputs) == 1
}

// RegisterBytes bounds the memory that one worker allocates for registers.
func (p *Program) RegisterBytes() int64 {
	return int64(len(p.instrs)) * int64(p.SmallBlockElems()) * int64(p.largest)
}

// String lists the instructions, one a line.
func (p *Program) String() string {
	var text strings.Builder
	for v := range p.instrs {
		i := &p.instrs[v]

		fmt.Fprintf(&text, "v%d %s = ", v, i.result)
		switch i.kind {
		case input:
			fmt.Fprintf(&text, "input %d", i.input)
		case constant:
			fmt.Fprintf(&text, "%v", i.scalar)
		case convert:
			fmt.Fprintf(&text, "convert v%d", i.args[0])
		case apply:
			fmt.Fprintf(&text, "%v", i.op)
			for k := range i.numArgs() {
				fmt.Fprintf(&text, " v%d", i.args[k])
			}
		}

		text.WriteByte('\n')
	}

	for j, v := range p.outputs {
		fmt.Fprintf(&text, "output %d = v%d\n", j, v)
	}

	return text.String()
}
