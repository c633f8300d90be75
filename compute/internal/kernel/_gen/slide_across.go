package main

import "github.com/mmcloughlin/avo/operand"

// slideGroup is the number of vectors whose windows are joined together.
const slideGroup = 4

// emitSlideAcross emits windows of rows of vectors: each element is one of a lane.
func (k *asm) emitSlideAcross(f fp, j joiner) {
	s := f.openSlide("Across", "dst = windows of rows of src, which go on from those of the call before", j)
	src, dst, left, offset, ahead := s.GP64(), s.GP64(), s.GP64(), s.GP64(), s.GP64()

	row := s.label("row")
	s.Label(row)
	s.MOVQ(s.src, src)
	s.MOVQ(s.dst, dst)
	s.MOVQ(s.of(slideVectors), left)
	s.XORQ(offset, offset)

	for _, vectors := range []int{slideGroup, 1} {
		s.whole(left, vectors, func() {
			s.openRings(offset)
			s.MOVQ(s.of(slideAhead), ahead)
			for at := 0; at < vectors*s.width; at += 64 {
				s.PREFETCHT0(operand.Mem{Base: src, Index: ahead, Scale: 1, Disp: at})
			}

			windows, result := make([]value, vectors), make([]value, vectors)
			for i := range windows {
				windows[i], result[i] = s.vec(), s.vec()
				s.VMOVUPS(operand.Mem{Base: src, Disp: i * s.width}, windows[i])
			}

			if s.sums {
				s.sumRows(windows, result, func(string) {})
			} else {
				s.unlessNaN(windows, func() { s.orderRows(windows) })
				result = windows
			}

			s.store(result, dst)
			for _, r := range []operand.Op{src, dst, offset} {
				s.ADDQ(operand.U32(vectors*s.width), r)
			}
		})
	}

	s.ADDQ(s.of(slideFrom), s.src)
	s.ADDQ(s.of(slideTo), s.dst)
	s.ADDQ(s.of(slideRow), s.clock)
	s.DECQ(s.address("n"))
	s.JNE(operand.LabelRef(row))

	s.finish()
}
