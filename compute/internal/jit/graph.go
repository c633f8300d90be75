package jit

import "math"

// A node is one instruction on vectors of as many elements as a program has lanes, before it has
// registers.
type node struct {
	do     *instruction
	args   [3]int // nodes, -1 for none
	number int    // the immediate byte, the operand in memory, or the constant
	size   int    // bytes of an element of the result, 0 of a mask
}

// A graph collects the nodes of a program, each after those it needs.
type graph struct {
	nodes    []node
	found    map[node]int
	scalars  int      // constants that a caller sets
	literals []uint64 // the constants after them
}

var unused = [3]int{-1, -1, -1}

// add returns the node that is n, which may be there already.
func (g *graph) add(n node) int {
	if at, ok := g.found[n]; ok {
		return at
	}
	at := g.append(n)
	g.found[n] = at
	return at
}

func (g *graph) append(n node) int {
	g.nodes = append(g.nodes, n)
	return len(g.nodes) - 1
}

// input is the elements of an operand.
func (g *graph) input(k, size int) int {
	return g.add(node{do: &loadInput, args: unused, number: k, size: size})
}

// constant is one for all lanes.
func (g *graph) constant(slot, size int) int {
	return g.add(node{do: &scalarInput, args: unused, number: slot, size: size})
}

// literal is a number with some bits.
func (g *graph) literal(bits uint64, size int) int {
	for i, b := range g.literals {
		if b == bits {
			return g.constant(g.scalars+i, size)
		}
	}
	g.literals = append(g.literals, bits)
	return g.constant(g.scalars+len(g.literals)-1, size)
}

// literalBits returns the bits of a node that is a literal.
func (g *graph) literalBits(v int) (bits uint64, ok bool) {
	n := &g.nodes[v]
	if n.do != &scalarInput || n.number < g.scalars {
		return 0, false
	}
	return g.literals[n.number-g.scalars], true
}

// number is a float.
func (g *graph) number(x float64, size int) int {
	if size == 4 {
		return g.literal(uint64(math.Float32bits(float32(x))), 4)
	}
	return g.literal(math.Float64bits(x), 8)
}

// row is 16 float32s among the constants, for permute.
func (g *graph) row(values *[16]float32) int {
	at := len(g.literals)
	for i := 0; i < len(values); i += 2 {
		g.literals = append(g.literals, uint64(math.Float32bits(values[i]))|uint64(math.Float32bits(values[i+1]))<<32)
	}
	return g.add(node{do: &rowOfScalars, args: unused, number: g.scalars + at, size: 4})
}

func (g *graph) isScalar(v int) bool { return g.nodes[v].do.form == formScalar }

// vector is v in a register.
func (g *graph) vector(v int) int {
	if !g.isScalar(v) {
		return v
	}
	size := g.nodes[v].size
	return g.append(node{do: repeat[size], args: [3]int{v, -1, -1}, size: size})
}

// exchangeable reports whether an instruction makes the same of its operands in either order.
func exchangeable(do *instruction) bool {
	for _, p := range []*family{&addFloat, &mulFloat, &addInt, &mulInt, &minSigned, &minUnsigned, &maxSigned, &maxUnsigned, &and, &or, &xor} {
		switch do {
		case &p.bytes, &p.shorts, &p.words, &p.longs:
			return true
		}
	}
	return false
}

// unary, binary, fused and choose add instructions on elements of a size. A scalar is the last
// operand where it can be, and is put into a register where it can't.

func (g *graph) unary(do *instruction, size, a int) int { return g.unaryBy(do, size, a, 0) }

func (g *graph) unaryBy(do *instruction, size, a, number int) int {
	if do.element == 0 || do.form != formUnary {
		a = g.vectorUnlessMask(do, a)
	}
	return g.add(node{do: do, args: [3]int{a, -1, -1}, number: number, size: size})
}

func (g *graph) vectorUnlessMask(do *instruction, a int) int {
	if do.takesMask || do.form == formNot {
		return a
	}
	return g.vector(a)
}

func (g *graph) binary(do *instruction, size, a, b int) int { return g.binaryBy(do, size, a, b, 0) }

func (g *graph) binaryBy(do *instruction, size, a, b, number int) int {
	if do.form == formMasks {
		return g.add(node{do: do, args: [3]int{a, b, -1}})
	}
	if g.isScalar(a) && !g.isScalar(b) && exchangeable(do) {
		a, b = b, a
	}
	a = g.vector(a)
	if do.element == 0 {
		b = g.vector(b)
	}
	if do.makesMask {
		size = 0
	}
	return g.add(node{do: do, args: [3]int{a, b, -1}, number: number, size: size})
}

// fused is a·b and c, added or subtracted.
func (g *graph) fused(p *family, size, a, b, c int) int {
	if g.isScalar(a) {
		a, b = b, a
	}
	a = g.vector(a)
	if g.isScalar(c) {
		b = g.vector(b)
	}
	return g.add(node{do: p.of(size), args: [3]int{a, b, c}, size: size})
}

// choose is yes where a mask is set, else no.
func (g *graph) choose(size, mask, yes, no int) int {
	if yes == no {
		return yes
	}
	do := choose.of(size)
	if do.element == 0 {
		yes = g.vector(yes)
	}
	return g.add(node{do: do, args: [3]int{mask, yes, g.vector(no)}, size: size})
}

// keep is a scalar where a mask is set, else 0.
func (g *graph) keep(size, mask, scalar int) int {
	return g.add(node{do: keep.of(size), args: [3]int{mask, scalar, -1}, size: size})
}

func (g *graph) not(mask int) int { return g.add(node{do: &notMask, args: [3]int{mask, -1, -1}}) }

func (g *graph) and(a, b int) int    { return g.binary(&andMasks, 0, a, b) }
func (g *graph) or(a, b int) int     { return g.binary(&orMasks, 0, a, b) }
func (g *graph) andNot(a, b int) int { return g.binary(&andNotMasks, 0, a, b) }
