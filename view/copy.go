package view

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// Copy sets the elements of dst to those of src, which is broadcast to the shape of dst and
// converted to its type by the rules of dtype.Convert. A shape that does not fit is a *ShapeError.
//
// The result is as if all of src had been read before dst is written. Where both share no bytes, or
// every element is where its counterpart is, or both have the same strides and src is merely
// shifted, elements are moved directly. Otherwise (a transpose or reversal in place, say) they go
// through a temporary on the heap of the size of src. Two mappings of one file are recognised by
// their path; through different paths of one file the overlap is not seen.
//
// A dst that repeats elements is an error, see ErrRepeats. After an error, dst may be written in
// part.
//
// Either of them may be on a device. Elements then go through host memory, from one device to
// another too, in pieces of 1 MiB that take up to 4 MiB in all. What lies side by side on a device
// is one transfer. Short gaps are read along, but never written: a write of elements that lie apart
// is a transfer for each of them, so that it pays to copy to a contiguous tensor and to compute
// there.
func Copy(ctx context.Context, dst, src *Tensor) error {
	if err := copyChecked(ctx, dst, src); err != nil {
		return fmt.Errorf("copy to tensor of shape %s: %w", formatShape(dst.Shape()), err)
	}
	return nil
}

func copyChecked(ctx context.Context, dst, src *Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := dst.checkWritable(); err != nil {
		return err
	}

	stretched, err := broadcast("broadcast", src.layout, dst.layout)
	if err != nil {
		return err
	}

	// There is nothing to copy, but a closed source is still an error.
	if dst.NumElems() == 0 {
		_, err := src.own.storage()
		return err
	}

	if !dst.own.isHost() || !src.own.isHost() {
		return copyBetween(ctx, dst, src, stretched)
	}

	// Whether the operands overlap is known only where both are mapped. A temporary is made
	// outside: it may be large.
	needsTemp := false
	err = withBoth(dst, src, func(db, sb []byte) error {
		c := copyJob{dst: dst, src: src, db: db, sb: sb}
		needsTemp, err = c.run(ctx, stretched)
		return err
	})
	if err != nil || !needsTemp {
		return err
	}

	return copyThroughTemp(ctx, dst, src)
}

// withBoth calls fn with the bytes of both storages, pinned and guarded.
func withBoth(dst, src *Tensor, fn func(db, sb []byte) error) error {
	return dst.own.with(func(db []byte) error {
		return src.own.with(func(sb []byte) error { return fn(db, sb) })
	})
}

// copyThroughTemp copies src to memory of its own and that to dst.
func copyThroughTemp(ctx context.Context, dst, src *Tensor) error {
	temp, err := newTemp(src.dt, src.Shape())
	if err != nil {
		return err
	}
	defer temp.Close()
	if err := copyChecked(ctx, temp, src); err != nil {
		return err
	}
	return copyChecked(ctx, dst, temp)
}

// A copyJob is one Copy with the bytes at hand.
type copyJob struct {
	dst, src *Tensor
	db, sb   []byte
}

// run copies the stretched source, or reports that this needs a temporary.
func (c *copyJob) run(ctx context.Context, stretched Layout) (needsTemp bool, err error) {
	to := footprintOf(c.dst.own.st, c.db, c.dst.layout, c.dst.dt.Size())
	from := footprintOf(c.src.own.st, c.sb, stretched, c.src.dt.Size())
	rel := overlapOf(to, from)

	oneStorage := c.dst.own.st == c.src.own.st
	var p movePlan
	planMove(&p, c.dst.layout, stretched)
	converts := c.dst.dt != c.src.dt

	// Operands that share bytes need a temporary, unless moving in one direction reads every byte
	// before it is overwritten.
	switch {
	case rel == tangled || rel == shifted && (converts || !p.isNested()):
		return true, nil
	case rel == shifted && to.file != "" && !oneStorage:
		return true, nil // addresses of two mappings are not in the order of the file
	case rel == shifted:
		p.moveAway(to.start() > from.start())
	case rel == same && oneStorage && !converts:
		return false, nil // of two mappings of one file, one may be private
	}

	if p.isSmall() {
		// A small copy is not cut in pieces between which ctx is looked at.
		c.carryOut(&p)
		return false, nil
	}

	return false, p.eachPiece(&pace{ctx: ctx}, c.elemCost(), c.carryOut)
}

// elemCost returns how many bytes an element counts as for a pace: more if it is converted, which
// takes longer.
func (c *copyJob) elemCost() int {
	if c.dst.dt != c.src.dt {
		return maxElement
	}
	return c.dst.dt.Size()
}

// carryOut carries out a plan for the elements of the operands.
func (c *copyJob) carryOut(p *movePlan) {
	if c.dst.dt != c.src.dt {
		c.convert(p)
		return
	}
	p.move(c.db, c.sb, c.dst.dt.Size())
}

// convertElems is the number of elements converted at a time: with at most 16 bytes on either side
// both buffers stay in the second-level cache.
const convertElems = 8 << 10

// convert moves the elements of the plan through their conversion.
func (c *copyJob) convert(p *movePlan) {
	dstLayout, srcLayout := p.layouts()
	dst := newSequence(dstLayout, c.dst.dt.Size())
	src := newSequence(srcLayout, c.src.dt.Size())
	from, to := src.buffer(convertElems), dst.buffer(convertElems)
	for first := 0; first < dst.n; first += convertElems {
		n := min(convertElems, dst.n-first)
		convertInto(&dst, c.dst.dt, to, c.db, first, src.fetch(from, c.sb, first, n), c.src.dt)
	}
}

// convertInto sets elements of a sequence in b, from number first on, to the packed ones of in. buf
// is room for them if the sequence is not packed.
func convertInto(q *sequence, to dtype.Type, buf, b []byte, first int, in []byte, from dtype.Type) {
	n := len(in) / from.Size()
	if q.isPacked() {
		dtype.Convert(q.packed(b, first, n), to, in, from)
		return
	}
	out := buf[:n*q.size]
	dtype.Convert(out, to, in, from)
	q.scatter(out, b, first, n)
}
