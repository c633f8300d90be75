package kernel

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A Slide goes on with moving windows: dst gets those that end with the elements of src. There are
// Slides along elements that follow one another, and across rows of vectors, each element of which
// belongs to a lane of its own. n is the number of elements or of rows. Where past is not 0, dst is
// stored past the caches, and aligned to 64 bytes.
//
// The sum of w elements is made of those of the powers of two of which w is the sum, in the order
// of the bits of w, the lowest one first; and these of the sums of their halves. A minimum or
// maximum is that of smaller windows, the earlier one first. So Slides give the bits that Add, Min
// and Max give for the same steps.
//
// What is needed of earlier windows lies in rings, one for each power of two, of as many rows as
// the windows have. Slides are called through a Slider.
type Slide func(dst, src, state unsafe.Pointer, n, past int)

// A SlideOp is the operation of a Slide.
type SlideOp uint8

// The operations.
const (
	SlideSum SlideOp = iota
	SlideMin
	SlideMax
	numSlideOps
)

// slides are the Slides of an instruction set.
type slides struct {
	width         int // of a vector in bytes
	vectors       int // of a row along elements
	along, across [numSlideOps][numTypes]Slide
}

// bestSlides returns the Slides of this CPU, nil if there are none.
func bestSlides() *slides {
	switch {
	case hasAVX512():
		return &slidesAVX512
	case hasAVX2():
		return &slidesAVX2
	}
	return nil
}

// slideState is the start of the memory of a Slide. The generator knows its layout.
type slideState struct {
	rows    uint64 // of a window
	low     uint64 // elements of a window beyond its rows
	power   uint64 // of two, the greatest up to rows: bytes
	delay   uint64 // rows beyond power: bytes
	clock   uint64 // bytes of rows gone through
	sums    uint64 // where the rings of joined windows are, behind those of windows
	divides uint64
	divisor [8]byte

	row      uint64 // bytes
	from, to uint64 // bytes from one row to the next
	vectors  uint64 // of a row
	ahead    uint64 // bytes from what is read to what is fetched from memory

	narrow uint64 // the greatest power of two up to low if there are no rows
	span   uint64 // clock ticks that a NaN is in a window, at most
	until  uint64 // when the last NaN has left
}

// Places behind slideState.
const (
	slideSaved = 128
	slideRings = 1024
	slideSkew  = 320
)

// A Slider computes moving windows of one width. What it is given first is no part of a whole
// window: results are windows from the width-th on, and anything before. It belongs to one
// goroutine.
type Slider struct {
	fn     Slide
	state  *slideState
	memory []byte
}

// SlideWidth returns the number of bytes of the vectors that Sliders of this CPU take, 0 if there
// are none.
func SlideWidth() int {
	if s := bestSlides(); s != nil {
		return s.width
	}
	return 0
}

// NewSliderAlong returns the Slider of windows of width elements, divided by divisor, unless that
// is 0. It goes by as many elements as it returns. There is none if SlideWidth is 0.
func NewSliderAlong(op SlideOp, t dtype.Type, width int, divisor float64) (*Slider, int) {
	return bestSlides().newAlong(op, t, width, divisor)
}

func (s *slides) newAlong(op SlideOp, t dtype.Type, width int, divisor float64) (*Slider, int) {
	row := s.width * s.vectors
	elems := row / t.Size()
	return newSlider(s.along[op][t], op, t, width/elems, width%elems, row, divisor), elems
}

// NewSliderAcross returns the Slider of windows of width elements, divided by divisor, unless that
// is 0, of lanes side by side. Rows of them are at most row bytes, a power of two that SlideWidth
// divides.
func NewSliderAcross(op SlideOp, t dtype.Type, width, row int, divisor float64) *Slider {
	return bestSlides().newAcross(op, t, width, row, divisor)
}

func (s *slides) newAcross(op SlideOp, t dtype.Type, width, row int, divisor float64) *Slider {
	return newSlider(s.across[op][t], op, t, width, 0, row, divisor)
}

func newSlider(fn Slide, op SlideOp, t dtype.Type, rows, low, row int, divisor float64) *Slider {
	// levels is the number of doublings; power is the largest power of two up to rows.
	levels := bits.Len(uint(rows))
	power := 1 << levels >> 1
	rings := 2*power*row + (levels+1)*slideSkew

	// -address & 63 is the number of bytes up to the next multiple of 64.
	memory := make([]byte, slideRings+2*rings+63)
	memory = memory[-uintptr(unsafe.Pointer(&memory[0]))&63:]

	s := &Slider{fn: fn, memory: memory, state: (*slideState)(unsafe.Pointer(&memory[0]))}
	*s.state = slideState{
		rows: uint64(rows), low: uint64(low), power: uint64(power * row), delay: uint64((rows - power) * row), sums: uint64(rings),
		row: uint64(row), span: uint64((rows + 2) * row),
	}

	if rows == 0 {
		s.state.narrow = 1 << (bits.Len(uint(low)) - 1)
	}

	if divisor != 0 {
		s.state.divides = 1
		dtype.ScalarOf(divisor).Convert(t).Store(s.state.divisor[:t.Size()])
	}

	// Windows begin with what leaves others as they are when joined with them.
	none := [numSlideOps]float64{math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}[op]
	for at := slideSaved; at < slideRings; at += t.Size() {
		dtype.ScalarOf(none).Convert(t).Store(memory[at:][:t.Size()])
	}

	return s
}

// Along sets dst to windows that end with n elements of src, a positive multiple of those that the
// Slider goes by.
//
//go:noinline
func (s *Slider) Along(dst, src unsafe.Pointer, n int, past bool) {
	s.fn(dst, src, unsafe.Pointer(s.state), n, flag(past))
}

// A SlideArea says what rows a Slider goes through: how many, of how many vectors, at how many
// bytes from each other.
type SlideArea struct{ Rows, Vectors, From, To int }

// Across sets dst to windows that end with rows of src.
//
//go:noinline
func (s *Slider) Across(dst, src unsafe.Pointer, a SlideArea, past bool) {
	s.state.from, s.state.to, s.state.vectors = uint64(a.From), uint64(a.To), uint64(a.Vectors)
	s.state.ahead = uint64(a.From * max(1, slideAhead/(a.Vectors*slideLeast)))
	s.fn(dst, src, unsafe.Pointer(s.state), a.Rows, flag(past))
}

const (
	slideAhead = 2 << 10 // bytes of rows that are fetched from memory before they are read, about
	slideLeast = 32      // bytes of a vector, at least
)

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
