package window

import (
	"math/bits"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// slides compute windows with the Sliders of kernel, in one go.
type slides[T float] struct {
	op      kernel.SlideOp
	width   int
	divisor float64
	lanes   int // elements of a vector

	along *kernel.Slider
	by    int // elements that along goes by

	across *kernel.Slider
	row    int // bytes of a row that across takes at most

	pad, made []T
}

const (
	madeElems  = 2048      // of results that are not wanted, at a time
	rowBytes   = 1 << 10   // of lanes side by side, at most
	fewBytes   = 256       // of lanes side by side of wide windows
	ringsBytes = 384 << 10 // that the rings of narrow windows take
)

// newSlides returns the state for windows of an operation. It returns nil if no kernel computes
// them.
func newSlides[T float](op Op, width int) *slides[T] {
	size := dtype.Of[T]().Size()
	s := &slides[T]{width: width, lanes: kernel.SlideWidth() / size}
	switch op {
	case Sum:
		s.op = kernel.SlideSum
	case Mean:
		s.op, s.divisor = kernel.SlideSum, float64(width)
	case Min:
		s.op = kernel.SlideMin
	case Max:
		s.op = kernel.SlideMax
	default:
		return nil
	}

	if s.lanes == 0 || width == 1 {
		return nil
	}

	s.made = make([]T, madeElems)
	return s
}

// moveAlong writes the windows of x to out.
func (s *slides[T]) moveAlong(out sink[T], x []T) {
	if s.along == nil {
		s.along, s.by = kernel.NewSliderAlong(s.op, dtype.Of[T](), s.width, s.divisor)
		s.pad = make([]T, s.by)
	}

	size, before := int(unsafe.Sizeof(x[0])), s.width-1
	past, at := out.past && len(out.dst)*size >= pastBytes, 0

	// Streamed stores must start at a cache line of the result: begin less than a step before x.
	if past {
		at = -int((uintptr(unsafe.Pointer(&out.dst[0]))-uintptr(before*size))%lineBytes) / size % s.by
	}

	for at < len(x) {
		// The first windows are not whole, so their results go to scratch memory. Then come the
		// bulk of the windows, and the ends, which are not a multiple of a step.
		switch n := (len(x) - at) / s.by * s.by; {
		case at >= 0 && at+s.by <= before:
			n = min(madeElems, (before-at)/s.by*s.by)
			s.along.Along(unsafe.Pointer(&s.made[0]), unsafe.Pointer(&x[at]), n, false)
			at += n
		case at >= before && n > 0:
			n = min(kernel.MaxCallBytes/size, n)
			s.along.Along(unsafe.Pointer(&out.dst[at-before]), unsafe.Pointer(&x[at]), n, past)
			at += n
		default:
			s.edge(out.dst, x, at)
			at += s.by
		}
	}
}

// edge takes the elements from number at on, which may be negative. Some of them do not exist, or
// do not end a window.
func (s *slides[T]) edge(dst, x []T, at int) {
	start, end := max(at, 0), min(at+s.by, len(x))
	copy(s.pad[start-at:], x[start:end])
	s.along.Along(unsafe.Pointer(&s.made[0]), unsafe.Pointer(&s.pad[0]), s.by, false)
	if before := s.width - 1; end > before {
		start = max(start, before)
		copy(dst[start-before:end-before], s.made[start-at:])
	}
}

// moveAcross sets cols elements of each row of step elements of out to windows over rows of x. cols
// is at least a vector.
func (s *slides[T]) moveAcross(out sink[T], x []T, cols, step int) {
	size := int(unsafe.Sizeof(x[0]))
	if row := min(s.rowBytes(), 1<<bits.Len(uint(cols*size-1))); row > s.row {
		s.across, s.row = kernel.NewSliderAcross(s.op, dtype.Of[T](), s.width, row, s.divisor), row
	}
	for col := 0; col < cols; {
		n := min(s.row/size, cols-col) / s.lanes * s.lanes
		if n == 0 { // the last ones once more
			n = s.lanes
			col = cols - n
		}
		past := out.past && uintptr(unsafe.Pointer(&out.dst[col]))%lineBytes == 0 && step*size%lineBytes == 0
		s.strip(sink[T]{out.dst[col:], past}, x[col:], n, step)
		col += n
	}
}

// rowBytes returns how many bytes of lanes are computed side by side, so that the rings stay in a
// cache.
func (s *slides[T]) rowBytes() int {
	top := 1 << bits.Len(uint(s.width)) >> 1
	rows, row := 2*top, rowBytes
	if s.op == kernel.SlideSum {
		lowest := s.width & -s.width
		rows = top + s.width - lowest
	}
	for row > fewBytes && rows*row > ringsBytes {
		row /= 2
	}
	return row
}

// strip is moveAcross for a whole number of vectors.
func (s *slides[T]) strip(out sink[T], x []T, cols, step int) {
	size := int(unsafe.Sizeof(x[0]))
	rows, most := (len(out.dst)-cols)/step+1, max(1, kernel.MaxCallBytes/(cols*size))
	area := kernel.SlideArea{Vectors: cols / s.lanes, From: step * size}
	for at := 0; at < s.width-1; at += area.Rows {
		area.Rows = min(most, s.width-1-at)
		s.across.Across(unsafe.Pointer(&s.made[0]), unsafe.Pointer(&x[at*step]), area, false)
	}
	area.To = area.From
	for at := 0; at < rows; at += area.Rows {
		area.Rows = min(most, rows-at)
		s.across.Across(unsafe.Pointer(&out.dst[at*step]), unsafe.Pointer(&x[(s.width-1+at)*step]), area, out.past)
	}
}
