package kernel

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A Slide computes windows of elements, all of one width, that move by one: dst[i] is that of the window which ends with
// src[i], for n elements, a positive multiple of the lanes of its type. It reads up to SlideBefore bytes before src, which are
// there whatever they hold if they are in no window. more, if it is not nil, gets the windows of 2·lanes elements. Where past is
// not 0, dst is stored past the caches, and aligned to 64 bytes.
//
// The value of a window of w elements is made of those of the powers of two of which w is the sum, in the order of the bits of w,
// the lowest one first; and these of the values of their halves. A minimum or maximum is that of two windows of the greatest
// power of two up to w, the earlier one first. So Slides give the bits that Add, Min and Max give for the same steps.
//
// Slides are called through CallSlide.
type Slide func(dst, more, src, plan unsafe.Pointer, n, past int)

// SlideBefore is the number of bytes before src that a Slide may read.
const SlideBefore = 4 * 64

// CallSlide calls f, as Call does for a Func.
//
//go:noinline
func CallSlide(f Slide, dst, more, src unsafe.Pointer, plan *SlidePlan, n int, past bool) {
	after := 0
	if past {
		after = 1
	}
	f(dst, more, src, unsafe.Pointer(plan), n, after)
}

// SlideLanes returns the number of elements of type t that a Slide goes by.
func SlideLanes(t dtype.Type) int { return 64 / t.Size() }

// A SlidePlan is the width of windows as Slides take it: the numbers of elements that vectors are shifted by, and more. The
// generator knows its layout.
type SlidePlan struct {
	index   [3][64]byte
	bits    uint64
	far     uint64 // whether the first of two windows is a vector or more before the second
	divides uint64
	divisor [8]byte
}

// NewSumPlan returns the plan of sums of windows of width elements of type t, from 1 to 4·lanes - 1, divided by divisor, unless that
// is 0.
func NewSumPlan(t dtype.Type, width int, divisor float64) *SlidePlan {
	lanes := SlideLanes(t)
	p := &SlidePlan{bits: uint64(width)}
	for i := range p.index {
		higher := width & (lanes - 1) &^ (2<<i - 1)
		p.shift(i, t, higher)
	}
	if divisor != 0 {
		p.divides = 1
		dtype.ScalarOf(divisor).Convert(t).Store(p.divisor[:t.Size()])
	}
	return p
}

// NewOrderPlan returns the plan of extrema of windows of width elements of type t, from 2 to 4·lanes - 1.
func NewOrderPlan(t dtype.Type, width int) *SlidePlan {
	lanes := SlideLanes(t)
	power := 1 << (bits.Len(uint(min(width, 4*lanes-1))) - 1)
	p := &SlidePlan{bits: uint64(power)}
	apart := width - power
	if apart >= lanes {
		p.far = 1
	}
	p.shift(0, t, apart&(lanes-1))
	return p
}

// shift makes index vector i pick, of two vectors, what is some elements before the second.
func (p *SlidePlan) shift(i int, t dtype.Type, elems int) {
	lanes := SlideLanes(t)
	for lane := range lanes {
		from := uint64(lane + lanes - elems)
		if t.Size() == 4 {
			binary.LittleEndian.PutUint32(p.index[i][4*lane:], uint32(from))
		} else {
			binary.LittleEndian.PutUint64(p.index[i][8*lane:], from)
		}
	}
}

// A SlideOp is what a Slide computes.
type SlideOp uint8

// The operations.
const (
	SlideSum SlideOp = iota
	SlideMin
	SlideMax
	numSlideOps
)

// LookupSlide returns the Slide of this CPU for op on elements of type t, nil if there is none.
func LookupSlide(op SlideOp, t dtype.Type) Slide {
	if !hasAVX512() {
		return nil
	}
	return slidesAVX512[op][t]
}
