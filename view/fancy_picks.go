package view

import (
	"context"
	"errors"
	"slices"
)

// Picks are what a Fancy without masks does to a layout: an element of the result is where Layout
// has it, and for each array its index times a stride further on.
type Picks struct {
	Layout Layout // of the result, with all indexes 0; its axes of the arrays have stride 0
	Behind int    // axes behind those of the arrays

	// Of each array, in the order of the items: the axis that it picks from, its size and stride.
	Axes, Sizes, Strides []int
}

// Picks returns how f picks from l. It does not read arrays with axes. The errors are those of
// FancyShape.
func (f Fancy) Picks(ctx context.Context, l Layout) (Picks, error) {
	if slices.ContainsFunc(f, func(it FancyItem) bool { return it.kind == boolArray }) {
		return Picks{}, errors.New("a mask picks by no indexes")
	}
	p, err := planFancy(ctx, l, f)
	if err != nil {
		return Picks{}, err
	}
	made := Picks{Behind: len(p.base.axes) - p.split}
	for _, t := range p.terms {
		made.Axes, made.Sizes, made.Strides = append(made.Axes, t.axis), append(made.Sizes, t.n), append(made.Strides, t.stride)
	}

	made.Layout.offset = p.base.offset
	made.Layout.axes = append(made.Layout.axes, p.base.axes[:p.split]...)
	for _, n := range p.adv {
		made.Layout.axes = append(made.Layout.axes, axis{n: n})
	}
	made.Layout.axes = append(made.Layout.axes, p.base.axes[p.split:]...)
	return made, nil
}
