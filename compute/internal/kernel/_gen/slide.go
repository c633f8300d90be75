package main

import (
	"fmt"
	"go/types"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Places in kernel.SlidePlan.
const (
	slideIndex   = 0 // vectors of 64 bytes
	slideBits    = 3 * 64
	slideFar     = slideBits + 8
	slideDivides = slideFar + 8
	slideDivisor = slideDivides + 8
)

// slideBefore is the number of vectors that are gone through before the first results.
const slideBefore = 4

// slideSignature is that of kernel.Slide.
func slideSignature() *gotypes.Signature {
	var params []*types.Var
	for _, name := range []string{"dst", "more", "src", "plan"} {
		params = append(params, types.NewParam(0, nil, name, types.Typ[types.UnsafePointer]))
	}
	for _, name := range []string{"n", "past"} {
		params = append(params, types.NewParam(0, nil, name, types.Typ[types.Int]))
	}
	return gotypes.NewSignature(nil, types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false))
}

// emitSlides emits moving windows, which take the vectors of AVX-512.
func emitSlides(k *asm) {
	for _, size := range []int{4, 8} {
		k.emitSlideSum(fp{k, size})
		k.emitSlideOrder(fp{k, size}, "Min", fp.min)
		k.emitSlideOrder(fp{k, size}, "Max", fp.max)
	}
}

// A slide holds the registers of a running Slide.
type slide struct {
	fp
	dst, more, src, plan, left, past, skip reg.GPVirtual
}

func (f fp) openSlide(name, doc string) *slide {
	f.Function("slide" + name + f.typ() + f.name)
	f.Doc(doc)
	f.Pragma("noescape")
	f.Attributes(attrNoSplit)
	f.Signature(slideSignature())
	f.labels, f.stack, f.taken = 0, nil, 0
	s := &slide{
		fp: f, dst: f.param("dst"), more: f.param("more"), src: f.param("src"), plan: f.param("plan"),
		left: f.param("n"), past: f.param("past"), skip: f.GP64(),
	}
	f.SUBQ(operand.U32(slideBefore*f.width), s.src)
	f.MOVQ(operand.I32(slideBefore), s.skip)
	return s
}

// of is the address of a field of the plan.
func (s *slide) of(offset int) operand.Mem { return operand.Mem{Base: s.plan, Disp: offset} }

// zero is a new register of zeros.
func (s *slide) zero() value {
	z := s.vec()
	s.VPXORQ(z, z, z)
	return z
}

// behind is the vector of what is elems elements before those of cur, for fewer than a vector has.
func (s *slide) behind(elems int, prev, cur value) value {
	align := s.pick(s.VALIGND, s.VALIGNQ)
	return s.op(align, operand.Imm(uint64(s.lanes()-elems)), prev, cur)
}

// shift makes prev what index says of prev and cur.
func (s *slide) shift(index, prev, cur value) {
	s.pick(s.VPERMT2PS, s.VPERMT2PD)(cur, index, prev)
}

// unless emits a jump over body if a register is 0, or has none of some bits.
func (s *slide) unless(r reg.GPVirtual, bits int, body func()) {
	skip := s.label("skip")
	if bits == 0 {
		s.TESTQ(r, r)
	} else {
		s.TESTQ(operand.U32(bits), r)
	}
	s.JEQ(operand.LabelRef(skip))
	body()
	s.Label(skip)
}

// loop emits the way through vectors: step makes the results of one, which are stored unless it is before the first.
func (s *slide) loop(step func(x value), store func()) {
	head, next, end := s.label("vector"), s.label("next"), s.label("end")
	s.align()
	s.Label(head)
	x := s.vec()
	s.VMOVUPS(operand.Mem{Base: s.src}, x)
	step(x)
	s.DECQ(s.skip)
	s.JGE(operand.LabelRef(next))
	store()
	s.ADDQ(operand.U32(s.width), s.dst)
	s.SUBQ(operand.U32(s.lanes()), s.left)
	s.JLE(operand.LabelRef(end))
	s.Label(next)
	s.ADDQ(operand.U32(s.width), s.src)
	s.JMP(operand.LabelRef(head))
	s.Label(end)
	s.finish()
}

// store stores results.
func (s *slide) store(r value) {
	plain, stored := s.label("plain"), s.label("stored")
	s.TESTQ(s.past, s.past)
	s.JEQ(operand.LabelRef(plain))
	s.VMOVNTPS(r, operand.Mem{Base: s.dst})
	s.JMP(operand.LabelRef(stored))
	s.Label(plain)
	s.VMOVUPS(r, operand.Mem{Base: s.dst})
	s.Label(stored)
}

// finish ends the function.
func (s *slide) finish() {
	s.unless(s.past, 0, func() { s.SFENCE() })
	s.ret()
}

// emitSlideSum emits sums of windows: pieces of 1, 2, 4, … elements that add up to the width, the smallest one first.
func (k *asm) emitSlideSum(f fp) {
	s := f.openSlide("Sum", "dst = sums of windows, over the divisor if there is one; more = sums of 2·lanes elements")
	lanes := s.lanes()
	bits, divides, divisor := s.GP64(), s.GP64(), s.broadcastFrom(s.of(slideDivisor), s.size)
	s.MOVQ(s.of(slideBits), bits)
	s.MOVQ(s.of(slideDivides), divides)
	minusZero := s.vec()
	s.VMOVUPS(s.replicated(1<<(s.size*8-1), s.size), minusZero)
	var index, prev []value
	for i := 0; 2<<i < lanes; i++ {
		index = append(index, s.vec())
		s.VMOVUPS(s.of(slideIndex+64*i), index[i])
	}
	for k := 1; k <= lanes; k *= 2 {
		prev = append(prev, s.zero())
	}
	lowPrev, near, far := s.zero(), s.zero(), s.zero() // of a vector before, and of two
	out, double := s.vec(), s.vec()
	s.loop(func(x value) {
		low, t := s.vec(), x
		s.VMOVAPS(minusZero, low)
		level := 0
		for k := 1; k < lanes; k, level = 2*k, level+1 {
			next := s.add(t, s.behind(k, prev[level], t))
			s.unless(bits, k, func() {
				if 2*k == lanes {
					s.pick(s.VADDPS, s.VADDPD)(t, low, low)
					return
				}
				s.shift(index[level], prev[level], t)
				s.pick(s.VADDPS, s.VADDPD)(prev[level], low, low)
			})
			s.VMOVAPS(t, prev[level])
			t = next
		}
		s.VMOVAPS(s.add(t, prev[level]), double)
		with := s.vec()
		s.VMOVAPS(low, with)
		s.unless(bits, lanes, func() { s.VMOVAPS(s.add(lowPrev, t), with) })
		s.VMOVAPS(low, lowPrev)
		s.VMOVAPS(t, prev[level])
		s.VMOVAPS(with, out)
		s.unless(bits, 2*lanes, func() { s.VMOVAPS(s.add(far, double), out) })
		s.VMOVAPS(near, far)
		s.VMOVAPS(with, near)
	}, func() {
		s.unless(divides, 0, func() { s.VMOVAPS(s.div(out, divisor), out) })
		s.unless(s.more, 0, func() {
			s.VMOVUPS(double, operand.Mem{Base: s.more})
			s.ADDQ(operand.U32(s.width), s.more)
		})
		s.store(out)
	})
}

// emitSlideOrder emits extrema of windows: of two of a power of two elements, which cover the window. There is a loop for each
// power.
func (k *asm) emitSlideOrder(f fp, name string, order func(f fp, a, b value) value) {
	s := f.openSlide(name, "dst = extrema of windows")
	lanes := s.lanes()
	bits, beyond := s.GP64(), s.GP64()
	s.MOVQ(s.of(slideBits), bits)
	s.MOVQ(s.of(slideFar), beyond)
	index := s.vec()
	s.VMOVUPS(s.of(slideIndex), index)
	for power := 2; power <= 2*lanes; power *= 2 {
		other := s.label(fmt.Sprintf("not%d_", power))
		if power < 2*lanes {
			s.CMPQ(bits, operand.U32(power))
			s.JNE(operand.LabelRef(other))
		}
		var prev []value
		for k := 1; k <= min(power, lanes); k *= 2 {
			prev = append(prev, s.zero())
		}
		near, far := s.zero(), s.zero()
		out := s.vec()
		s.loop(func(x value) {
			t := x
			level := 0
			for k := 1; k < power; k, level = 2*k, level+1 {
				before := prev[level]
				if k < lanes {
					before = s.behind(k, prev[level], t)
				}
				next := order(s.fp, before, t)
				s.VMOVAPS(t, prev[level])
				t = next
			}
			if power <= lanes {
				s.shift(index, prev[level], t)
				s.VMOVAPS(order(s.fp, prev[level], t), out)
				s.VMOVAPS(t, prev[level])
				return
			}
			first, second := s.vec(), s.vec()
			s.VMOVAPS(near, first)
			s.VMOVAPS(t, second)
			s.unless(beyond, 0, func() {
				s.VMOVAPS(far, first)
				s.VMOVAPS(near, second)
			})
			s.shift(index, first, second)
			s.VMOVAPS(order(s.fp, first, t), out)
			s.VMOVAPS(near, far)
			s.VMOVAPS(t, near)
		}, func() { s.store(out) })
		if power < 2*lanes {
			s.Label(other)
		}
	}
}
