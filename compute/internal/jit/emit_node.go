package jit

// node writes the instruction of a node.
func (e *emitter) node(i, c int) {
	n := &e.nodes[i]
	do, bytes := n.do, e.bytes(n)
	var args [3]rm
	for k, arg := range n.args {
		if arg >= 0 {
			args[k] = e.rm(arg, c)
		}
	}

	switch do.form {
	case formScalar, formRow:
		return
	case formLoad:
		e.loadVector(e.at(i, c), n, c)
	case formBinary:
		e.vector(do.encoding, bytes, e.at(i, c), args[0].register, args[1])
	case formPermute: // of a whole row, whatever the number of indexes
		e.vector(do.encoding, e.isa.bytes, e.at(i, c), args[0].register, args[1])
	case formUnary:
		args[0].towardZero = do.towardZero
		e.vector(do.encoding, bytes, e.at(i, c), 0, args[0])
	case formRepeat:
		scalar := args[0]
		scalar.broadcast = false
		e.vector(do.encoding, bytes, e.at(i, c), 0, scalar)
	case formNarrow:
		e.vector(do.encoding, bytes, args[0].register, 0, register(e.at(i, c)))
	case formShift:
		e.vector(do.encoding, bytes, do.extension, e.at(i, c), args[0])
	case formChoose:
		e.evex(do.encoding, bytes, e.at(i, c), args[2].register, args[1], masking{mask: args[0].register})
	case formBlend:
		e.vector(do.encoding, bytes, e.at(i, c), args[2].register, args[1])
		e.immediate(byte(args[0].register << 4))
	case formKeep:
		scalar := args[1]
		scalar.broadcast = false
		e.evex(do.encoding, bytes, e.at(i, c), 0, scalar, masking{args[0].register, true})
	case formMasks:
		e.vex(do.encoding, true, e.at(i, c), args[0].register, args[1])
	case formNot:
		e.vex(do.encoding, false, e.at(i, c), 0, args[0])
	case formFused:
		e.fused(do, bytes, e.at(i, c), args)
	}

	if do.immediate {
		e.immediate(byte(n.number))
	}
}

// fused writes dst = a·b + c, or one like it, in the order of operands in which dst is one of them.
func (e *emitter) fused(do *instruction, bytes, dst int, args [3]rm) {
	const times, plus, onto = 0, 0x10, 0x20 // dst·rm + v, v·dst + rm, v·rm + dst

	a, b, c := args[0], args[1], args[2]
	// The product commutes: let a be the factor that dst holds.
	if !b.memory && dst == b.register {
		a, b = b, a
	}

	enc := do.encoding
	switch {
	case dst == a.register:
	case !c.memory && dst == c.register:
		enc.opcode += onto
		e.vector(enc, bytes, dst, a.register, b)
		return
	default:
		e.vector(moveVector, bytes, dst, 0, a)
	}

	if b.memory {
		enc.opcode += times
		e.vector(enc, bytes, dst, c.register, b)
		return
	}

	enc.opcode += plus
	e.vector(enc, bytes, dst, b.register, c)
}

// vector appends an instruction on vectors of some bytes.
func (e *emitter) vector(enc encoding, bytes, reg, vvvv int, p rm) {
	if e.isa.wide {
		e.evex(enc, bytes, reg, vvvv, p, masking{})
		return
	}
	e.vex(enc, bytes == 32, reg, vvvv, p)
}

// element returns the address of a vector of operand k in memory.
func (e *emitter) element(k, size, c int) rm {
	return rm{memory: true, base: pointers[k], index: rcx, scale: size, disp: int32((e.first + c) * e.lanes * size)}
}

func (e *emitter) loadVector(dst int, n *node, c int) {
	p, bytes := e.element(n.number, n.size, c), n.size*e.lanes
	switch {
	case e.masked:
		e.evex(moveBySize[n.size].load, max(bytes, 16), dst, 0, p, masking{laneMask, true})
	case !e.isa.wide:
		e.vector(narrowMoves[bytes].load, bytes, dst, 0, p)
	case bytes == 8:
		e.vector(loadEight, 16, dst, 0, p)
	default:
		e.vector(moveBySize[n.size].load, bytes, dst, 0, p)
	}
}

func (e *emitter) store(k, v, c int) {
	size := e.nodes[v].size
	p, bytes, src := e.element(len(e.inputs)+k, size, c), size*e.lanes, e.at(v, c)
	switch {
	case e.masked:
		e.evex(moveBySize[size].store, max(bytes, 16), src, 0, p, masking{mask: laneMask})
	case e.past && bytes >= 16:
		e.vector(stream, bytes, src, 0, p)
	case !e.isa.wide:
		e.vector(narrowMoves[bytes].store, bytes, src, 0, p)
	case bytes == 8:
		e.vector(storeEight, 16, src, 0, p)
	default:
		e.vector(moveBySize[size].store, bytes, src, 0, p)
	}
}
