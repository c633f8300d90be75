package view

import (
	"fmt"
	"iter"
	"slices"
)

// Overlap says whether elements share bytes.
type Overlap uint8

const (
	OverlapNo      Overlap = iota // no byte is shared
	OverlapYes                    // at least one byte is shared
	OverlapTooHard                // finding out would take too long
)

// String returns "no", "yes" or "too hard".
func (o Overlap) String() string {
	switch o {
	case OverlapNo:
		return "no"
	case OverlapYes:
		return "yes"
	}
	return "too hard"
}

// maxOverlapWork is the most values that are tried for one answer: within a millisecond, and far
// more than strides of real arrays need.
const maxOverlapWork = 1 << 14

// MayOverlap reports whether two layouts of elements of aSize and bSize bytes over one storage have
// a byte in common. The answer is exact, or OverlapTooHard for layouts of many axes whose strides
// nearly fit each other. To be safe, treat that like OverlapYes.
func MayOverlap(a Layout, aSize int, b Layout, bSize int) Overlap {
	fa, fb := footprint{layout: a, size: aSize}, footprint{layout: b, size: bSize}
	if a.NumElems() == 0 || b.NumElems() == 0 || aSize <= 0 || bSize <= 0 {
		return OverlapNo
	}
	if !fa.isCountable() || !fb.isCountable() {
		return OverlapTooHard
	}
	return fa.meets(fb)
}

// isCountable reports whether the positions of all bytes fit in an int.
func (f footprint) isCountable() bool {
	_, hi := f.layout.Bounds()
	return mulInto(&hi, f.size)
}

// meets reports whether two footprints in one file or in memory, which are not empty, have a byte
// in common. With all steps counted upwards, element i of f and j of g share byte p of one and q
// from the end of the other if
//
//	Σ i·|stride of f| + Σ j·|stride of g| + p + q = last byte of g - first byte of f.
func (f footprint) meets(g footprint) Overlap {
	fLo, fHi := f.bounds()
	gLo, gHi := g.bounds()
	if fHi <= gLo || gHi <= fLo {
		return OverlapNo
	}
	terms := make([]term, 0, len(f.layout.axes)+len(g.layout.axes)+1)
	terms = f.layout.appendTerms(terms, f.size)
	terms = g.layout.appendTerms(terms, g.size)
	terms = append(terms, term{1, f.size + g.size - 2})
	work := maxOverlapWork
	return solve(terms, gHi-1-fLo, &work)
}

// appendTerms appends the steps of the axes in units of which an element is size.
func (l Layout) appendTerms(terms []term, size int) []term {
	for _, a := range l.axes {
		if a.n > 1 && a.stride != 0 {
			terms = append(terms, term{abs(a.stride) * size, a.n - 1})
		}
	}
	return terms
}

// SelfOverlap reports whether the layout has one element at different indexes, as broadcasting and
// overlapping windows make it.
func (l Layout) SelfOverlap() Overlap {
	if l.NumElems() <= 1 || nested(slices.Backward(l.axes)) || nested(slices.All(l.axes)) {
		return OverlapNo
	}
	for _, a := range l.axes {
		if a.n > 1 && a.stride == 0 {
			return OverlapYes
		}
	}
	steps := l.appendTerms(make([]term, 0, len(l.axes)), 1)
	sortTerms(steps)
	if areNested(steps) {
		return OverlapNo
	}
	return solveSelf(steps)
}

// nested reports whether each step is longer than the reach of all axes before it together. That is
// the usual case in C and Fortran order, and needs no sorting.
func nested(axes iter.Seq2[int, axis]) bool {
	reach := 0
	for _, a := range axes {
		if a.n <= 1 {
			continue
		}
		if abs(a.stride) <= reach {
			return false
		}
		reach += (a.n - 1) * abs(a.stride)
	}
	return true
}

// checkDistinct returns an error if the layout surely repeats elements.
func (l Layout) checkDistinct() error {
	if l.SelfOverlap() != OverlapYes {
		return nil
	}
	for i, a := range l.axes {
		if a.n > 1 && a.stride == 0 {
			return fmt.Errorf("axis %d shows one element %d times (stride 0): %w", i, a.n, ErrRepeats)
		}
	}
	return fmt.Errorf("the axes with strides %s meet in the same elements: %w", formatShape(l.Strides()), ErrRepeats)
}

// areNested reports whether each step is longer than all shorter ones together reach, so that no
// two sums of them are equal. The longest comes first.
func areNested(steps []term) bool {
	reach := 0
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].coef <= reach {
			return false
		}
		reach += steps[i].coef * steps[i].bound
	}
	return true
}

// solveSelf reports whether two different choices of steps have equal sums: whether there are
// differences d of indexes, -bound ≤ d ≤ bound, not all 0, with Σ coef·d = 0. Each axis in turn is
// taken for the first with d ≠ 0, which may be counted upwards; the others are shifted to start
// from 0.
func solveSelf(steps []term) Overlap {
	work := maxOverlapWork
	for k, first := range steps {
		terms := []term{{first.coef, first.bound - 1}}
		target := first.coef * first.bound
		for _, s := range steps[k+1:] {
			if !addInto(&target, s.coef*s.bound) {
				return OverlapTooHard
			}
			terms = append(terms, term{s.coef, 2 * s.bound})
		}
		if answer := solve(terms, target, &work); answer != OverlapNo {
			return answer
		}
	}
	return OverlapNo
}
