package view

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// A fancyPlan is a Fancy applied to a layout: the elements at the positions that places yields, and
// around each of them the axes of base.
type fancyPlan struct {
	base  Layout // the axes that no array took, at the position with all array indexes 0
	split int    // axes of base that come before those of the arrays
	adv   []int  // the shape that the arrays have together
	terms []indexTerm
	mask  *maskTerm // the only array; there are no terms then
}

// FancyShape returns the shape of the elements of l that f picks. It counts the true elements of
// masks, and does not read other arrays. It returns the errors of Layout.Index, and plain errors
// for arrays that do not fit each other or l.
func FancyShape(ctx context.Context, l Layout, f Fancy) ([]int, error) {
	p, err := planFancy(ctx, l, f)
	if err != nil {
		return nil, err
	}
	return p.shape(), nil
}

// shape returns the shape of the result.
func (p *fancyPlan) shape() []int {
	base := p.base.Shape()
	shape := append([]int{}, base[:p.split]...)
	shape = append(shape, p.adv...)
	return append(shape, base[p.split:]...)
}

// planFancy applies f to l.
func planFancy(ctx context.Context, l Layout, f Fancy) (*fancyPlan, error) {
	b := fancyBuilder{l: l, split: -1}
	b.plan.base.offset = l.offset
	fill, err := f.fit(len(l.axes))
	if err != nil {
		return nil, err
	}
	for i := range f {
		if err := b.add(&f[i], fill); err != nil {
			return nil, err
		}
	}
	b.plan.base.axes = append(b.plan.base.axes, l.axes[b.next:]...)
	return b.finish(ctx)
}

// fit counts the items against the rank of a layout. It returns the number of axes that an ellipsis
// stands for.
func (f Fancy) fit(rank int) (fill int, err error) {
	used, ellipses := 0, 0
	for i := range f {
		switch it := &f[i]; {
		case it.kind == boolArray:
			used += it.rank()
		case it.kind == intArray:
			used++
		case it.basic.kind == ellipsisItem:
			ellipses++
		case it.basic.kind != newAxisItem:
			used++
		}
	}

	if ellipses > 1 {
		return 0, errTwoEllipses
	}
	if used > rank {
		return 0, &RankError{Want: rank, Got: used}
	}

	return rank - used, nil
}

// A fancyBuilder applies the items of a Fancy one by one.
type fancyBuilder struct {
	l     Layout
	plan  fancyPlan
	next  int  // the axis of l that the next item is about
	split int  // where the arrays stand in the result, -1 before the first
	gap   bool // something else came after an array
	apart bool // and then another array

	masks  []maskTerm
	arrays bool // there is an array, and not only integers
}

// add applies one item.
func (b *fancyBuilder) add(it *FancyItem, fill int) error {
	switch {
	case it.kind == boolArray:
		b.markArray()
		b.arrays = true
		return b.addMask(it)
	case it.kind == intArray:
		b.markArray()
		b.arrays = true
		return b.addInts(it)
	}

	base := &b.plan.base
	// The array axes of the result stay where the arrays are, unless a slice, a new axis or an
	// ellipsis stands between them: gap notes one.
	switch it.basic.kind {
	case atItem:
		b.markArray()
		b.next++
		return base.addAt(it.basic.start, b.next-1, b.l.axes[b.next-1])
	case spanItem:
		b.gap = b.split >= 0
		b.next++
		return base.addSpan(&it.basic, b.l.axes[b.next-1])
	case newAxisItem:
		b.gap = b.split >= 0
		base.axes = append(base.axes, axis{n: 1})
	case ellipsisItem:
		b.gap = b.split >= 0
		base.axes = append(base.axes, b.l.axes[b.next:b.next+fill]...)
		b.next += fill
	}

	return nil
}

// markArray notes where the axes of the arrays go.
func (b *fancyBuilder) markArray() {
	switch {
	case b.split < 0:
		b.split = len(b.plan.base.axes)
	case b.gap:
		b.apart = true
	}
}

// addInts applies an array of indexes to the next axis.
func (b *fancyBuilder) addInts(it *FancyItem) error {
	if it.t != nil && !isInteger(it.t) {
		return &DTypeError{Want: []dtype.Type{dtype.Int64}, Got: it.t.dt}
	}
	a := b.l.axes[b.next]
	if it.t != nil && it.t.Rank() == 0 {
		if err := checkOneIndex(it.t, b.next, a.n); err != nil {
			return err
		}
	}
	b.plan.terms = append(b.plan.terms, indexTerm{array: arrayOf(it), axis: b.next, n: a.n, stride: a.stride})
	b.next++
	return nil
}

// checkOneIndex checks an index that is a tensor of rank 0. Like an integer in an index, it must be
// right even if nothing is picked.
func checkOneIndex(t *Tensor, axis, n int) error {
	v, err := t.Get()
	if err != nil {
		return err
	}
	i, exact := v.Int64()
	if !exact {
		return fmt.Errorf("index %v is out of bounds for axis %d with size %d", v, axis, n)
	}
	if i < int64(-n) || i >= int64(n) {
		return &IndexError{Axis: axis, Index: int(i), Size: n}
	}
	return nil
}

// addMask applies a mask to as many axes as it has.
func (b *fancyBuilder) addMask(it *FancyItem) error {
	if it.t != nil && !isMask(it.t) {
		return &DTypeError{Want: []dtype.Type{dtype.Bool}, Got: it.t.dt}
	}
	array := arrayOf(it)
	to := Layout{axes: append([]axis{}, b.l.axes[b.next:b.next+len(array.layout.axes)]...)}
	for i, a := range to.axes {
		if got := array.layout.axes[i].n; got != a.n {
			return fmt.Errorf("boolean index did not match indexed array along axis %d; size of axis is %d but size of corresponding boolean axis is %d", b.next+i, a.n, got)
		}
	}
	b.masks = append(b.masks, maskTerm{array: array, to: to, axis: b.next})
	b.next += len(to.axes)
	return nil
}

// finish puts the arrays together.
func (b *fancyBuilder) finish(ctx context.Context) (*fancyPlan, error) {
	p := &b.plan
	// Arrays with something between them come first in the result, as in NumPy.
	if p.split = b.split; !b.arrays || b.apart {
		p.split = 0
	}

	// A mask alone needs no lists of indexes: its elements are walked as they are.
	if len(b.masks) == 1 && len(p.terms) == 0 {
		p.mask = &b.masks[0]
		n, err := p.mask.count(ctx)
		if err != nil {
			return nil, err
		}
		p.adv = []int{n}
	} else if err := b.join(ctx); err != nil {
		return nil, err
	}

	if _, err := NewLayout(p.shape()...); err != nil {
		return nil, fmt.Errorf("result of the index: %w", err)
	}

	return p, nil
}

// join turns masks into lists of indexes and broadcasts all arrays together.
func (b *fancyBuilder) join(ctx context.Context) error {
	p := &b.plan

	for i := range b.masks {
		terms, err := b.masks[i].terms(ctx)
		if err != nil {
			return err
		}
		p.terms = append(p.terms, terms...)
	}

	shapes := make([][]int, len(p.terms))
	for i := range p.terms {
		shapes[i] = p.terms[i].array.layout.Shape()
	}

	adv, err := broadcastArrays(shapes)
	if err != nil {
		return err
	}

	p.adv = adv
	whole, err := NewLayout(adv...)
	if err != nil {
		return fmt.Errorf("arrays of indexes: %w", err)
	}

	for i := range p.terms {
		array := &p.terms[i].array
		if array.layout, err = broadcast("broadcast index", array.layout, whole); err != nil {
			return err
		}
	}

	return nil
}

// broadcastArrays returns the shape that index arrays have together.
func broadcastArrays(shapes [][]int) ([]int, error) {
	rank := 0
	for _, shape := range shapes {
		rank = max(rank, len(shape))
	}

	out := make([]int, rank)
	for i := range out {
		out[i] = 1
	}

	for _, shape := range shapes {
		lead := rank - len(shape)
		for i, n := range shape {
			switch {
			case out[lead+i] == 1:
				out[lead+i] = n
			case n != 1 && n != out[lead+i]:
				return nil, fmt.Errorf("shape mismatch: indexing arrays of shapes %s and %s could not be broadcast together", formatShape(out), formatShape(shape))
			}
		}
	}
	return out, nil
}

// isInteger reports whether the elements of t can be indexes.
func isInteger(t *Tensor) bool {
	kind := t.dt.Kind()
	return kind == dtype.KindInt || kind == dtype.KindUint
}

// isMask reports whether the elements of t are bools.
func isMask(t *Tensor) bool { return t.dt == dtype.Bool }
