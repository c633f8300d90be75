package jit

import "slices"

// pointers are the registers for addresses of operands. rax and rdx are free for the loop, rcx
// counts elements, rsi is their number, rdi the address of the constants; rsp and rbp belong to the
// stack, r14 to the goroutine.
var pointers = [...]int{rbx, 8, 9, 10, 11, 12, 13, 15}

// An emitter writes the code of a graph.
type emitter struct {
	assembler
	isa     *instructionSet
	nodes   []node
	plan    *allocation
	lanes   int
	inputs  []int // bytes of an element of each operand in memory
	outputs []int // nodes
	stream  bool

	copies int  // vectors of each value that is added up
	first  int  // the first of those that are computed together
	past   bool // whether stores are past the caches
	masked bool // whether loads and stores are of the lanes of laneMask alone
}

// operands returns the bytes of an element of each operand in memory.
func (e *emitter) operands() []int {
	all := slices.Clone(e.inputs)
	for _, v := range e.outputs {
		all = append(all, e.nodes[v].size)
	}
	return all
}

// loop writes the whole function. Its arguments are in rdi, the address of a list of addresses: of
// the constants, the inputs and the outputs; and in rsi, the number of elements, with AVX2 a
// multiple of the lanes.
func (e *emitter) loop() {
	if len(e.inputs)+len(e.outputs) > len(pointers) {
		refuse("more than %d operands", len(pointers))
	}

	copies := e.plan.copies(e.isa)
	e.enter(len(e.outputs))
	e.past = e.stream
	if e.isa.wide {
		e.vex(sameMasks.encoding, true, laneMask, laneMask, register(laneMask))
	}

	e.subtract(rcx, rcx)
	// rcx counts the elements that are done. AVX-512 does the last ones with masks; AVX2 has a
	// second loop of one vector a step.
	if e.isa.wide {
		e.steps(copies, copies)
		e.rest()
	} else {
		e.steps(copies, max(copies, 2))
		e.past = false // for Code.last
		e.steps(1, 1)
	}

	if e.stream {
		e.code = append(e.code, fence...)
	}

	e.leave()
}

// steps writes a loop over as many elements as fill some vectors of each value, while there are
// elements for some number of them.
func (e *emitter) steps(copies, least int) {
	e.move(rax, rsi)
	e.arithmetic(5, rax, int32(least*e.lanes))
	e.compare(rcx, rax)
	few := e.jump(greater...)
	e.align(32)
	top := len(e.code)
	e.body(copies, false)
	e.arithmetic(0, rcx, int32(copies*e.lanes))
	e.compare(rcx, rax)
	e.land(e.jump(notGreater...), top)
	e.land(few, len(e.code))
}

// rest writes a loop over the elements that are left, with masks.
func (e *emitter) rest() {
	rest := len(e.code)
	// rax is the number of elements that are left, at most those of a vector.
	e.move(rax, rsi)
	e.subtract(rax, rcx)
	done := e.jump(notGreater...)
	e.arithmetic(7, rax, int32(e.lanes))
	part := e.jump(notGreater...)
	e.set(rax, int32(e.lanes))
	e.land(part, len(e.code))

	// Put a one into the mask for each of them: rdx is all ones, of which rax stay.
	e.arithmetic(1, rdx, -1)
	e.lowBits(rdx, rdx, rax)
	e.vex(maskOf, false, laneMask, 0, register(rdx))

	e.body(1, true)
	e.arithmetic(0, rcx, int32(e.lanes))
	e.land(e.jump(always...), rest)
	e.land(done, len(e.code))
}

// enter loads the addresses of the inputs, of others behind them, and of the constants.
func (e *emitter) enter(others int) {
	for k := range len(e.inputs) + others {
		e.load(pointers[k], rdi, int32(8*(k+1)))
	}
	e.load(rdi, rdi, 0)
}

func (e *emitter) leave() {
	e.code = append(e.code, zeroUpper...)
	e.immediate(ret)
}

// body writes the instructions for some vectors of each value. Those of one node stand side by
// side.
func (e *emitter) body(copies int, masked bool) {
	e.masked = masked
	e.nodesOf(copies)
	for k, v := range e.outputs {
		for c := range copies {
			e.store(k, v, c)
		}
	}
}

// nodesOf writes the instructions of all nodes, for some vectors of each.
func (e *emitter) nodesOf(copies int) {
	for i := range e.nodes {
		for c := range copies {
			e.node(i, c)
		}
	}
}

// at returns the register of a node in one of the copies.
func (e *emitter) at(v, c int) int {
	if e.nodes[v].size == 0 {
		return firstMask + c*e.plan.masks + e.plan.registers[v]
	}
	return c*e.plan.vectors + e.plan.registers[v]
}

// rm returns the operand that holds the value of node v in copy c: a register, or memory for
// scalars.
func (e *emitter) rm(v, c int) rm {
	switch n := &e.nodes[v]; n.do.form {
	case formScalar:
		return rm{memory: true, base: rdi, index: -1, disp: int32(8 * n.number), broadcast: true}
	case formRow:
		return rm{memory: true, base: rdi, index: -1, disp: int32(8 * n.number)}
	}
	return register(e.at(v, c))
}

// bytes returns the length of the vectors of a node and its operands.
func (e *emitter) bytes(n *node) int {
	if n.do.bytes > 0 {
		return n.do.bytes
	}
	size := n.size
	for _, arg := range n.args {
		if arg >= 0 {
			size = max(size, e.nodes[arg].size)
		}
	}
	return max(size*e.lanes, 16)
}
