package jit

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A Fold takes a value of a program into accumulators, as the fold of package kernel does.
type Fold struct {
	Op    kernel.FoldOp
	Value int
}

// FoldLanes returns the number of accumulators of a fold of elements of type t: element i goes into
// accumulator i modulo FoldLanes. It is 0 where there is no code for the fold.
func FoldLanes(op kernel.FoldOp, t dtype.Type) int {
	const most = 128 // bytes of elements
	number := t.Kind() == dtype.KindInt || t.Kind() == dtype.KindUint || t == dtype.Float32 || t == dtype.Float64

	switch op {
	case kernel.FoldSum:
		number = number || t == dtype.Bool
	case kernel.FoldSumSquares:
		number = number && t.Kind() == dtype.KindFloat
	case kernel.FoldProd:
		number = number && t.Kind() != dtype.KindFloat
	case kernel.FoldMin, kernel.FoldMax, kernel.FoldFMin, kernel.FoldFMax:
		number = number && t.Size() >= 4
	default:
		number = false
	}

	if !number {
		return 0
	}
	return min(32, most/t.Size())
}

// An addend is a value that a program folds.
type addend struct {
	node  int
	lanes int
	size  int // bytes of an accumulator

	compensated bool         // whether what rounding loses is added up as well
	do          *instruction // of an accumulator and the node
	nan         nanOf
}

// A nanOf says which operand an extreme of floats must be checked for: do gives the accumulator
// where either is NaN.
type nanOf uint8

const (
	noNaN    nanOf = iota
	ofNode         // where it is NaN, it is the result
	ofResult       // where the accumulator is NaN, the node is the result
)

func (l *lowering) addend(op kernel.FoldOp, v value) addend {
	a := addend{lanes: FoldLanes(op, v.typ), size: 8, compensated: op.Compensated(v.typ)}
	switch {
	case a.lanes == 0:
		refuse("folds of type %v", v.typ)
	case op >= kernel.FoldMin:
		a.size, a.node = v.typ.Size(), l.vector(v.node)
		a.do, a.nan = extremeFold(op, v.typ)
		if !l.isa.wide && a.size == 8 && v.typ.Kind() != dtype.KindFloat {
			refuse("extremes of type %v by AVX2", v.typ)
		}
		return a
	}

	// Sums and products are of numbers of 8 bytes, so that they don't overflow where the elements
	// do.
	wide, sum := dtype.Int64, &addInt.longs
	switch v.typ.Kind() {
	case dtype.KindFloat:
		wide, sum = dtype.Float64, &addFloat.longs
	case dtype.KindUint:
		wide = dtype.Uint64
	}
	a.node, a.do = l.vector(l.convert(v, wide).node), sum

	switch op {
	case kernel.FoldSumSquares:
		a.node = l.binary(&mulFloat.longs, 8, a.node, a.node)
	case kernel.FoldProd:
		if a.do = &mulInt.longs; !l.isa.wide {
			refuse("products of type %v by AVX2", v.typ)
		}
	}

	return a
}

// extremeFold returns the instruction for a fold to the least or the greatest element, and its
// treatment of NaN.
func extremeFold(op kernel.FoldOp, t dtype.Type) (*instruction, nanOf) {
	least := op == kernel.FoldMin || op == kernel.FoldFMin
	pairs := map[dtype.Kind][2]*family{
		dtype.KindFloat: {&maxFloat, &minFloat}, dtype.KindInt: {&maxSigned, &minSigned}, dtype.KindUint: {&maxUnsigned, &minUnsigned},
	}[t.Kind()]
	do := pairs[bit(least, 0)].of(t.Size())
	switch {
	case t.Kind() != dtype.KindFloat:
		return do, noNaN
	case op == kernel.FoldMin || op == kernel.FoldMax:
		return do, ofNode
	}
	return do, ofResult
}

// numSpare is the number of registers that folding takes.
const numSpare = 3

// fold writes the function of a program that folds values. Accumulators are the highest registers:
// they are loaded before the loop and stored after it. Vectors of values are computed as many at
// once as there is room for.
func (e *emitter) fold(l *lowering) {
	lanes, top, spare := l.folds[0].lanes, e.isa.vectors, 0
	e.copies = lanes / e.lanes

	// Count the registers from the top down: accumulators, then what compensated sums and NaN need.
	// Values get what is left.
	var kept []int
	for _, s := range l.folds {
		if s.lanes != lanes {
			refuse("folds of different lengths")
		}
		top -= e.copies
		switch {
		case s.compensated:
			top -= e.copies
			spare = numSpare
		case s.nan != noNaN:
			spare = max(spare, 1)
		}
		kept = append(kept, s.node)
	}

	top -= spare
	e.plan = allocate(l.nodes, kept)

	// Halve the vectors that are computed at once until they fit.
	together := e.copies
	for together > 0 && (together*e.plan.vectors > top || together*e.plan.masks > numMasks) {
		together /= 2
	}

	switch {
	case together == 0:
		refuse("more values at once than there are registers")
	case len(e.inputs)+2*len(l.folds) > len(pointers):
		refuse("more than %d operands", len(pointers))
	}

	e.enter(2 * len(l.folds))
	e.accumulators(l.folds, true)

	e.subtract(rcx, rcx)
	loop := len(e.code)

	e.compare(rsi, rcx)
	done := e.jump(notGreater...)

	for e.first = 0; e.first < e.copies; e.first += together {
		e.nodesOf(together)
		above := e.isa.vectors
		for _, s := range l.folds {
			above = e.take(&s, above, top, together)
		}
	}
	e.arithmetic(0, rcx, int32(lanes))

	e.land(e.jump(always...), loop)
	e.land(done, len(e.code))

	e.accumulators(l.folds, false)
	e.leave()
}

// accumulators loads or stores the accumulators of all folds.
func (e *emitter) accumulators(folds []addend, load bool) {
	register, pointer := e.isa.vectors, len(e.inputs)
	each := func(size int) {
		bytes := size * e.lanes
		for c := range e.copies {
			register--
			at := rm{memory: true, base: pointers[pointer], index: -1, disp: int32(c * bytes)}
			if load {
				e.vector(moveBySize[size].load, bytes, register, 0, at)
			} else {
				e.vector(moveBySize[size].store, bytes, register, 0, at)
			}
		}
	}

	for _, s := range folds {
		each(s.size)
		pointer++
		if s.compensated {
			each(s.size)
		}
		pointer++
	}
}

// take folds some vectors of a node into its accumulators, which are in the registers below the one
// given, and returns the lowest of these. Registers from spare on are free.
func (e *emitter) take(s *addend, above, spare, together int) int {
	for c := range together {
		acc, x := above-1-e.first-c, e.at(s.node, c)
		switch {
		case s.compensated:
			e.twoSum(acc, acc-e.copies, x, spare)
		case s.nan != noNaN:
			e.extreme(s, acc, x, spare)
		default:
			e.vector(s.do.encoding, s.size*e.lanes, acc, acc, register(x))
		}
	}

	above -= e.copies
	if s.compensated {
		above -= e.copies
	}
	return above
}

// twoSum is Knuth's TwoSum of s and x, in the order of the fold: t, and (s - (t - b)) + (x - b)
// with b = t - s.
func (e *emitter) twoSum(acc, lost, x, spare int) {
	add, sub := addFloat.longs.encoding, subFloat.longs.encoding
	vector := func(enc encoding, dst, a, b int) { e.vector(enc, e.isa.bytes, dst, a, register(b)) }
	t, b, y := spare, spare+1, spare+2
	vector(add, t, acc, x)
	vector(sub, b, t, acc)
	vector(sub, y, x, b)
	vector(sub, b, t, b)
	vector(sub, b, acc, b)
	vector(add, b, b, y)
	vector(add, lost, lost, b)
	vector(moveVector, acc, 0, t)
}

// extreme takes the less or the greater of floats: x where the operand that decides is NaN.
func (e *emitter) extreme(s *addend, acc, x, spare int) {
	bytes, of := s.size*e.lanes, x
	if s.nan == ofResult {
		of = acc
	}

	// The comparison comes first, because of may be acc, which the next instruction overwrites.
	// That one returns its last operand, acc, where a value is NaN.
	if e.isa.wide { // there are no loads and stores of some lanes alone here
		e.vector(cmpFloat.of(s.size).encoding, bytes, laneMask, of, register(of))
		e.immediate(floatUnordered)
		e.vector(s.do.encoding, bytes, acc, x, register(acc))
		e.evex(choose.of(s.size).encoding, bytes, acc, acc, register(x), masking{mask: laneMask})
		return
	}

	e.vector(compareFloats.of(s.size).encoding, bytes, spare, of, register(of))
	e.immediate(floatUnordered)
	e.vector(s.do.encoding, bytes, acc, x, register(acc))
	e.vector(blend.of(s.size).encoding, bytes, acc, acc, register(x))
	e.immediate(byte(spare << 4))
}
