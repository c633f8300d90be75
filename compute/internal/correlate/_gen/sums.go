package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An element is what a kernel multiplies and adds.
type element int

const (
	float64s element = iota
	int32s
	int64s
)

func (e element) String() string { return [...]string{"Float64", "Int32", "Int64"}[e] }

func (e element) size() int { return [...]int{8, 4, 8}[e] }

// sums is a kernel that keeps the sums of some registers side by side.
type sums struct {
	*build.Context
	elem    element
	width   int // bytes of a register
	vectors int
}

// run is the number of taps whose products are added up before their sum is added, with its error,
// to that of those before.
const run = 8

// stripe is the number of sums that a call makes at least: n is a multiple of it.
const stripe = 128

func (s sums) name() string {
	isa := "AVX2"
	if s.width == zmmBytes {
		isa = "AVX512"
	}
	return fmt.Sprintf("sums%v%s", s.elem, isa)
}

// stripBytes is the size of the sums in registers.
func (s sums) stripBytes() int { return s.vectors * s.width }

// generate writes one function.
func (s sums) generate() {
	if stripe*s.elem.size()%s.stripBytes() != 0 {
		panic(s.name() + ": a strip is no part of what a call makes")
	}

	s.Function(s.name())
	s.Attributes(attr.NOSPLIT)
	s.SignatureExpr("func(sums, rests, x, values *byte, offsets *int, taps, n int)")
	s.Doc(s.name() + " adds products of elements and taps to n sums; see sumsFunc.")
	s.Pragma("noescape")

	// Each pass of the outer loop makes one strip of sums, which stay in registers for all taps.
	total, rests, x, n := s.load("sums"), s.load("rests"), s.load("x"), s.load("n")
	strips := n
	s.SHRQ(Imm(uint64(log2(s.stripBytes()/s.elem.size()))), strips)

	s.Label("strip")
	offsets, values, taps := s.load("offsets"), s.load("values"), s.load("taps")
	if s.elem == float64s {
		s.float(total, rests, x, offsets, values, taps)
	} else {
		s.integer(total, x, offsets, values, taps)
	}

	for _, p := range []reg.GPVirtual{total, rests, x} {
		s.ADDQ(U32(uint32(s.stripBytes())), p)
	}
	s.DECQ(strips)
	s.JNZ(LabelRef("strip"))

	s.VZEROUPPER()
	s.RET()
}

func log2(n int) int {
	k := 0
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

// float adds runs of products to sums, whose errors go to rests.
func (s sums) float(total, rests, x, offsets, values, taps reg.GPVirtual) {
	sum, rest, part := s.registers(), s.registers(), s.registers()
	s.each(func(i, disp int) {
		s.VMOVUPD(Mem{Base: total, Disp: disp}, sum[i])
		s.VMOVUPD(Mem{Base: rests, Disp: disp}, rest[i])
	})

	// Products of a run of taps are added up in part, and only the run's sum is added with its
	// error.
	left := s.GP64()
	s.Label("run")
	s.each(func(i, _ int) { s.zero(part[i]) })
	s.MOVQ(U32(run), left)
	s.CMPQ(taps, left)
	s.CMOVQLT(taps, left)
	s.SUBQ(left, taps)

	s.Label("tap")
	at, value := s.GP64(), s.register()
	s.MOVQ(Mem{Base: offsets}, at)
	s.VBROADCASTSD(Mem{Base: values}, value)
	s.each(func(i, disp int) {
		s.VFMADD231PD(Mem{Base: x, Index: at, Scale: 8, Disp: disp}, value, part[i])
	})
	s.ADDQ(Imm(8), offsets)
	s.ADDQ(Imm(8), values)
	s.DECQ(left)
	s.JNZ(LabelRef("tap"))

	s.each(func(i, _ int) { s.addWithError(sum[i], rest[i], part[i]) })
	s.TESTQ(taps, taps)
	s.JNZ(LabelRef("run"))

	s.each(func(i, disp int) {
		s.VMOVUPD(sum[i], Mem{Base: total, Disp: disp})
		s.VMOVUPD(rest[i], Mem{Base: rests, Disp: disp})
	})
}

// addWithError adds part to sum, and what rounding takes away to rest, as Knuth's TwoSum does.
func (s sums) addWithError(sum, rest, part reg.VecVirtual) {
	next, other := s.register(), s.register()
	s.VADDPD(part, sum, next)
	s.VSUBPD(sum, next, other)   // what of part is in next
	s.VSUBPD(other, part, part)  // what of part is not
	s.VSUBPD(other, next, other) // what of sum is in next
	s.VSUBPD(other, sum, other)  // what of sum is not
	s.VADDPD(part, other, other)
	s.VADDPD(other, rest, rest)
	s.VMOVAPD(next, sum)
}

// integer adds products to sums, tap by tap.
func (s sums) integer(total, x, offsets, values, taps reg.GPVirtual) {
	sum := s.registers()
	s.each(func(i, disp int) { s.VMOVUPS(Mem{Base: total, Disp: disp}, sum[i]) })

	s.Label("tap")
	at, value := s.GP64(), s.register()
	s.MOVQ(Mem{Base: offsets}, at)
	if s.elem == int32s {
		s.VPBROADCASTD(Mem{Base: values}, value)
	} else {
		s.VPBROADCASTQ(Mem{Base: values}, value)
	}

	s.each(func(i, disp int) {
		product, from := s.register(), Mem{Base: x, Index: at, Scale: uint8(s.elem.size()), Disp: disp}
		if s.elem == int32s {
			s.VPMULLD(from, value, product)
			s.VPADDD(product, sum[i], sum[i])
		} else {
			s.VPMULLQ(from, value, product)
			s.VPADDQ(product, sum[i], sum[i])
		}
	})

	s.ADDQ(Imm(8), offsets)
	s.ADDQ(Imm(uint64(s.elem.size())), values)
	s.DECQ(taps)
	s.JNZ(LabelRef("tap"))

	s.each(func(i, disp int) { s.VMOVUPS(sum[i], Mem{Base: total, Disp: disp}) })
}

// each calls fn for the registers of a strip, with the places of their sums.
func (s sums) each(fn func(i, disp int)) {
	for i := range s.vectors {
		fn(i, i*s.width)
	}
}

func (s sums) load(param string) reg.GPVirtual {
	return s.Load(s.Param(param), s.GP64()).(reg.GPVirtual)
}

func (s sums) register() reg.VecVirtual {
	if s.width == zmmBytes {
		return s.ZMM()
	}
	return s.YMM()
}

func (s sums) registers() []reg.VecVirtual {
	all := make([]reg.VecVirtual, s.vectors)
	for i := range all {
		all[i] = s.register()
	}
	return all
}

func (s sums) zero(r reg.VecVirtual) {
	if s.width == zmmBytes {
		s.VPXORQ(r, r, r)
	} else {
		s.VPXOR(r, r, r)
	}
}
