package view

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// A PadMode says what Pad puts around a tensor.
type PadMode uint8

// The modes, as NumPy's pad has them. Around [a b c d] they put, 3 wide:
const (
	PadConstant  PadMode = iota // v v v [a b c d] v v v
	PadEdge                     // a a a [a b c d] d d d
	PadReflect                  // d c b [a b c d] c b a
	PadSymmetric                // c b a [a b c d] d c b
	PadWrap                     // b c d [a b c d] a b c
	PadEmpty                    // what was there before [a b c d] and after it
)

// A PadWidth is how much is added to an axis before and after its elements.
type PadWidth struct{ Before, After int }

// Pad sets dst to src, converted to the type of dst, with elements added around it. There is one
// width for each axis, or one for all. value is for PadConstant. The zero Scalar means 0, and
// others are converted by the rules of Scalar.Convert. PadShape returns the shape that dst must
// have.
//
// Axes are padded in order, so corners are padding of padding, as in NumPy. Pad needs no memory but
// dst, except that a src that shares bytes with it is copied to the heap first.
func Pad(ctx context.Context, dst, src *Tensor, widths []PadWidth, mode PadMode, value dtype.Scalar) error {
	shape, err := PadShape(src.layout, widths, mode)
	if err != nil {
		return err
	}
	if err := checkShape("pad", dst, shape); err != nil {
		return err
	}
	if err := pad(ctx, dst, src, widths, mode, value); err != nil {
		return fmt.Errorf("pad: %w", err)
	}
	return nil
}

// PadShape returns the shape that Pad makes of l. Modes that repeat elements are an error for an
// axis without any.
func PadShape(l Layout, widths []PadWidth, mode PadMode) ([]int, error) {
	if mode > PadEmpty {
		return nil, fmt.Errorf("pad: mode %d is not known", mode)
	}
	if len(widths) != len(l.axes) && len(widths) != 1 {
		return nil, fmt.Errorf("pad: %d widths for %d axes, expected one or as many", len(widths), len(l.axes))
	}

	shape := l.Shape()
	for i := range shape {
		w := widthOf(widths, i)
		if w.Before < 0 || w.After < 0 {
			return nil, fmt.Errorf("pad: axis %d has widths %d and %d, expected 0 or more", i, w.Before, w.After)
		}

		if shape[i] == 0 && w != (PadWidth{}) && mode != PadConstant && mode != PadEmpty {
			return nil, fmt.Errorf("pad: axis %d is empty and has no elements to repeat", i)
		}

		if !addInto(&shape[i], w.Before) || !addInto(&shape[i], w.After) {
			return nil, fmt.Errorf("pad: axis %d would have more elements than fit in an int", i)
		}
	}

	if _, err := NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("pad: %w", err)
	}
	return shape, nil
}

// widthOf returns the width of axis i.
func widthOf(widths []PadWidth, i int) PadWidth {
	if len(widths) == 1 {
		return widths[0]
	}
	return widths[i]
}

func pad(ctx context.Context, dst, src *Tensor, widths []PadWidth, mode PadMode, value dtype.Scalar) error {
	if err := dst.checkWritable(); err != nil {
		return err
	}

	var temps scratch
	defer temps.close()
	src, err := temps.apartFrom(ctx, dst, src)
	if err != nil {
		return err
	}

	center := withoutPadding(dst.layout, src.layout, widths, 0)
	if err := copyChecked(ctx, dst.derive(center), src); err != nil {
		return err
	}

	if mode == PadEmpty {
		return nil
	}

	if !value.Type().Valid() {
		value = dtype.ScalarOf(uint8(0))
	}

	// Axis i is padded over the whole width of the axes before it, which are filled: corners come
	// from them, as in NumPy.
	for i, a := range src.layout.axes {
		w := widthOf(widths, i)
		p := axisPad{
			t: dst, l: withoutPadding(dst.layout, src.layout, widths, i+1),
			at: i, mode: mode, value: value, lo: w.Before, hi: w.Before + a.n,
		}
		if err := p.fill(ctx); err != nil {
			return err
		}
	}

	return nil
}

// withoutPadding returns the part of dst that is inside the padding of all axes from number first
// on.
func withoutPadding(dst, src Layout, widths []PadWidth, first int) Layout {
	for i := first; i < len(src.axes); i++ {
		dst = dst.part(i, widthOf(widths, i).Before, src.axes[i].n)
	}
	return dst
}

// An axisPad fills both ends of one axis. What is between is there.
type axisPad struct {
	t      *Tensor
	l      Layout // of t, as far as it is filled along the other axes
	at     int
	mode   PadMode
	value  dtype.Scalar
	lo, hi int // what is filled along the axis
}

func (p *axisPad) fill(ctx context.Context) error {
	n, size := p.hi-p.lo, p.l.axes[p.at].n
	if p.l.NumElems() == 0 || n == size {
		return nil
	}

	before, after := p.l.part(p.at, 0, p.lo), p.l.part(p.at, p.hi, size-p.hi)
	switch {
	case p.mode == PadConstant:
		if err := Fill(ctx, p.t.derive(before), p.value); err != nil {
			return err
		}
		return Fill(ctx, p.t.derive(after), p.value)
	case p.mode == PadEdge || n == 1:
		if err := p.spread(ctx, before, p.lo); err != nil {
			return err
		}
		return p.spread(ctx, after, p.hi-1)
	}

	return p.repeat(ctx, n, size)
}

// spread repeats part i of the axis over the layout.
func (p *axisPad) spread(ctx context.Context, to Layout, i int) error {
	from := p.l.part(p.at, i, 1)
	from.axes[p.at] = axis{to.axes[p.at].n, 0}
	return p.move(ctx, to, from)
}

// repeat continues the filled part by its period in both directions. First the part grows to a
// whole period, by its mirror image; then by copies of itself.
func (p *axisPad) repeat(ctx context.Context, n, size int) error {
	period := n
	switch p.mode {
	case PadReflect:
		period = 2 * (n - 1)
	case PadSymmetric:
		period = 2 * n
	}

	skip := 2*n - period // elements that the mirror image does not repeat

	if mirror := min(period-n, size-p.hi); p.mode != PadWrap && mirror > 0 {
		if err := p.mirror(ctx, p.hi, p.hi-1-skip/2, mirror); err != nil {
			return err
		}
		p.hi += mirror
	}

	if mirror := min(period-n, p.lo); p.mode != PadWrap && mirror > 0 && p.hi-p.lo < period {
		first := p.lo - mirror
		if err := p.mirror(ctx, first, p.lo+skip/2+mirror-1, mirror); err != nil {
			return err
		}
		p.lo = first
	}

	return p.extend(ctx, period, size)
}

// mirror sets count parts of the axis from number to on to those from number from on downwards.
func (p *axisPad) mirror(ctx context.Context, to, from, count int) error {
	src := p.l.part(p.at, from, count)
	src.axes[p.at].stride = -src.axes[p.at].stride
	return p.move(ctx, p.l.part(p.at, to, count), src)
}

// extend copies the filled part, whole periods at a time, to both sides of it.
func (p *axisPad) extend(ctx context.Context, period, size int) error {
	for p.hi < size {
		shift := (p.hi - p.lo) / period * period
		n := min(shift, size-p.hi)
		if err := p.move(ctx, p.l.part(p.at, p.hi, n), p.l.part(p.at, p.hi-shift, n)); err != nil {
			return err
		}
		p.hi += n
	}

	for p.lo > 0 {
		shift := (p.hi - p.lo) / period * period
		n := min(shift, p.lo)
		if err := p.move(ctx, p.l.part(p.at, p.lo-n, n), p.l.part(p.at, p.lo-n+shift, n)); err != nil {
			return err
		}
		p.lo -= n
	}

	return nil
}

// move copies between parts of the tensor that have no element in common.
func (p *axisPad) move(ctx context.Context, to, from Layout) error {
	if to.NumElems() == 0 {
		return nil
	}
	return p.t.own.with(func(b []byte) error {
		var plan movePlan
		planMove(&plan, to, from)
		return plan.moveUntil(ctx, b, b, p.t.dt.Size())
	})
}
