package jit

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// SumLanes returns the number of accumulators of a sum of elements of type t: element i is added to accumulator i modulo SumLanes.
// It is 0 of types that are not added up.
func SumLanes(t dtype.Type) int {
	switch t {
	case dtype.Float32:
		return 32
	case dtype.Float64:
		return 16
	}
	return 0
}

// An addend is what a program adds up: a node of float64s.
type addend struct {
	node        int
	lanes       int
	compensated bool // whether what rounding loses is added up as well
}

func (l *lowering) addend(v value) addend {
	lanes := SumLanes(v.typ)
	if lanes == 0 {
		refuse("sums of type %v", v.typ)
	}
	return addend{
		node: l.vector(l.convert(v, dtype.Float64).node), lanes: lanes,
		compensated: kernel.FoldSum.Compensated(v.typ),
	}
}

// numSpare is the number of registers that adding takes.
const numSpare = 3

// perVector returns the number of accumulators in a register.
func (isa *instructionSet) perVector() int { return isa.bytes / 8 }

// sum writes the function of a program that adds values up. Accumulators are the highest registers: they are loaded before the
// loop and stored after it. Vectors of values are computed as many at once as there is room for.
func (e *emitter) sum(l *lowering) {
	lanes, top, spare := l.sums[0].lanes, e.isa.vectors, 0
	var kept []int
	for _, s := range l.sums {
		if s.lanes != lanes {
			refuse("sums of different types")
		}
		top -= lanes / e.isa.perVector()
		if s.compensated {
			top -= lanes / e.isa.perVector()
			spare = numSpare
		}
		kept = append(kept, s.node)
	}
	top -= spare
	e.plan = allocate(l.nodes, kept)
	e.copies = lanes / e.isa.perVector()
	together := e.copies
	for together > 0 && (together*e.plan.vectors > top || together*e.plan.masks > numMasks) {
		together /= 2
	}
	switch {
	case e.lanes != e.isa.perVector():
		refuse("sums beside elements of %d lanes", e.lanes)
	case together == 0:
		refuse("more values at once than there are registers")
	case len(e.inputs)+2*len(l.sums) > len(pointers):
		refuse("more than %d operands", len(pointers))
	}
	e.enter(2 * len(l.sums))
	e.accumulators(l.sums, func(register int, p place) { e.vector(moveBySize[8].load, e.isa.bytes, register, 0, p) })
	e.subtract(rcx, rcx)
	loop := len(e.code)
	e.compare(rsi, rcx)
	done := e.jump(notGreater...)
	for e.first = 0; e.first < e.copies; e.first += together {
		e.nodesOf(together)
		above := e.isa.vectors
		for _, s := range l.sums {
			above = e.addUp(&s, above, top, together)
		}
	}
	e.arithmetic(0, rcx, int32(lanes))
	e.land(e.jump(always...), loop)
	e.land(done, len(e.code))
	e.accumulators(l.sums, func(register int, p place) { e.vector(moveBySize[8].store, e.isa.bytes, register, 0, p) })
	e.leave()
}

// accumulators calls move for the registers of all sums, and their places in memory.
func (e *emitter) accumulators(sums []addend, move func(register int, p place)) {
	register, pointer := e.isa.vectors, len(e.inputs)
	each := func() {
		for c := range e.copies {
			register--
			move(register, place{memory: true, base: pointers[pointer], index: -1, disp: int32(c * e.isa.bytes)})
		}
	}
	for _, s := range sums {
		each()
		pointer++
		if s.compensated {
			each()
		}
		pointer++
	}
}

// addUp adds some vectors of a node to its accumulators, which are in the registers below the one given, and returns the lowest of
// these. Those from spare on are free.
func (e *emitter) addUp(s *addend, above, spare, together int) int {
	add, sub := addFloat.longs.encoding, subFloat.longs.encoding
	vector := func(enc encoding, dst, a, b int) { e.vector(enc, e.isa.bytes, dst, a, register(b)) }
	for c := range together {
		acc, x := above-1-e.first-c, e.at(s.node, c)
		if !s.compensated {
			vector(add, acc, acc, x)
			continue
		}
		// Knuth's TwoSum of s and x, in the order of the fold: t, and (s - (t - b)) + (x - b) with b = t - s.
		lost, t, b, y := acc-e.copies, spare, spare+1, spare+2
		vector(add, t, acc, x)
		vector(sub, b, t, acc)
		vector(sub, y, x, b)
		vector(sub, b, t, b)
		vector(sub, b, acc, b)
		vector(add, b, b, y)
		vector(add, lost, lost, b)
		vector(moveVector, acc, 0, t)
	}
	above -= e.copies
	if s.compensated {
		above -= e.copies
	}
	return above
}
