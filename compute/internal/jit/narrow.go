package jit

// A narrowing makes of a graph for AVX-512 one for AVX2. Masks become vectors of all bits or none,
// of the size of the elements that they were made of or of any other that is asked for; scalars are
// put into registers.
type narrowing struct {
	graph
	lanes int
}

// narrow replaces the graph of l by one of AVX2 instructions on vectors of so many lanes.
func (l *lowering) narrow(lanes int) {
	n := &narrowing{graph: graph{found: map[node]int{}, scalars: l.scalars, literals: l.literals}, lanes: lanes}

	// An operand has a lower number than its use, so that one pass replaces all nodes.
	to := make([]int, len(l.nodes))
	for v := range l.nodes {
		old := &l.nodes[v]
		args := unused
		for k, arg := range old.args {
			if arg >= 0 {
				args[k] = to[arg]
			}
		}
		to[v] = n.node(old, args)
	}

	for k, v := range l.outputs {
		l.outputs[k] = n.vector(to[v])
	}
	for k, s := range l.folds {
		l.folds[k].node = n.vector(to[s.node])
	}

	l.graph = n.graph
}

// node returns the node that has the value of old, whose operands are args now.
func (n *narrowing) node(old *node, args [3]int) int {
	switch old.do.form {
	case formLoad, formScalar, formRow:
		return n.add(*old)
	case formRepeat:
		return args[0]
	}

	if f, ok := narrowings[old.do]; ok {
		return f(n, old, args)
	}

	if !inBoth[old.do] {
		refuse("%s by AVX2", old.do.name)
	}

	for k, arg := range args {
		if arg >= 0 {
			args[k] = n.vector(arg)
		}
	}
	return n.add(node{do: old.do, args: args, number: old.number, size: old.size})
}

// vector is v in a register.
func (n *narrowing) vector(v int) int {
	if !n.isScalar(v) {
		return v
	}
	size := n.nodes[v].size
	do := repeat[size]
	if size == 8 {
		do = &repeatLongs
	}
	return n.append(node{do: do, args: [3]int{v, -1, -1}, size: size})
}

// one, two and pick add instructions on elements of a size.

func (n *narrowing) one(do *instruction, size, a int) int { return n.oneBy(do, size, a, 0) }

func (n *narrowing) oneBy(do *instruction, size, a, number int) int {
	return n.add(node{do: do, args: [3]int{n.vector(a), -1, -1}, number: number, size: size})
}

func (n *narrowing) two(do *instruction, size, a, b int) int { return n.twoBy(do, size, a, b, 0) }

func (n *narrowing) twoBy(do *instruction, size, a, b, number int) int {
	return n.add(node{do: do, args: [3]int{n.vector(a), n.vector(b), -1}, number: number, size: size})
}

// pick is yes where a mask is set, else no.
func (n *narrowing) pick(size, mask, yes, no int) int {
	return n.add(node{do: blend.of(size), args: [3]int{n.resized(mask, size), n.vector(yes), n.vector(no)}, size: size})
}

// fusedAdd is a·b + c.
func (n *narrowing) fusedAdd(p *family, size, a, b, c int) int {
	return n.add(node{do: p.of(size), args: [3]int{n.vector(a), n.vector(b), n.vector(c)}, size: size})
}

func (n *narrowing) not(mask int) int {
	size := n.nodes[mask].size
	return n.two(&xor.words, size, mask, n.literal(allBits(size), size))
}

// negative is where elements have their sign bit set.
func (n *narrowing) negative(size, a int) int {
	if size == 8 {
		return n.two(&greaterInts.longs, 8, n.literal(0, 8), a)
	}
	return n.oneBy(&shiftSignedBy, 4, a, 31)
}

// ordered maps unsigned integers to signed ones in the same order.
func (n *narrowing) ordered(size, a int) int {
	return n.two(xor.of(size), size, a, n.literal(signBit(size), size))
}
