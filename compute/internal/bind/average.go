package bind

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// bindAverage is numpy.average. Where the weights add up to 0, it is infinite or NaN.
func bindAverage(b *binder, c *call) (value, error) {
	a, err := c.operand("a")
	if err != nil {
		return value{}, err
	}
	if c.arg("weights") == nil {
		return b.write(c, "mean(a, axis=axis, keepdims=keepdims)", nil)
	}
	w, err := c.operand("weights")
	if err != nil {
		return value{}, err
	}

	// Weights of their own shape belong to the axes that are averaged over, in the order of these.
	if !slices.Equal(w.Shape, a.Shape) {
		axes, err := c.axes("axis", len(a.Shape))
		if err != nil {
			return value{}, err
		}
		shape := slices.Repeat([]int{1}, len(a.Shape))
		var along []int
		for _, axis := range axes {
			shape[axis] = a.Shape[axis]
			along = append(along, a.Shape[axis])
		}
		if c.arg("axis") == nil || !slices.Equal(w.Shape, along) {
			return value{}, c.arg("weights").At.Errorf("weights of shape %s: expected that of the elements, %s, or that of the axes that axis names",
				syntax.FormatShape(w.Shape), syntax.FormatShape(a.Shape))
		}
		if w, err = b.Reshaped(w, shape); err != nil {
			return value{}, err
		}
	}

	t := dtype.Promote(a.DType, w.DType)
	if kindSetOf(a.DType)&takesWhole != 0 {
		t = dtype.PromoteAll(t, dtype.Float64)
	}
	with := given{"x": valueOf(b.Cast(a, t)), "w": valueOf(b.Cast(b.Stretch(w, a.Shape), t))}
	if _, err := c.axes("axis", len(a.Shape)); err != nil {
		return value{}, fmt.Errorf("average: %w", err)
	}
	return b.write(c, "sum(x*w, axis=axis, keepdims=keepdims)/sum(w, axis=axis, keepdims=keepdims)", with)
}
