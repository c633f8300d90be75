package main

import "github.com/mmcloughlin/avo/operand"

// A saved is a register that lives from one row to the next, and from one call to the next.
type saved struct {
	reg   value
	place operand.Mem
}

// lasting is a new register that lives on.
func (s *slide) lasting(all *[]saved) value {
	r := saved{s.vec(), s.of(slideSaved + 64*len(*all))}
	s.VMOVUPS(r.place, r.reg)
	*all = append(*all, r)
	return r.reg
}

// emitSlideAlong emits windows along elements that follow one another. A row is one vector, or two
// where there are many registers: windows of fewer elements are joined in registers, those of rows
// through rings.
func (k *asm) emitSlideAlong(f fp, j joiner) {
	s := f.openSlide("Along", "dst = windows of src, which go on from those of the call before", j)
	s.openRings(nil)
	vectors := s.registers / avx2.registers
	elems := vectors * s.lanes()

	var all []saved
	var windowsBefore, joinedBefore []value
	for n := 1; n < elems; n *= 2 {
		windowsBefore, joinedBefore = append(windowsBefore, s.lasting(&all)), append(joinedBefore, s.lasting(&all))
	}

	var lastJoined []value
	if !s.sums {
		for range vectors {
			lastJoined = append(lastJoined, s.lasting(&all))
		}
	}

	head := s.label("row")
	s.align()
	s.Label(head)

	var windows, result []value
	for i := range vectors {
		x, r := s.vec(), s.vec()
		s.VMOVUPS(operand.Mem{Base: s.src, Disp: i * s.width}, x)
		s.VMOVUPS(s.replicated(s.none(f), s.size), r)
		windows, result = append(windows, x), append(result, r)
	}

	s.unlessNaN(windows, func() {
		done := s.label("done")
		for level, n := 0, 1; n < elems; level, n = level+1, 2*n {
			s.when(slideLow, uint32(n), func() {
				s.pass(n, joinedBefore[level], result, windows, result)
				s.CMPQ(s.of(slideNarrow), operand.Imm(uint64(n)))
				s.JEQ(operand.LabelRef(done))
			})
			s.pass(n, windowsBefore[level], windows, windows, windows)
		}
		s.rows(windows, result, lastJoined)
		s.Label(done)
	})

	s.store(result, s.dst)
	s.ADDQ(operand.U32(vectors*s.width), s.src)
	s.ADDQ(operand.U32(vectors*s.width), s.dst)
	s.ADDQ(operand.U32(vectors*s.width), s.clock)
	s.SUBQ(operand.U32(elems), s.address("n"))
	s.JG(operand.LabelRef(head))

	for _, r := range all {
		s.VMOVUPS(r.reg, r.place)
	}

	s.finish()
}

// pass joins vectors of windows, those n elements before, to later ones. before is what the last
// vector of windows has been so far.
func (s *slide) pass(n int, before value, windows, later, result []value) {
	var next []value
	for i, earlier := range s.allBehind(n, before, windows) {
		next = append(next, s.joins(s.fp, earlier, later[i]))
	}
	s.set(before, windows[len(windows)-1])
	for i := range result {
		s.set(result[i], next[i])
	}
}

// rows joins windows of rows, if there are any, with what is joined already.
func (s *slide) rows(windows, result, lastJoined []value) {
	end := s.label("narrow")
	s.CMPQ(s.of(slideRows), operand.Imm(0))
	s.JEQ(operand.LabelRef(end))

	if s.sums {
		s.sumRows(windows, result, func(bit string) {
			s.CMPQ(s.of(slideLow), operand.Imm(0))
			s.JNE(operand.LabelRef(bit))
		})
	} else {
		for i := range windows {
			s.set(windows[i], s.joins(s.fp, lastJoined[i], windows[i]))
			s.set(lastJoined[i], result[i])
		}
		s.orderRows(windows)
		for i := range windows {
			s.set(result[i], windows[i])
		}
	}

	s.Label(end)
}
