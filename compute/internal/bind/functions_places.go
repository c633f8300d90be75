package bind

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/internal/syntax"
)

// placeFunctions tell where elements are. As the lengths of their results depend on elements, what
// they tell is computed while a program is planned.
var placeFunctions = []function{
	{name: "flatnonzero", params: "a", bind: bindFlatNonzero, doc: "indexes, in C order, of elements that are not 0"},
	{name: "nonzero", params: "a", bind: bindNonzero(0), doc: "indexes of elements that are not 0, one row for each axis: nonzero(a)[0] are those along axis 0"},
	{name: "argwhere", params: "a", bind: bindNonzero(1), doc: "indexes of elements that are not 0, one row for each element"},
	{name: "isin", params: "element, test_elements, invert=False", bind: defined(`((searchsorted(sort(test_elements, axis=None), element, side="right") >
		searchsorted(sort(test_elements, axis=None), element)) & (element == element)) ^ invert`), doc: "whether each element is among others"},
}

func bindFlatNonzero(b *binder, c *call) (value, error) {
	a, err := c.operand("a")
	if err != nil {
		return value{}, err
	}
	return b.write(c, "arange(n)[ravel(a) != 0]", given{"n": weakInt(graph.NumElems(a.Shape))})
}

// bindNonzero binds a function of the indexes along all axes, which it stacks along a new one.
func bindNonzero(axis int) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		a, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		if len(a.Shape) == 0 && axis == 0 {
			return value{}, fmt.Errorf("%s of shape %s: expected an array with one axis at least", c.name(), syntax.FormatShape(a.Shape))
		}
		flat, err := bindFlatNonzero(b, c)
		if err != nil {
			return value{}, err
		}

		if len(a.Shape) == 0 { // a number is at the index of no numbers
			return b.write(c, "flat[:, newaxis][:, :0]", given{"flat": flat})
		}

		// The index along an axis is what the axes behind it leave of the index in C order.
		var rows []*graph.Node
		for i, size := range a.Shape {
			behind := graph.NumElems(a.Shape[i+1:])
			v, err := b.write(c, "flat//behind % size", given{"flat": flat, "behind": weakInt(max(behind, 1)), "size": weakInt(max(size, 1))})
			if err != nil {
				return value{}, err
			}
			rows = append(rows, v.node)
		}
		return b.stacked(c.name(), rows, axis)
	}
}
