package view

import "slices"

// A movePlan says how to move the elements of a box from one place to another: axes outermost
// first, each with its stride in both, and the positions of the first element. Moving does not
// depend on the order of the axes, so it can be arranged for speed.
type movePlan struct {
	dst, src int
	rank     int
	fromEnd  bool              // pieces of a contiguous row are moved from its end on
	all      [MaxRank]moveAxis // rank of them are in use; an array, so that plans stay on the stack
}

func (p *movePlan) axes() []moveAxis { return p.all[:p.rank] }

// reset makes p the plan of moving one element.
func (p *movePlan) reset(dst, src int) { p.dst, p.src, p.rank, p.fromEnd = dst, src, 0, false }

// A moveAxis is an axis of a movePlan, longer than 1.
type moveAxis struct{ n, dst, src int }

// planMove plans the move from src to dst, which have the same shape and are not empty.
func planMove(p *movePlan, dst, src Layout) {
	p.reset(dst.offset, src.offset)
	for i, a := range dst.axes {
		p.add(a.n, a.stride, src.axes[i].stride)
	}
	p.arrange()
}

// add appends an axis.
func (p *movePlan) add(n, dst, src int) {
	if n != 1 {
		p.all[p.rank] = moveAxis{n, dst, src}
		p.rank++
	}
}

// arrange makes the destination ascend, with the smallest strides innermost, and merges axes that
// continue each other in both places.
func (p *movePlan) arrange() {
	axes := p.axes()
	for i := range axes {
		if axes[i].dst < 0 {
			p.flip(i)
		}
	}

	// An insertion sort: there are few axes, mostly in order.
	for i := 1; i < len(axes); i++ {
		for j := i; j > 0 && axes[j].before(axes[j-1]); j-- {
			axes[j], axes[j-1] = axes[j-1], axes[j]
		}
	}

	merged := axes[:0]
	for _, a := range axes {
		if last := len(merged) - 1; last >= 0 && merged[last].dst == a.n*a.dst && merged[last].src == a.n*a.src {
			merged[last] = moveAxis{merged[last].n * a.n, a.dst, a.src}
			continue
		}
		merged = append(merged, a)
	}

	p.rank = len(merged)
}

// before reports whether a belongs outside of b.
func (a moveAxis) before(b moveAxis) bool {
	if a.dst != b.dst {
		return a.dst > b.dst
	}
	return abs(a.src) > abs(b.src)
}

// flip walks axis i from its other end.
func (p *movePlan) flip(i int) {
	a := &p.all[i]
	p.dst += (a.n - 1) * a.dst
	p.src += (a.n - 1) * a.src
	a.dst, a.src = -a.dst, -a.src
}

// reverse swaps destination and source; arrange follows.
func (p *movePlan) reverse() {
	p.dst, p.src = p.src, p.dst
	for i := range p.axes() {
		a := &p.all[i]
		a.dst, a.src = a.src, a.dst
	}
}

// isNested reports whether each axis steps over all that the axes inside it reach, in both places,
// so that the order of the indexes is that of memory.
func (p *movePlan) isNested() bool {
	reach := 1
	for _, a := range slices.Backward(p.axes()) {
		if a.dst < reach || a.src != a.dst {
			return false
		}
		reach = (a.n-1)*a.dst + reach
	}
	return true
}

// moveAway orders the walk of a nested plan, whose source is the destination shifted, so that every
// element is read before it is overwritten. up says that the destination lies after the source.
func (p *movePlan) moveAway(up bool) {
	if !up {
		return
	}
	p.fromEnd = true
	for i, a := range p.axes() {
		if a.dst != 1 { // a contiguous row is safe whole
			p.flip(i)
		}
	}
}

// isRun reports whether the plan moves one contiguous run to another.
func (p *movePlan) isRun() bool {
	return p.rank == 0 || p.rank == 1 && p.all[0].dst == 1 && p.all[0].src == 1
}

// layouts returns the plan as two layouts with the axes as arranged.
func (p *movePlan) layouts() (dst, src Layout) {
	dst = Layout{axes: make([]axis, p.rank), offset: p.dst}
	src = Layout{axes: make([]axis, p.rank), offset: p.src}
	for i, a := range p.axes() {
		dst.axes[i], src.axes[i] = axis{a.n, a.dst}, axis{a.n, a.src}
	}
	return dst, src
}
