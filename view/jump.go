package view

import (
	"context"
	"errors"
	"slices"

	"github.com/tstore/tstore/dtype"
)

// errChanged is the error of a mask that has another number of true elements than when they were
// counted.
var errChanged = errors.New("a mask was changed while it was used")

// A jumpMove moves boxes of elements, all of one shape, between places in two tensors that have no
// strides in common. The operands share no bytes.
type jumpMove struct {
	dst, src       *Tensor
	to, from       places
	dstBox, srcBox []axis // the axes of a box on either side

	// On one side the places are regular: how far neighbouring ones are apart there, or 0.
	step       int
	srcRegular bool

	pace           pace
	cost           int      // of moving one box of inner, in bytes
	outer, inner   movePlan // outer is walked around all places of a chunk, inner moved at each
	toPos, fromPos [placeChunk]int
}

// run moves all boxes, one after the other for each element of a box, until ctx ends.
func (j *jumpMove) run(ctx context.Context) error {
	j.plan()
	j.pace.ctx = ctx
	c := copyJob{dst: j.dst, src: j.src}
	j.cost = max(apartBytes, j.inner.numElems()*j.inner.spread(c.elemCost()))
	for {
		n, err := j.places(ctx)
		if err != nil || n == 0 {
			return err
		}
		err = withBoth(j.dst, j.src, func(db, sb []byte) error { return j.moveChunk(db, sb, n) })
		if err != nil {
			return err
		}
	}
}

// places works out the next places of both sides and returns their number.
func (j *jumpMove) places(ctx context.Context) (int, error) {
	bounded, filled := j.from, j.to
	limit, rest := j.fromPos[:], j.toPos[:]
	if j.srcRegular {
		bounded, filled, limit, rest = filled, bounded, rest, limit
	}

	// The jumping side says how many places come next. The other one is regular and fills up to as
	// many.
	n, err := bounded.next(ctx, limit)
	if err != nil {
		return 0, err
	}

	for got := 0; got < n; {
		m, err := filled.next(ctx, rest[got:n])
		if err != nil {
			return 0, err
		}
		if m == 0 {
			return 0, errChanged
		}
		got += m
	}

	return n, nil
}

// plan parts the axes of the boxes. Those along which the regular side is wider than from one box
// to the next go outside, so that it is walked in the order of memory.
func (j *jumpMove) plan() {
	j.outer.reset(0, 0)
	j.inner.reset(0, 0)
	for i, a := range j.dstBox {
		j.inner.add(a.n, a.stride, j.srcBox[i].stride)
	}

	j.inner.arrange()

	if j.step == 0 || j.inner.isRun() {
		return
	}

	all := slices.Clone(j.inner.axes())
	j.outer.reset(j.inner.dst, j.inner.src)
	j.inner.reset(0, 0)

	for _, a := range all {
		stride := a.dst
		if j.srcRegular {
			stride = abs(a.src)
		}
		if stride > j.step {
			j.outer.add(a.n, a.dst, a.src)
		} else {
			j.inner.add(a.n, a.dst, a.src)
		}
	}
}

// moveChunk moves the boxes of n places.
func (j *jumpMove) moveChunk(db, sb []byte, n int) error {
	var idx [MaxRank]int
	loops := j.outer.axes()
	p := j.inner
	for d, s := j.outer.dst, j.outer.src; ; {
		p.dst, p.src = j.inner.dst+d, j.inner.src+s
		if err := j.moveInner(&p, db, sb, n); err != nil {
			return err
		}
		if !advanceBoth(idx[:len(loops)], loops, &d, &s) {
			return nil
		}
	}
}

// moveInner carries out p at n places: several at a time where boxes are small, otherwise each in
// pieces.
func (j *jumpMove) moveInner(p *movePlan, db, sb []byte, n int) error {
	count := lookBytes / j.cost
	if count == 0 {
		return j.moveLarge(p, db, sb, n)
	}

	for first := 0; first < n; first += count {
		m := min(count, n-first)
		if err := j.pace.look(m * j.cost); err != nil {
			return err
		}

		to, from := j.toPos[first:first+m], j.fromPos[first:first+m]
		if j.dst.dt == j.src.dt {
			p.moveAt(db, sb, j.dst.dt.Size(), to, from)
		} else {
			j.convertAt(p, db, sb, to, from)
		}
	}
	return nil
}

// moveLarge moves the boxes of n places piece by piece.
func (j *jumpMove) moveLarge(p *movePlan, db, sb []byte, n int) error {
	c := copyJob{dst: j.dst, src: j.src, db: db, sb: sb}
	box := *p
	for k, to := range j.toPos[:n] {
		box.dst, box.src = p.dst+to, p.src+j.fromPos[k]
		if err := box.eachPiece(&j.pace, c.elemCost(), c.carryOut); err != nil {
			return err
		}
	}
	return nil
}

// convertAt moves boxes between places through their conversion: several at a time where they are
// small, otherwise each for itself.
func (j *jumpMove) convertAt(p *movePlan, db, sb []byte, toPos, fromPos []int) {
	size, n := p.numElems(), len(toPos)

	// A large box is converted in place, one after the other. p is put back for the next call.
	if size > convertElems {
		c := copyJob{dst: j.dst, src: j.src, db: db, sb: sb}
		d, s := p.dst, p.src
		for k, to := range toPos {
			p.dst, p.src = d+to, s+fromPos[k]
			c.convert(p)
		}
		p.dst, p.src = d, s
		return
	}

	in, out := p.packed()

	// Small boxes are packed side by side, converted in one call, and moved to their places.
	count := convertElems / size
	from := make([]byte, min(count, n)*size*j.src.dt.Size())
	to := make([]byte, min(count, n)*size*j.dst.dt.Size())
	at := make([]int, min(count, n))
	for i := range at {
		at[i] = i * size
	}

	for first := 0; first < n; first += count {
		m := min(count, n-first)
		fromPart, toPart := from[:m*size*j.src.dt.Size()], to[:m*size*j.dst.dt.Size()]
		in.moveAt(fromPart, sb, j.src.dt.Size(), at[:m], fromPos[first:first+m])
		dtype.Convert(toPart, j.dst.dt, fromPart, j.src.dt)
		out.moveAt(db, toPart, j.dst.dt.Size(), toPos[first:first+m], at[:m])
	}
}

// numElems returns the number of elements that p moves.
func (p *movePlan) numElems() int {
	n := 1
	for _, a := range p.axes() {
		n *= a.n
	}
	return n
}

// packed returns the move in two: from the source to packed elements, and from those to the
// destination.
func (p *movePlan) packed() (in, out movePlan) {
	in.reset(0, p.src)
	out.reset(p.dst, 0)
	step := p.numElems()
	for _, a := range p.axes() {
		step /= a.n
		in.add(a.n, step, a.src)
		out.add(a.n, a.dst, step)
	}
	in.arrange()
	out.arrange()
	return in, out
}

// moveAt carries out the plan once for each pair of places, which it adds to the plan's positions.
func (p *movePlan) moveAt(dst, src []byte, size int, to, from []int) {
	switch size {
	case 1:
		moveWordsAt(words[[1]byte](dst), words[[1]byte](src), p, to, from)
	case 2:
		moveWordsAt(words[[2]byte](dst), words[[2]byte](src), p, to, from)
	case 4:
		moveWordsAt(words[[4]byte](dst), words[[4]byte](src), p, to, from)
	case 8:
		moveWordsAt(words[[8]byte](dst), words[[8]byte](src), p, to, from)
	case 16:
		moveWordsAt(words[[16]byte](dst), words[[16]byte](src), p, to, from)
	default:
		panic("BUG: elements of an unknown size")
	}
}

// moveWordsAt is moveAt for one size of elements.
func moveWordsAt[W word](dst, src []W, p *movePlan, to, from []int) {
	d, s := p.dst, p.src
	from = from[:len(to)]
	switch {
	case p.rank == 0:
		for k, at := range to {
			dst[d+at] = src[s+from[k]]
		}
	case p.isRun():
		n := p.all[0].n
		for k, at := range to {
			moveRun(dst[d+at:][:n], src[s+from[k]:][:n])
		}
	default:
		for k, at := range to {
			p.dst, p.src = d+at, s+from[k]
			moveWords(dst, src, p)
		}
		p.dst, p.src = d, s
	}
}
