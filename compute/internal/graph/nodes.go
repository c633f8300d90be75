package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// A nodeKey tells whether two steps are the same.
type nodeKey struct {
	kind   nodeKind
	op     kernel.Op
	dtype  dtype.Type
	args   [4]*Node
	tensor *view.Tensor
	after  int
	scalar dtype.Scalar
	gen    Generator
	rest   string // shape, layout, axes
}

// Add returns the node equal to n: an earlier one if there is one, else n itself. rest
// distinguishes nodes whose fields in nodeKey are equal.
func (b *Builder) Add(n Node, rest string) *Node {
	k := nodeKey{kind: n.Kind, op: n.Op, dtype: n.DType, tensor: n.Tensor, after: n.After, scalar: n.Scalar, gen: n.Gen, rest: rest}
	copy(k.args[:], n.Args)
	if known, ok := b.nodes.Get(k); ok {
		return known
	}
	return b.addNew(k, n)
}

// addNew adds a node that is known to be none of those that are there.
func (b *Builder) addNew(k nodeKey, n Node) *Node {
	n.ID = b.numbers
	b.numbers++
	made := b.room(n)
	b.nodes.Add(k, made)
	return made
}

// Scalar returns a number with a type.
func (b *Builder) Scalar(s dtype.Scalar) *Node {
	return b.Add(Node{Kind: NodeScalar, DType: s.Type(), Scalar: s, Shape: []int{}}, "")
}

// Tensor returns the elements of a tensor as they are before the next statement.
func (b *Builder) Tensor(t *view.Tensor, name string) *Node {
	k := nodeKey{kind: NodeTensor, dtype: t.DType(), tensor: t, after: b.after(t)}
	if known, ok := b.nodes.Get(k); ok {
		return known
	}
	return b.addNew(k, Node{Kind: NodeTensor, DType: k.dtype, Shape: t.Shape(), Tensor: t, After: k.after, Name: name})
}

// Cast returns the elements of n as another type.
func (b *Builder) Cast(n *Node, t dtype.Type) *Node {
	switch {
	case n.DType == t:
		return n
	case n.Kind == NodeScalar:
		return b.Scalar(n.Scalar.Convert(t))
	case n.isStretch():
		return b.Stretch(b.Cast(n.Args[0], t), n.Shape)
	}
	return b.Add(Node{Kind: NodeCast, Args: []*Node{n}, DType: t, Shape: n.Shape}, "")
}

// Apply returns op on operands of one type, and broadcasts their shapes. name is for errors. The
// node keeps args.
func (b *Builder) Apply(name string, op kernel.Op, args ...*Node) (*Node, error) {
	shape, err := broadcast(name, args)
	if err != nil {
		return nil, err
	}
	return b.MapNode(op, args, shape), nil
}

// MapNode returns op on operands whose shapes stretch to shape. args is its own.
func (b *Builder) MapNode(op kernel.Op, args []*Node, shape []int) *Node {
	implied := false
	for i, a := range args {
		if a.isStretch() {
			args[i] = a.Args[0]
		}
		implied = implied || slices.Equal(args[i].Shape, shape)
	}
	rest := ""
	if !implied {
		rest = ShapeKey(shape)
	}
	operand := args[len(args)-1].DType
	return b.Add(Node{Kind: NodeMap, Op: op, Args: args, DType: resultType(op, operand), Shape: shape}, rest)
}

// isStretch reports whether n only stretches its operand.
func (n *Node) isStretch() bool { return n.Kind == NodeMap && n.Op == kernel.Copy }

// Stretch returns n with a shape that its own stretches to.
func (b *Builder) Stretch(n *Node, shape []int) *Node {
	if slices.Equal(n.Shape, shape) {
		return n
	}
	return b.MapNode(kernel.Copy, []*Node{n}, shape)
}

// Stretched is stretch for a shape that may not fit.
func (b *Builder) Stretched(n *Node, shape []int) (*Node, error) {
	if !Stretches(n.Shape, shape) {
		return nil, fmt.Errorf("elements of shape %s do not fit shape %s", syntax.FormatShape(n.Shape), syntax.FormatShape(shape))
	}
	return b.Stretch(n, shape), nil
}

// resultType returns the type of op on operands of type t, also of the types that have no
// registers.
func resultType(op kernel.Op, t dtype.Type) dtype.Type {
	switch {
	case op.IsPredicate():
		return dtype.Bool
	case op == kernel.Abs || op == kernel.Real || op == kernel.Imag || op == kernel.Angle:
		return t.Part()
	}
	return t
}

// broadcast returns the shape that the shapes of all operands stretch to.
func broadcast(name string, args []*Node) ([]int, error) {
	shape := args[0].Shape
	for _, a := range args[1:] {
		joined, ok := JoinShapes(shape, a.Shape)
		if !ok {
			return nil, fmt.Errorf("%s: shapes %s do not go together", name, FormatShapes(args))
		}
		shape = joined
	}

	// A shape that none of them has may be too large to be addressed.
	for _, a := range args {
		if slices.Equal(shape, a.Shape) {
			return shape, nil // which has been checked
		}
	}
	if _, err := view.NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("%s: shapes %s together: %w", name, FormatShapes(args), err)
	}
	return shape, nil
}

// FormatShapes lists the shapes of nodes: "(3, 4) and (5,)".
func FormatShapes(nodes []*Node) string {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = syntax.FormatShape(n.Shape)
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}
