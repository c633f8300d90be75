package jit

import (
	"slices"
	"strings"
)

// allInstructions lists every instruction, once.
func allInstructions() []*instruction {
	var all []*instruction
	for _, p := range []*family{
		&addFloat, &mulFloat, &subFloat, &minFloat, &divFloat, &maxFloat, &sqrtFloat, &scale, &exponent, &mantissa, &round, &cmpFloat,
		&muladd, &mulsub, &nmuladd, &addInt, &subInt, &mulInt, &minSigned, &minUnsigned, &maxSigned, &maxUnsigned, &absInt, &and, &andNot, &or, &xor,
		&shiftLeft, &shiftRight, &shiftSigned, &shiftLeftBy, &shiftDownBy, &cmpSigned, &cmpUnsigned, &signs, &choose, &keep,
	} {
		all = append(all, apart(p)...)
	}
	return append(all, &repeatByte, &repeatShort, &repeatWord, &repeatLong, &testBytes, &maskBytes, &permute, &widenByteShort, &widenUbyteShort, &narrowShortByte, &widenFloat, &narrowFloat, &truncateFloat, &widenHalf, &narrowHalf, &widenInt, &widenUint,
		&narrowInt, &widenByte, &widenUbyte, &widenShort, &widenUshort, &narrowByte, &narrowShort, &intFloat, &uintFloat, &intDouble, &uintDouble,
		&longFloat, &ulongFloat, &longDouble, &ulongDouble, &floatInt, &floatLong, &doubleInt, &doubleLong,
		&andMasks, &andNotMasks, &orMasks, &sameMasks, &xorMasks, &notMask)
}

// apart lists the instructions of a family that are not the same for elements of several sizes.
func apart(p *family) []*instruction {
	return slices.DeleteFunc(p.all(), func(do *instruction) bool { return do != &p.words && do.encoding == p.words.encoding })
}

// An encoded is an instruction with its bytes.
type encoded struct {
	name string // how its text begins
	code []byte
}

// encodings returns the instructions of emit.go with low and high registers, and what loops are
// made of.
func encodings() []encoded {
	var all []encoded
	add := func(name string, write func(e *emitter)) {
		e := &emitter{isa: avx512, lanes: 16}
		write(e)
		all = append(all, encoded{name, e.code})
	}
	for _, do := range allInstructions() {
		for _, r := range [][4]int{{0, 1, 2, 3}, {9, 19, 30, 12}, {31, 8, 17, 25}} {
			add(do.name, func(e *emitter) { e.sample(do, r, false) })
			if do.element > 0 && do.form != formKeep {
				add(do.name, func(e *emitter) { e.sample(do, r, true) })
			}
		}
	}
	for _, size := range []int{1, 2, 4, 8} {
		move := moveBySize[size]
		p := rm{memory: true, base: 13, index: rcx, scale: 4, disp: 256}
		add("vmov", func(e *emitter) { e.evex(move.load, 64, 20, 0, p, masking{}) })
		add("vmov", func(e *emitter) { e.evex(move.load, 32, 5, 0, p, masking{laneMask, true}) })
		add("vmov", func(e *emitter) { e.evex(move.store, 16, 11, 0, p, masking{mask: laneMask}) })
	}
	add("vmovq", func(e *emitter) {
		e.evex(loadEight, 16, 18, 0, rm{memory: true, base: 8, index: rcx, scale: 1}, masking{})
	})
	add("vmovq", func(e *emitter) {
		e.evex(storeEight, 16, 3, 0, rm{memory: true, base: 15, index: rcx, scale: 2, disp: -8}, masking{})
	})
	add("vmovntps", func(e *emitter) {
		e.evex(stream, 64, 3, 0, rm{memory: true, base: 12, index: rcx, scale: 8, disp: 64}, masking{})
	})
	add("vmovaps", func(e *emitter) { e.evex(moveVector, 64, 25, 0, register(30), masking{}) })
	add("kmovq", func(e *emitter) { e.vex(maskOf, false, laneMask, 0, register(rdx)) })
	add("bzhi", func(e *emitter) { e.lowBits(rdx, rdx, rax) })
	add("mov", func(e *emitter) { e.load(13, rdi, 24) })
	add("mov", func(e *emitter) { e.load(rdi, rdi, 0) })
	add("mov", func(e *emitter) { e.move(rax, rsi) })
	add("mov", func(e *emitter) { e.set(rax, 16) })
	add("sub", func(e *emitter) { e.subtract(rax, rcx) })
	add("cmp", func(e *emitter) { e.compare(rcx, rax) })
	for _, op := range []int{0, 1, 5, 7} {
		add([]string{"add", "or", 5: "sub", 7: "cmp"}[op], func(e *emitter) { e.arithmetic(op, rcx, 64) })
	}
	add("jg", func(e *emitter) { e.land(e.jump(greater...), 0) })
	add("jle", func(e *emitter) { e.land(e.jump(notGreater...), 64) })
	add("jmp", func(e *emitter) { e.land(e.jump(always...), 64) })
	add("vzeroupper", func(e *emitter) { e.code = append(e.code, zeroUpper...) })
	add("sfence", func(e *emitter) { e.code = append(e.code, fence...) })
	add("ret", func(e *emitter) { e.immediate(ret) })
	return append(all, narrowEncodings()...)
}

// narrowNames are those that instructions have with AVX2, if they have others.
var narrowNames = strings.NewReplacer("vrndscale", "vround", "vpandd", "vpand", "vpandq", "vpand", "vpandnd", "vpandn", "vpandnq", "vpandn",
	"vpord", "vpor", "vporq", "vpor", "vpxord", "vpxor", "vpxorq", "vpxor")

// narrowInstructions lists those of AVX2, once.
func narrowInstructions() []*instruction {
	var all []*instruction
	for _, do := range allInstructions() {
		if inBoth[do] {
			all = append(all, do)
		}
	}
	for _, p := range []*family{&compareFloats, &equalInts, &greaterInts, &blend} {
		all = append(all, apart(p)...)
	}
	return append(all, &permute, &shiftSignedBy, &mulLow, &widenMaskByteShort, &widenMaskShortWord, &widenMaskShortLong, &widenMaskByteWord, &widenMaskByteLong, &widenMaskWordLong,
		&packWords, &packShorts, &packMasks, &packHalves, &upperHalf128, &pickWords, &pickLongs, &mixWords, &mixShorts,
		&repeatByte, &repeatShort, &repeatWord, &repeatLongs)
}

// narrowEncodings returns the instructions of AVX2.
func narrowEncodings() []encoded {
	var all []encoded
	add := func(name string, write func(e *emitter)) {
		e := &emitter{isa: avx2, lanes: 8}
		write(e)
		all = append(all, encoded{name, e.code})
	}
	for _, do := range narrowInstructions() {
		for _, r := range [][4]int{{0, 1, 2, 3}, {9, 3, 14, 12}, {15, 8, 1, 9}} {
			add(narrowNames.Replace(do.name), func(e *emitter) { e.sample(do, r, false) })
		}
	}
	p := rm{memory: true, base: 13, index: rcx, scale: 4, disp: 256}
	for _, bytes := range []int{4, 8, 16, 32} {
		add("vmov", func(e *emitter) { e.vector(narrowMoves[bytes].load, bytes, 11, 0, p) })
		add("vmov", func(e *emitter) { e.vector(narrowMoves[bytes].store, bytes, 4, 0, p) })
	}
	add("vmovntps", func(e *emitter) { e.vector(stream, 32, 3, 0, p) })
	add("vmovaps", func(e *emitter) { e.vector(moveVector, 32, 12, 0, register(9)) })
	add("vpermps", func(e *emitter) {
		e.vector(permute.encoding, 32, 12, 9, rm{memory: true, base: rdi, index: -1, disp: 64})
	})
	return all
}

// sample writes an instruction with the registers r, its last operand in memory if that is set.
func (e *emitter) sample(do *instruction, r [4]int, memory bool) {
	sizes := [4]int{4, 4, 4, 4}
	if do.makesMask || do.form == formNot {
		sizes[0], r[0] = 0, r[0]&7
	}
	if do.form == formMasks || do.form == formNot {
		sizes = [4]int{}
		r = [4]int{r[0] & 7, r[1] & 7, r[2] & 7}
	}
	if do.form == formChoose || do.form == formKeep || do.takesMask {
		sizes[1], r[1] = 0, 1+r[1]&3
	}
	n := node{do: do, args: unused, number: 0x2a, size: sizes[0]}
	e.plan = &allocation{registers: make([]int, 4)}
	e.nodes = make([]node, 4)
	operands := map[form]int{formUnary: 1, formNarrow: 1, formShift: 1, formNot: 1, formFused: 3, formChoose: 3, formBlend: 3}[do.form]
	if operands == 0 {
		operands = 2
	}
	for k := range operands {
		n.args[k] = k + 1
		e.nodes[k+1] = node{do: &loadInput, size: sizes[k+1]}
	}
	last := operands
	if do.form == formChoose {
		last = 2
	}
	if do.form == formRepeat {
		n.args = [3]int{last, -1, -1}
	}
	if do.form == formFused { // the three orders
		switch {
		case r[0] == 9:
			r[3], last = r[0], 2
		case r[0] == 31, r[0] == 15:
			r[1], last = r[0], 2
		default:
			r[1] = r[0]
		}
	}
	if memory || do.form == formKeep || do.form == formRepeat {
		e.nodes[last] = node{do: &scalarInput, number: 5, size: 4}
	}
	e.nodes[0] = n
	for k := range r {
		e.plan.registers[k] = r[k]
		if e.nodes[k].size == 0 && k <= operands {
			e.plan.registers[k] = r[k] - firstMask
		}
	}
	e.node(0, 0)
}
