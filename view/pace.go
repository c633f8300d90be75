package view

import (
	"context"
	"slices"
)

// lookBytes is the most that is moved between two looks at a context.
const lookBytes = 32 << 20

// apartBytes is the number of bytes that an element counts for if it lies apart from others: it may
// have to be read from a disk, together with its surroundings.
const apartBytes = 32 << 10

// A pace decides when to look at a context again.
type pace struct {
	ctx  context.Context
	left int // bytes that may be moved before the next look
}

// look is called before n bytes are moved. It returns the error of the context, if that has ended.
func (p *pace) look(n int) error {
	if p.left -= n; p.left >= 0 {
		return nil
	}
	p.left = lookBytes - n
	return p.ctx.Err()
}

// moveUntil is move until the context ends.
func (p *movePlan) moveUntil(ctx context.Context, dst, src []byte, size int) error {
	if p.isSmall() {
		p.move(dst, src, size)
		return ctx.Err()
	}
	return p.eachPiece(&pace{ctx: ctx}, size, func(piece *movePlan) { piece.move(dst, src, size) })
}

// isSmall reports whether the plan may be carried out without a look, whatever it moves.
func (p *movePlan) isSmall() bool { return p.numElems() <= lookBytes/apartBytes }

// eachPiece cuts p into plans, each of which may be moved without looking at the context, and calls
// fn with them in order until the context ends. size is the size of the larger elements. p is a
// copy, so a small plan need not be on the heap.
func (p movePlan) eachPiece(pace *pace, size int, fn func(piece *movePlan)) error {
	return p.cut(pace, p.spread(size), fn)
}

// cut is eachPiece for elements that count as spread bytes each.
func (p *movePlan) cut(pace *pace, spread int, fn func(piece *movePlan)) error {
	all := p.numElems()
	if all*spread <= lookBytes {
		if err := pace.look(all * spread); err != nil {
			return err
		}
		fn(p)
		return nil
	}

	// Cut the axis that gives pieces of about lookBytes, and cut again what is still larger.
	i := p.axisToCut(lookBytes / spread)
	a := p.all[i]
	step := max(1, lookBytes/spread*a.n/all)

	for first := 0; first < a.n; first += step {
		at, n := first, min(step, a.n-first)
		if p.fromEnd && a.dst == 1 {
			at = a.n - first - n
		}
		part := p.part(i, at, n)
		if err := part.cut(pace, spread, fn); err != nil {
			return err
		}
	}

	return nil
}

// axisToCut returns the axis along which to cut the plan into pieces of count elements: the
// outermost one. If that one is walked in tiles with the innermost axis, it is the innermost, which
// leaves rows of the source whole.
func (p *movePlan) axisToCut(count int) int {
	last := p.rank - 1
	inner := p.all[last]
	if inner.src != 0 && tileAxis(p.all[:last], inner) == 0 && count*inner.n/p.numElems() >= tileSide {
		return last
	}
	return 0
}

// part returns the plan for n indexes of axis i, from number first on.
func (p *movePlan) part(i, first, n int) movePlan {
	part := movePlan{dst: p.dst + first*p.all[i].dst, src: p.src + first*p.all[i].src, fromEnd: p.fromEnd}
	for k, a := range p.axes() {
		if k == i {
			a.n = n
		}
		part.add(a.n, a.dst, a.src)
	}
	return part
}

// spread returns how many bytes an element of size bytes counts as: more than those where elements
// lie apart in one of the places.
func (p *movePlan) spread(size int) int {
	n := p.numElems()
	to := p.touched(size, func(a moveAxis) int { return abs(a.dst) })
	from := p.touched(size, func(a moveAxis) int { return abs(a.src) })
	return max(size, to/n, from/n)
}

// touched returns how many bytes the plan touches on one side, where stride returns the step of an
// axis. Elements that lie apart count as apartBytes.
func (p *movePlan) touched(size int, stride func(moveAxis) int) int {
	axes := slices.Clone(p.axes())
	slices.SortFunc(axes, func(a, b moveAxis) int { return stride(a) - stride(b) })
	sum := size
	for _, a := range axes {
		if step := stride(a); step > 0 {
			sum = a.n * max(sum, min(step*size, apartBytes))
		}
	}
	return sum
}
