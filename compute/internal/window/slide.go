package window

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// slides are windows that a kernel.Slide computes.
type slides[T float] struct {
	fn     kernel.Slide
	plan   *kernel.SlidePlan
	lanes  int
	before int // elements that fn may read before those that it is given

	pad, made, more []T // for few elements
}

// newSlides returns how to compute windows of an operation, nil if there is no kernel. Sums of fewer than 4·lanes elements are whole,
// of others what the width is beyond a multiple of that, and beside them sums of 2·lanes elements. Extrema are whole, or those of
// 2·lanes elements.
func newSlides[T float](op Op, width int) *slides[T] {
	t := dtype.Of[T]()
	lanes := kernel.SlideLanes(t)
	s := &slides[T]{lanes: lanes, before: kernel.SlideBefore / t.Size()}
	whole := width < 4*lanes
	switch {
	case width == 1:
	case op == Sum || op == Mean && !whole:
		s.fn, s.plan = kernel.LookupSlide(kernel.SlideSum, t), kernel.NewSumPlan(t, width&(4*lanes-1), 0)
	case op == Mean:
		s.fn, s.plan = kernel.LookupSlide(kernel.SlideSum, t), kernel.NewSumPlan(t, width, float64(width))
	case op == Min || op == Max:
		if !whole {
			width = 2 * lanes
		}
		fn := map[Op]kernel.SlideOp{Min: kernel.SlideMin, Max: kernel.SlideMax}[op]
		s.fn, s.plan = kernel.LookupSlide(fn, t), kernel.NewOrderPlan(t, width)
	}
	if s.fn == nil {
		return nil
	}
	s.pad, s.made, s.more = make([]T, 2*s.before), make([]T, s.before), make([]T, s.before)
	return s
}

// run sets out to the windows that end with x[first], x[first+1], … and more, unless it is nil, to those of 2·lanes elements.
// Windows that begin before x are anything.
func (s *slides[T]) run(out sink[T], more, x []T, first int) {
	n, done := len(out.dst), 0
	if head := min(n, s.before-first); head > 0 {
		s.few(out.dst, more, x, first, 0, head)
		done = head
	}
	past := out.past && (n-done)*int(unsafe.Sizeof(x[0])) >= pastBytes
	if past {
		ahead := int(-uintptr(unsafe.Pointer(&out.dst[done]))%lineBytes) / int(unsafe.Sizeof(x[0]))
		s.many(out.dst, more, x, first, done, s.lanes, false)
		done += ahead
	}
	whole := (n - done) / s.lanes * s.lanes
	s.many(out.dst, more, x, first, done, whole, past)
	s.few(out.dst, more, x, first, done+whole, n)
}

// many computes results at to at+n, a multiple of lanes.
func (s *slides[T]) many(dst, more, x []T, first, at, n int, past bool) {
	step := kernel.MaxCallBytes / int(unsafe.Sizeof(x[0]))
	for end := at + n; at < end; at += step {
		var beside unsafe.Pointer
		if more != nil {
			beside = unsafe.Pointer(&more[at])
		}
		kernel.CallSlide(s.fn, unsafe.Pointer(&dst[at]), beside, unsafe.Pointer(&x[first+at]), s.plan, min(step, end-at), past)
	}
}

// few computes results at to end, of a copy of what they are made of.
func (s *slides[T]) few(dst, more, x []T, first, at, end int) {
	if at == end {
		return
	}
	start := first + at
	have := min(start, s.before)
	copy(s.pad[s.before-have:], x[start-have:first+end])
	n := (end - at + s.lanes - 1) / s.lanes * s.lanes
	s.many(s.made, s.more, s.pad, s.before, 0, n, false)
	copy(dst[at:end], s.made)
	if more != nil {
		copy(more[at:end], s.more)
	}
}
