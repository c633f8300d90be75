package bind

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/view"
)

// bindTensordot sums over the last axes of a and the first axes of b, or over the axes that are
// named.
func bindTensordot(b *binder, c *call) (value, error) {
	v, err := c.pair("a", "b")
	if err != nil {
		return value{}, err
	}
	x, y := v[0], v[1]
	axesX, axesY, err := c.contracted(len(x.Shape), len(y.Shape))
	if err != nil {
		return value{}, err
	}
	t := meetingType(value{node: x}, value{node: y})
	n, err := b.Contract(c.name(), x, y, t, axesX, axesY)
	return value{node: n}, err
}

// contracted returns the axes of two operands of some ranks that an argument axes says.
func (c *call) contracted(rankX, rankY int) (axesX, axesY []int, err error) {
	t := c.arg("axes")
	if t != nil && (t.Kind == term.Tuple || t.Kind == term.List) {
		return c.contractedPairs(t, rankX, rankY)
	}
	count, err := c.int("axes", 2)
	if err != nil {
		return nil, nil, err
	}
	if count < 0 || count > rankX || count > rankY {
		return nil, nil, fmt.Errorf("tensordot over %d axes of operands that have %d and %d", count, rankX, rankY)
	}
	for i := range count {
		axesX, axesY = append(axesX, rankX-count+i), append(axesY, i)
	}
	return axesX, axesY, nil
}

// contractedPairs reads two axes, or two lists of axes.
func (c *call) contractedPairs(t *term.Term, rankX, rankY int) (axesX, axesY []int, err error) {
	if len(t.Args) != 2 {
		return nil, nil, t.At.Errorf("axes are a number, or two lists of axes")
	}
	var axes [2][]int
	for i, rank := range []int{rankX, rankY} {
		terms := []*term.Term{t.Args[i]}
		if k := t.Args[i].Kind; k == term.Tuple || k == term.List {
			terms = t.Args[i].Args
		}
		for _, e := range terms {
			axis, err := c.b.integer(e)
			if err == nil {
				axis, err = normalAxis(axis, rank)
			}
			if err != nil {
				return nil, nil, e.At.Wrap(err)
			}
			axes[i] = append(axes[i], axis)
		}
	}

	if len(axes[0]) != len(axes[1]) || len(axes[0]) > view.MaxRank {
		return nil, nil, t.At.Errorf("axes name %d axes of the first operand and %d of the second", len(axes[0]), len(axes[1]))
	}

	// After the conversion, -1 and the last axis are one: only now can repeats be found.
	for _, list := range axes {
		seen := map[int]bool{}
		for _, axis := range list {
			if seen[axis] {
				return nil, nil, t.At.Errorf("axes name an axis twice")
			}
			seen[axis] = true
		}
	}

	return axes[0], axes[1], nil
}
