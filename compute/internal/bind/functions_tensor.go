package bind

import (
	"cmp"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/internal/syntax"
)

// bindKron multiplies each element of a by all of b.
func bindKron(b *binder, c *call) (value, error) {
	x, err1 := c.operand("a")
	y, err2 := c.operand("b")
	if err := cmp.Or(err1, err2); err != nil {
		return value{}, err
	}

	// Both have the same number of axes, and each axis of b lies inside of that of a.
	rank := max(len(x.Shape), len(y.Shape))
	var outer, inner, shape []int
	for axis := range rank {
		m, n := sizeFromEnd(x.Shape, rank-axis), sizeFromEnd(y.Shape, rank-axis)
		outer, inner, shape = append(outer, m, 1), append(inner, 1, n), append(shape, m*n)
	}
	x, err1 = b.Reshaped(x, outer)
	y, err2 = b.Reshaped(y, inner)
	if err := cmp.Or(err1, err2); err != nil {
		return value{}, err
	}
	made, err := bindMul(b, c.name(), valueOf(x), valueOf(y))
	if err != nil {
		return value{}, err
	}
	made.node, err = b.Reshaped(made.node, shape)
	return made, err
}

// sizeFromEnd returns the size of an axis counted from the last one, which is 1; 1 before the first.
func sizeFromEnd(shape []int, axis int) int {
	if axis > len(shape) {
		return 1
	}
	return shape[len(shape)-axis]
}

// bindCross is the product of vectors of three elements that is at right angles to both.
func bindCross(b *binder, c *call) (value, error) {
	x, err1 := c.operand("a")
	y, err2 := c.operand("b")
	if err := cmp.Or(err1, err2); err != nil {
		return value{}, err
	}
	at, err := c.int("axis", -1)
	if err != nil {
		return value{}, err
	}
	var parts [2][3]value
	for i, n := range []*graph.Node{x, y} {
		axis, err := normalAxis(at, len(n.Shape))
		if err != nil {
			return value{}, err
		}
		if n.Shape[axis] != 3 {
			return value{}, fmt.Errorf("cross of shape %s: expected 3 elements along axis %d", syntax.FormatShape(n.Shape), axis)
		}
		for k := range parts[i] {
			parts[i][k] = valueOf(b.sliceOf(n, axis, k, k+1))
		}
	}

	// Each element is made of the two others.
	var made []*graph.Node
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		v, err := b.write(c, "p*s - q*r", given{"p": parts[0][i], "q": parts[0][j], "r": parts[1][i], "s": parts[1][j]})
		if err != nil {
			return value{}, err
		}
		made = append(made, v.node)
	}
	axis, err := normalAxis(at, len(made[0].Shape))
	if err != nil {
		return value{}, err
	}
	return b.concatenated(c.name(), made, axis)
}
