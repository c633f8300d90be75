package view

import (
	"context"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// stagedBytes is what a copy between places has of the larger elements at a time.
const stagedBytes = 1 << 20

// isHost reports whether the bytes are in host memory.
func (o *owner) isHost() bool { return o.st.Place() == mmapstore.CPU }

// copyBetween copies the stretched source where one of the operands is on a device: piece by piece,
// each packed in host memory on its way.
func copyBetween(ctx context.Context, dst, src *Tensor, stretched Layout) error {
	rel := disjoint
	if to, from, ok := deviceFootprints(dst, src, stretched); ok {
		rel = overlapOf(to, from)
	}
	switch {
	case rel == shifted || rel == tangled:
		return copyThroughTemp(ctx, dst, src)
	case rel == same && dst.dt == src.dt:
		return nil
	}

	var p movePlan
	planMove(&p, dst.layout, stretched)
	if dst.own.isHost() {
		p.arrangeBySource()
	}
	c := newCarrier(ctx, dst, src)
	return p.eachBox(p.pieces(c.count, !dst.own.isHost() && !src.own.isHost()), c.carry)
}

// deviceFootprints returns the footprints of two tensors of which one is on a device: of a, and of
// b with another layout. ok is false if they share no memory.
func deviceFootprints(a, b *Tensor, l Layout) (x, y footprint, ok bool) {
	distance, ok := a.own.st.Distance(b.own.st)
	return footprint{base: int(distance), layout: a.layout, size: a.dt.Size()}, footprint{layout: l, size: b.dt.Size()}, ok
}

// arrangeBySource is arrange with the source ascending instead of the destination.
func (p *movePlan) arrangeBySource() {
	p.reverse()
	p.arrange()
	p.reverse()
}

// pieces returns how many indexes of each axis a piece of at most count elements has. square says
// that runs are wanted in both places, not in the one that the plan is arranged by alone.
func (p *movePlan) pieces(count int, square bool) (box [MaxRank]int) {
	for i := range p.axes() {
		box[i] = 1
	}
	grow := func(i, most int) {
		n := max(min(p.all[i].n, most, box[i]*count), box[i])
		count = count * box[i] / n
		box[i] = n
	}

	last := p.rank - 1
	if square && p.rank > 0 {
		side := 1
		for side*side*4 <= count {
			side *= 2
		}
		grow(last, side)
		grow(p.innermostOfSource(), side)
	}
	for i := last; i >= 0; i-- {
		grow(i, p.all[i].n)
	}
	return box
}

// innermostOfSource returns the axis with the smallest steps in the source.
func (p *movePlan) innermostOfSource() int {
	best := p.rank - 1
	for i, a := range p.axes() {
		if step := abs(a.src); step != 0 && (p.all[best].src == 0 || step < abs(p.all[best].src)) {
			best = i
		}
	}
	return best
}

// eachBox cuts p into plans that have up to so many indexes of each axis, and calls fn with each.
func (p *movePlan) eachBox(box [MaxRank]int, fn func(*movePlan) error) error {
	var at [MaxRank]int
	for {
		var part movePlan
		part.reset(p.dst, p.src)
		for i, a := range p.axes() {
			part.dst += at[i] * a.dst
			part.src += at[i] * a.src
			part.add(min(box[i], a.n-at[i]), a.dst, a.src)
		}
		if err := fn(&part); err != nil {
			return err
		}

		// Go to the next box in C order.
		i := p.rank - 1
		for ; i >= 0; i-- {
			if at[i] += box[i]; at[i] < p.all[i].n {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return nil
		}
	}
}

// A carrier carries pieces of one tensor to another.
type carrier struct {
	dst, src  *Tensor
	to, from  transport
	count     int    // elements of a piece at most
	read      []byte // a piece as src has it
	converted []byte // and as dst has it; nil if they are of one type
}

func newCarrier(ctx context.Context, dst, src *Tensor) *carrier {
	c := &carrier{dst: dst, src: src, to: transport{ctx: ctx}, from: transport{ctx: ctx}}
	c.count = stagedBytes / max(dst.dt.Size(), src.dt.Size())
	n := min(c.count, dst.NumElems())
	c.read = make([]byte, n*src.dt.Size())
	if dst.dt != src.dt {
		c.converted = make([]byte, n*dst.dt.Size())
	}
	return c
}

// carry carries one piece.
func (c *carrier) carry(p *movePlan) error {
	n := p.numElems()
	in, out := *p, *p
	in.dst, out.src = 0, 0
	step := n
	for i, a := range p.axes() {
		step /= a.n
		in.all[i].dst, out.all[i].src = step, step
	}

	// The elements are packed in the order of the plan.
	read := c.read[:n*c.src.dt.Size()]
	if err := c.from.load(c.src.own, &in, read, c.src.dt.Size()); err != nil {
		return err
	}
	if c.converted != nil {
		converted := c.converted[:n*c.dst.dt.Size()]
		dtype.Convert(converted, c.dst.dt, read, c.src.dt)
		read = converted
	}
	return c.to.store(c.dst.own, &out, read, c.dst.dt.Size())
}
