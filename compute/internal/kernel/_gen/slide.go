package main

import (
	"go/types"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Places in the state of kernel.Slides.
const (
	slideRows    = 0
	slideLow     = 8
	slidePower   = 16
	slideDelay   = 24
	slideClock   = 32
	slideSums    = 40
	slideDivides = 48
	slideDivisor = 56
	slideRow     = 64
	slideFrom    = 72
	slideTo      = 80
	slideVectors = 88
	slideAhead   = 96
	slideNarrow  = 104
	slideSpan    = 112
	slideUntil   = 120
	slideSaved   = 128  // vectors of 64 bytes
	slideRings   = 1024 // of windows, and at slideSums bytes after them of joined ones
)

// slideSkew is the number of bytes between one ring and the next, so that places in several do not
// agree in their low 12 bits.
const slideSkew = 320

// slideSignature is that of kernel.Slide.
func slideSignature() *gotypes.Signature {
	var params []*types.Var
	for _, name := range []string{"dst", "src", "state"} {
		params = append(params, types.NewParam(0, nil, name, types.Typ[types.UnsafePointer]))
	}
	for _, name := range []string{"n", "past"} {
		params = append(params, types.NewParam(0, nil, name, types.Typ[types.Int]))
	}
	return gotypes.NewSignature(nil, types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false))
}

// A joiner is what windows are joined by.
type joiner struct {
	name  string
	joins func(f fp, a, b value) value
	none  func(f fp) uint64            // bits of what joined with a window gives the window
	sums  bool                         // whether windows that overlap can't be joined
	fast  func(f fp, a, b value) value // joins numbers
}

var joiners = []joiner{
	{"Sum", fp.add, func(f fp) uint64 { return 1 << (f.size*8 - 1) }, true, nil},
	{"Min", fp.min, func(f fp) uint64 { return f.infinite() }, false, fp.less},
	{"Max", fp.max, func(f fp) uint64 { return f.infinite() | 1<<(f.size*8-1) }, false, fp.more},
}

// infinite is the bits of infinity.
func (f fp) infinite() uint64 {
	if f.size == 4 {
		return 0x7f800000
	}
	return 0x7ff0000000000000
}

// emitSlides emits moving windows.
func emitSlides(k *asm) {
	for _, size := range []int{4, 8} {
		for _, j := range joiners {
			k.emitSlideAlong(fp{k, size}, j)
			k.emitSlideAcross(fp{k, size}, j)
		}
	}
}

// A slide holds the registers of a running Slide.
type slide struct {
	fp
	joiner
	dst, src, state, clock reg.GPVirtual
	rings, joined          reg.GPVirtual // addresses
}

// A ring holds the registers that tell the ring in use, and the place in it.
type ring struct{ size, base, at reg.GPVirtual }

func (f fp) openSlide(name, doc string, j joiner) *slide {
	f.Function("slide" + j.name + name + f.typ() + f.name)
	f.Doc(doc)
	f.Pragma("noescape")
	f.Attributes(attrNoSplit)
	f.Signature(slideSignature())
	f.labels, f.stack, f.taken = 0, nil, 0
	s := &slide{
		fp: f, joiner: j, dst: f.param("dst"), src: f.param("src"), state: f.param("state"),
		clock: f.GP64(), rings: f.GP64(), joined: f.GP64(),
	}
	f.MOVQ(s.of(slideClock), s.clock)
	return s
}

// openRings sets the addresses of the rings, for what is offset bytes from the start of a row.
func (s *slide) openRings(offset operand.Op) {
	s.LEAQ(s.of(slideRings), s.rings)
	if offset != nil {
		s.ADDQ(offset, s.rings)
	}
	if s.sums {
		s.MOVQ(s.of(slideSums), s.joined)
		s.ADDQ(s.rings, s.joined)
	}
}

// of is the address of a field of the state.
func (s *slide) of(offset int) operand.Mem { return operand.Mem{Base: s.state, Disp: offset} }

// set copies a register.
func (s *slide) set(d, v value) { s.VMOVAPS(v, d) }

// when emits body for the case that bits of a field are set.
func (s *slide) when(field int, bits uint32, body func()) {
	skip := s.label("skip")
	s.TESTQ(operand.U32(bits), s.of(field))
	s.JEQ(operand.LabelRef(skip))
	body()
	s.Label(skip)
}

// behind is the vector of what is elems elements before those of cur.
func (s *slide) behind(elems int, prev, cur value) value {
	switch {
	case elems == s.lanes():
		return prev
	case s.wide():
		return s.op(s.pick(s.VALIGND, s.VALIGNQ), operand.Imm(uint64(s.lanes()-elems)), prev, cur)
	}
	middle := s.op(of4(s.VPERM2F128), operand.U8(0x21), cur, prev)
	if elems*s.size == 16 {
		return middle
	}
	return s.op(s.VPALIGNR, operand.U8(16-elems*s.size), middle, cur)
}

// allBehind is behind for vectors that follow one another and prev.
func (s *slide) allBehind(elems int, prev value, cur []value) []value {
	var all []value
	for _, v := range cur {
		all = append(all, s.behind(elems, prev, v))
		prev = v
	}
	return all
}

// firstRing is the ring of windows of a row.
func (s *slide) firstRing() ring {
	r := ring{s.GP64(), s.GP64(), s.GP64()}
	s.MOVQ(s.of(slideRow), r.size)
	s.MOVQ(r.size, r.base)
	return r
}

// next makes r the ring of windows that are twice as long.
func (s *slide) next(r ring) {
	s.LEAQ(operand.Mem{Base: r.base, Index: r.size, Scale: 1, Disp: slideSkew}, r.base)
	s.ADDQ(r.size, r.size)
}

// find makes r.at the place at a time.
func (s *slide) find(r ring, clock reg.GPVirtual) {
	s.LEAQ(operand.Mem{Base: r.size, Disp: -1}, r.at)
	s.ANDQ(clock, r.at)
	s.ADDQ(r.base, r.at)
}

// swap puts windows in a ring and returns those that were there.
func (s *slide) swap(rings reg.GPVirtual, r ring, windows []value) []value {
	var old []value
	for i, w := range windows {
		m := operand.Mem{Base: rings, Index: r.at, Scale: 1, Disp: i * s.width}
		d := s.vec()
		s.VMOVUPS(m, d)
		s.VMOVUPS(w, m)
		old = append(old, d)
	}
	return old
}

// with joins earlier windows to later ones, in the registers of these.
func (s *slide) with(earlier, later []value) {
	for i := range later {
		s.set(later[i], s.joins(s.fp, earlier[i], later[i]))
	}
}

// double makes windows those of twice the width, and r the next ring.
func (s *slide) double(r ring, windows []value) {
	s.find(r, s.clock)
	s.with(s.swap(s.rings, r, windows), windows)
	s.next(r)
}

// sumRows makes result, of the last bits of the width, the sums of windows of rows and those last
// bits. begun emits a jump to its argument if there are last bits.
func (s *slide) sumRows(rows, result []value, begun func(label string)) {
	r, left := s.firstRing(), s.GP64()
	search, more, bit, end := s.label("search"), s.label("more"), s.label("bit"), s.label("end")

	s.MOVQ(s.of(slideRows), left)
	// Double the windows up to the lowest set bit of their rows, then join the doubled ones of each
	// further set bit with the result.
	begun(bit)
	found := s.label("found")

	s.Label(search)
	s.SHRQ(operand.Imm(1), left)
	s.JCS(operand.LabelRef(found))
	s.double(r, rows)
	s.JMP(operand.LabelRef(search))

	s.Label(found)
	for i := range rows {
		s.set(result[i], rows[i])
	}

	s.TESTQ(left, left)
	s.JEQ(operand.LabelRef(end))

	s.Label(more)
	s.double(r, rows)
	s.Label(bit)
	s.SHRQ(operand.Imm(1), left)
	s.JCC(operand.LabelRef(more))

	s.find(r, s.clock)
	for i, old := range s.swap(s.joined, r, result) {
		s.set(result[i], s.joins(s.fp, old, rows[i]))
	}

	s.TESTQ(left, left)
	s.JNE(operand.LabelRef(more))
	s.Label(end)
}

// orderRows makes rows the extrema of windows of rows.
func (s *slide) orderRows(rows []value) {
	r, from := s.firstRing(), s.GP64()
	head, last, end := s.label("double"), s.label("last"), s.label("end")

	s.Label(head)
	s.CMPQ(r.size, s.of(slidePower))
	s.JGE(operand.LabelRef(last))
	s.double(r, rows)
	s.JMP(operand.LabelRef(head))

	s.Label(last)
	s.MOVQ(s.of(slideDelay), from)
	s.TESTQ(from, from)
	s.JEQ(operand.LabelRef(end))

	s.find(r, s.clock)
	at := func(i int) operand.Mem {
		return operand.Mem{Base: s.rings, Index: r.at, Scale: 1, Disp: i * s.width}
	}

	for i, v := range rows {
		s.VMOVUPS(v, at(i))
	}

	s.NEGQ(from)
	s.ADDQ(s.clock, from)
	s.find(r, from)

	for i, v := range rows {
		earlier := s.op(s.VMOVUPS, at(i))
		s.set(v, s.joins(s.fp, earlier, v))
	}

	s.Label(end)
}

// unlessNaN emits body, and for extrema a faster one for the case that there has been no NaN, among
// x or as many rows before as windows have.
func (s *slide) unlessNaN(x []value, body func()) {
	if s.sums {
		body()
		return
	}

	numbers, slow, end := s.label("numbers"), s.label("slow"), s.label("end")
	s.jumpIfNumbers(x, numbers)

	until := s.GP64()
	s.MOVQ(s.of(slideSpan), until)
	s.ADDQ(s.clock, until)
	s.MOVQ(until, s.of(slideUntil))

	s.Label(numbers)
	s.CMPQ(s.clock, s.of(slideUntil))
	s.JLT(operand.LabelRef(slow))

	exact := s.joins
	s.joins = s.fast
	body()
	s.joins = exact
	s.JMP(operand.LabelRef(end))

	s.Label(slow)
	body()
	s.Label(end)
}

// jumpIfNumbers jumps if there is no NaN in x.
func (s *slide) jumpIfNumbers(x []value, to string) {
	var masks []value
	for i := 0; i < len(x); i += 2 {
		masks = append(masks, s.cmp(unordered, x[i], x[min(i+1, len(x)-1)]))
	}
	last := masks[len(masks)-1]
	if s.wide() {
		s.KORTESTW(masks[0], last)
	} else {
		s.VPTEST(s.or(masks[0], last), s.or(masks[0], last))
	}
	s.JEQ(operand.LabelRef(to))
}

// store stores results, over the divisor if there is one.
func (s *slide) store(results []value, dst reg.GPVirtual) {
	if s.sums {
		s.when(slideDivides, 1, func() {
			divisor := s.broadcastFrom(s.of(slideDivisor), s.size)
			for _, r := range results {
				s.set(r, s.div(r, divisor))
			}
		})
	}

	plain, stored := s.label("plain"), s.label("stored")
	s.CMPQ(s.address("past"), operand.Imm(0))
	s.JEQ(operand.LabelRef(plain))

	for i, r := range results {
		s.VMOVNTPS(r, operand.Mem{Base: dst, Disp: i * s.width})
	}
	s.JMP(operand.LabelRef(stored))

	s.Label(plain)
	for i, r := range results {
		s.VMOVUPS(r, operand.Mem{Base: dst, Disp: i * s.width})
	}
	s.Label(stored)
}

// finish ends the function.
func (s *slide) finish() {
	skip := s.label("skip")
	s.MOVQ(s.clock, s.of(slideClock))
	s.CMPQ(s.address("past"), operand.Imm(0))
	s.JEQ(operand.LabelRef(skip))
	s.SFENCE()
	s.Label(skip)
	s.ret()
}
