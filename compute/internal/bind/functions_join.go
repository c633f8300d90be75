package bind

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// joinFunctions put arrays together. Nothing is copied before somebody reads it.
var joinFunctions = []function{
	{name: "concatenate", aliases: "concat", params: "arrays, axis=0, dtype=None", bind: bindConcatenate, doc: "arrays one behind the other along an axis, or in C order (axis=None)"},
	{name: "stack", params: "arrays, axis=0, dtype=None", bind: bindStack, doc: "arrays of one shape one behind the other along a new axis"},
	{name: "vstack", params: "arrays, dtype=None", bind: joining(2, 0), doc: "rows or matrices one below the other"},
	{name: "hstack", params: "arrays, dtype=None", bind: joining(1, 1), doc: "arrays one beside the other along axis 1, or 0 if they have one axis"},
	{name: "dstack", params: "arrays, dtype=None", bind: joining(3, 2), doc: "arrays one behind the other along axis 2"},
	{name: "column_stack", params: "arrays", bind: bindColumns, doc: "columns or matrices one beside the other"},
	{name: "pad", params: "array, pad_width, mode=\"constant\", constant_values=0, end_values=0, stat_length=None, reflect_type=\"even\"", bind: bindPad,
		doc: "elements before and behind an array: of mode \"constant\", \"edge\", \"linear_ramp\", \"maximum\", \"mean\", \"median\", \"minimum\", \"reflect\", \"symmetric\", \"wrap\" or \"empty\""},
}

// arrays returns an argument that is a list of arrays, or an array of them.
func (c *call) arrays(name string) ([]value, error) {
	t := c.arg(name)
	if t == nil {
		return nil, fmt.Errorf("%s needs its argument %s", c.t.Fn.Signature(), name)
	}
	if t.Kind != term.List && t.Kind != term.Tuple {
		return c.parts(t)
	}
	if len(t.Args) == 0 {
		return nil, t.At.Errorf("%s of no arrays: expected one at least", c.name())
	}
	all := make([]value, len(t.Args))
	for i, arg := range t.Args {
		var err error
		if all[i], err = c.b.bind(arg); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// maxParts bounds the parts that an array is taken for.
const maxParts = 10_000

// parts returns what an array has along its first axis.
func (c *call) parts(t *term.Term) ([]value, error) {
	v, err := c.b.bind(t)
	if err != nil {
		return nil, err
	}
	n, err := c.b.typed(v)
	if err != nil {
		return nil, err
	}
	if len(n.Shape) == 0 || n.Shape[0] == 0 || n.Shape[0] > maxParts {
		return nil, t.At.Errorf("%s of an array of shape %s: expected a list of arrays, as in %s([a, b])", c.name(), syntax.FormatShape(n.Shape), c.name())
	}
	all := make([]value, n.Shape[0])
	for i := range all {
		part, err := c.b.View(n, view.Chain{view.IndexStep(view.Index{view.At(i)})})
		if err != nil {
			return nil, err
		}
		all[i] = value{node: part}
	}
	return all, nil
}

// joined returns the arrays of a call in the type that they meet in, or that is asked for.
func (c *call) joined() ([]*graph.Node, error) {
	values, err := c.arrays("arrays")
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if values[i].node, err = c.b.typed(v); err != nil {
			return nil, err
		}
		values[i].weak = nil
	}
	t := meetingType(values...)
	if c.has("dtype") {
		to, err := c.dtype("dtype", t)
		if err != nil {
			return nil, err
		}
		if !dtype.CanCast(t, to, dtype.CastSameKind) {
			return nil, c.arg("dtype").At.Errorf("%s of %s elements as %s changes their kind: write .astype(%s)", c.name(), t, to, to)
		}
		t = to
	}
	return c.b.operands(values, t)
}

// concatenated joins arrays whose shapes are checked here.
func (b *binder) concatenated(name string, nodes []*graph.Node, axis int) (value, error) {
	first := nodes[0].Shape
	for i, n := range nodes[1:] {
		if len(n.Shape) != len(first) || !slices.Equal(without(n.Shape, axis), without(first, axis)) {
			return value{}, fmt.Errorf("%s: shape %s of array %d does not go with shape %s of the first along axis %d: all other axes must be as long",
				name, syntax.FormatShape(n.Shape), i+2, syntax.FormatShape(first), axis)
		}
	}
	n, err := b.Join(nodes, axis)
	return value{node: n}, err
}

// without returns a shape without an axis.
func without(shape []int, axis int) []int {
	return slices.Concat(shape[:axis], shape[axis+1:])
}

func bindConcatenate(b *binder, c *call) (value, error) {
	nodes, err := c.joined()
	if err != nil {
		return value{}, err
	}
	if c.isNone("axis") {
		for i, n := range nodes {
			if nodes[i], err = b.View(n, ravelStep); err != nil {
				return value{}, err
			}
		}
		return b.concatenated(c.name(), nodes, 0)
	}
	for i, n := range nodes {
		if len(n.Shape) == 0 {
			return value{}, fmt.Errorf("%s: array %d is a number: expected arrays, or write stack([a, b])", c.name(), i+1)
		}
	}
	axis, _, err := c.axis("axis", len(nodes[0].Shape))
	if err != nil {
		return value{}, err
	}
	return b.concatenated(c.name(), nodes, axis)
}

func bindStack(b *binder, c *call) (value, error) {
	nodes, err := c.joined()
	if err != nil {
		return value{}, err
	}
	axis, _, err := c.axis("axis", len(nodes[0].Shape)+1)
	if err != nil {
		return value{}, err
	}
	for i, n := range nodes {
		if !slices.Equal(n.Shape, nodes[0].Shape) {
			return value{}, fmt.Errorf("%s: shape %s of array %d is not that of the first, %s", c.name(), syntax.FormatShape(n.Shape), i+1, syntax.FormatShape(nodes[0].Shape))
		}
	}
	return b.stacked(c.name(), nodes, axis)
}

// stacked joins arrays of one shape along a new axis.
func (b *binder) stacked(name string, nodes []*graph.Node, axis int) (value, error) {
	var err error
	nodes = slices.Clone(nodes)
	for i, n := range nodes {
		ix := append(slices.Repeat(view.Index{view.All()}, axis), view.NewAxis())
		if nodes[i], err = b.View(n, view.Chain{view.IndexStep(ix)}); err != nil {
			return value{}, err
		}
	}
	return b.concatenated(name, nodes, axis)
}

// joining binds a function that joins arrays along an axis, or the last one they have, once they
// have so many axes.
func joining(rank, axis int) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		nodes, err := c.joined()
		if err != nil {
			return value{}, err
		}
		for i, n := range nodes {
			if nodes[i], err = b.atLeast(n, rank); err != nil {
				return value{}, err
			}
		}
		return b.concatenated(c.name(), nodes, min(axis, len(nodes[0].Shape)-1))
	}
}

// atLeast returns an array with up to three axes at least. As in NumPy, a row is one of a matrix,
// and a matrix is one in the middle of three axes.
func (b *binder) atLeast(n *graph.Node, rank int) (*graph.Node, error) {
	shape := slices.Clone(n.Shape)
	for len(shape) < min(rank, 2) {
		shape = append([]int{1}, shape...)
	}
	if len(shape) < rank {
		shape = append(shape, 1)
	}
	return b.Reshaped(n, shape)
}

func bindColumns(b *binder, c *call) (value, error) {
	nodes, err := c.joined()
	if err != nil {
		return value{}, err
	}
	for i, n := range nodes {
		if len(n.Shape) < 2 {
			if nodes[i], err = b.Reshaped(n, []int{graph.NumElems(n.Shape), 1}); err != nil {
				return value{}, err
			}
		}
	}
	return b.concatenated(c.name(), nodes, 1)
}

// sliceOf returns a part of one axis, from start up to stop, by steps of 1 or -1.
func (b *binder) sliceOf(n *graph.Node, axis, start, stop int) *graph.Node {
	part, err := b.Slice(n, axis, view.Span(start, stop))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return part
}
