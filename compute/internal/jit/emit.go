package jit

// pointers are the registers for addresses of operands. rax and rdx are free for the loop, rcx counts elements, rsi is their number,
// rdi the address of the constants; rsp and rbp belong to the stack, r14 to the goroutine.
var pointers = [...]int{rbx, 8, 9, 10, 11, 12, 13, 15}

// An emitter writes the code of a graph.
type emitter struct {
	assembler
	nodes   []node
	plan    *allocation
	lanes   int
	inputs  []int // bytes of an element of each operand in memory
	outputs []int // nodes
	stream  bool

	copies int  // vectors of each value that is added up
	masked bool // whether loads and stores are of the lanes of laneMask alone
}

// loop writes the whole function. Its arguments are in rdi, the address of a list of addresses: of the constants, the inputs and the outputs;
// and in rsi, the number of elements.
func (e *emitter) loop() {
	if len(e.inputs)+len(e.outputs) > len(pointers) {
		refuse("more than %d operands", len(pointers))
	}
	copies := e.plan.copies()
	e.enter(len(e.outputs))
	e.vex(sameMasks.encoding, true, laneMask, laneMask, laneMask)
	e.subtract(rcx, rcx)
	e.move(rax, rsi)
	e.arithmetic(5, rax, int32(copies*e.lanes))
	e.compare(rcx, rax)
	few := e.jump(greater...)
	e.align(32)
	top := len(e.code)
	e.body(copies, false)
	e.arithmetic(0, rcx, int32(copies*e.lanes))
	e.compare(rcx, rax)
	e.land(e.jump(notGreater...), top)
	e.land(few, len(e.code))

	rest := len(e.code)
	e.move(rax, rsi)
	e.subtract(rax, rcx)
	done := e.jump(notGreater...)
	e.arithmetic(7, rax, int32(e.lanes))
	part := e.jump(notGreater...)
	e.set(rax, int32(e.lanes))
	e.land(part, len(e.code))
	e.arithmetic(1, rdx, -1)
	e.lowBits(rdx, rdx, rax)
	e.vex(maskOf, false, laneMask, 0, rdx)
	e.body(1, true)
	e.arithmetic(0, rcx, int32(e.lanes))
	e.land(e.jump(always...), rest)
	e.land(done, len(e.code))
	if e.stream {
		e.code = append(e.code, fence...)
	}
	e.leave()
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

// body writes the instructions for some vectors of each value. Those of one node stand side by side.
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

// place returns where the value of a node is: a register, or memory for scalars.
func (e *emitter) place(v, c int) place {
	switch n := &e.nodes[v]; n.do.form {
	case formScalar:
		return place{memory: true, base: rdi, index: -1, disp: int32(8 * n.number), broadcast: true}
	case formRow:
		return place{memory: true, base: rdi, index: -1, disp: int32(8 * n.number)}
	}
	return register(e.at(v, c))
}

// bytes returns the length of the vectors of a node and its operands.
func (e *emitter) bytes(n *node) int {
	size := n.size
	for _, arg := range n.args {
		if arg >= 0 {
			size = max(size, e.nodes[arg].size)
		}
	}
	return max(size*e.lanes, 16)
}

// node writes the instruction of a node.
func (e *emitter) node(i, c int) {
	n := &e.nodes[i]
	do, bytes := n.do, e.bytes(n)
	var args [3]place
	for k, arg := range n.args {
		if arg >= 0 {
			args[k] = e.place(arg, c)
		}
	}
	switch do.form {
	case formScalar, formRow:
		return
	case formLoad:
		e.loadVector(e.at(i, c), n, c)
	case formBinary:
		e.evex(do.encoding, bytes, e.at(i, c), args[0].register, args[1], masking{})
	case formPermute: // of a whole row, whatever the number of indexes
		e.evex(do.encoding, vectorBytes, e.at(i, c), args[0].register, args[1], masking{})
	case formUnary:
		args[0].towardZero = do.towardZero
		e.evex(do.encoding, bytes, e.at(i, c), 0, args[0], masking{})
	case formRepeat:
		scalar := args[0]
		scalar.broadcast = false
		e.evex(do.encoding, bytes, e.at(i, c), 0, scalar, masking{})
	case formNarrow:
		e.evex(do.encoding, bytes, args[0].register, 0, register(e.at(i, c)), masking{})
	case formShift:
		e.evex(do.encoding, bytes, do.extension, e.at(i, c), args[0], masking{})
	case formChoose:
		e.evex(do.encoding, bytes, e.at(i, c), args[2].register, args[1], masking{mask: args[0].register})
	case formKeep:
		scalar := args[1]
		scalar.broadcast = false
		e.evex(do.encoding, bytes, e.at(i, c), 0, scalar, masking{args[0].register, true})
	case formMasks:
		e.vex(do.encoding, true, e.at(i, c), args[0].register, args[1].register)
	case formNot:
		e.vex(do.encoding, false, e.at(i, c), 0, args[0].register)
	case formFused:
		e.fused(do, bytes, e.at(i, c), args)
	}
	if do.immediate {
		e.immediate(byte(n.number))
	}
}

// fused writes dst = a·b + c, or one like it, in the order of operands in which dst is one of them.
func (e *emitter) fused(do *instruction, bytes, dst int, args [3]place) {
	const times, plus, onto = 0, 0x10, 0x20 // dst·rm + v, v·dst + rm, v·rm + dst
	a, b, c := args[0], args[1], args[2]
	if !b.memory && dst == b.register {
		a, b = b, a
	}
	enc := do.encoding
	switch {
	case dst == a.register:
	case !c.memory && dst == c.register:
		enc.opcode += onto
		e.evex(enc, bytes, dst, a.register, b, masking{})
		return
	default:
		e.evex(moveVector, bytes, dst, 0, a, masking{})
	}
	if b.memory {
		enc.opcode += times
		e.evex(enc, bytes, dst, c.register, b, masking{})
		return
	}
	enc.opcode += plus
	e.evex(enc, bytes, dst, b.register, c, masking{})
}

// element returns the address of a vector of operand k in memory.
func (e *emitter) element(k, size, c int) place {
	return place{memory: true, base: pointers[k], index: rcx, scale: size, disp: int32(c * e.lanes * size)}
}

func (e *emitter) loadVector(dst int, n *node, c int) {
	p, bytes := e.element(n.number, n.size, c), n.size*e.lanes
	switch {
	case e.masked:
		e.evex(moveBySize[n.size].load, max(bytes, 16), dst, 0, p, masking{laneMask, true})
	case bytes == 8:
		e.evex(loadEight, 16, dst, 0, p, masking{})
	default:
		e.evex(moveBySize[n.size].load, bytes, dst, 0, p, masking{})
	}
}

func (e *emitter) store(k, v, c int) {
	size := e.nodes[v].size
	p, bytes, src := e.element(len(e.inputs)+k, size, c), size*e.lanes, e.at(v, c)
	switch {
	case e.masked:
		e.evex(moveBySize[size].store, max(bytes, 16), src, 0, p, masking{mask: laneMask})
	case bytes == 8:
		e.evex(storeEight, 16, src, 0, p, masking{})
	case e.stream:
		e.evex(stream, bytes, src, 0, p, masking{})
	default:
		e.evex(moveBySize[size].store, bytes, src, 0, p, masking{})
	}
}
