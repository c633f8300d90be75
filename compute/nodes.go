package compute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A nodeKey tells whether two steps are the same.
type nodeKey struct {
	kind   nodeKind
	op     kernel.Op
	dtype  dtype.Type
	args   [4]*node
	tensor *view.Tensor
	after  int
	scalar dtype.Scalar
	gen    generator
	rest   string // shape, layout, axes
}

// add returns the node that does what n does, which is n if there is none yet. rest tells apart what the fields of a
// nodeKey do not.
func (b *builder) add(n node, rest string) *node {
	k := nodeKey{kind: n.kind, op: n.op, dtype: n.dtype, tensor: n.tensor, after: n.after, scalar: n.scalar, gen: n.gen, rest: rest}
	copy(k.args[:], n.args)
	if known, ok := b.nodes.Get(k); ok {
		return known
	}
	return b.addNew(k, n)
}

// addNew adds a node that is known to be none of those that are there.
func (b *builder) addNew(k nodeKey, n node) *node {
	n.id = b.numbers
	b.numbers++
	made := b.room(n)
	b.nodes.Add(k, made)
	return made
}

func (b *builder) scalar(s dtype.Scalar) *node {
	return b.add(node{kind: nodeScalar, dtype: s.Type(), scalar: s, shape: []int{}}, "")
}

// tensor returns the elements of a tensor as they are before the next statement.
func (b *builder) tensor(t *view.Tensor, name string) *node {
	k := nodeKey{kind: nodeTensor, dtype: t.DType(), tensor: t, after: b.after(t)}
	if known, ok := b.nodes.Get(k); ok {
		return known
	}
	return b.addNew(k, node{kind: nodeTensor, dtype: k.dtype, shape: t.Shape(), tensor: t, after: k.after, name: name})
}

// cast returns the elements of n as another type.
func (b *builder) cast(n *node, t dtype.Type) *node {
	switch {
	case n.dtype == t:
		return n
	case n.kind == nodeScalar:
		return b.scalar(n.scalar.Convert(t))
	case n.isStretch():
		return b.stretch(b.cast(n.args[0], t), n.shape)
	}
	return b.add(node{kind: nodeCast, args: []*node{n}, dtype: t, shape: n.shape}, "")
}

// apply returns op on operands of one type, whose shapes are broadcast. name is for errors. args becomes its own.
func (b *builder) apply(name string, op kernel.Op, args ...*node) (*node, error) {
	shape, err := broadcast(name, args)
	if err != nil {
		return nil, err
	}
	return b.mapNode(op, args, shape), nil
}

// mapNode returns op on operands whose shapes stretch to shape. args is its own.
func (b *builder) mapNode(op kernel.Op, args []*node, shape []int) *node {
	implied := false
	for i, a := range args {
		if a.isStretch() {
			args[i] = a.args[0]
		}
		implied = implied || slices.Equal(args[i].shape, shape)
	}
	rest := ""
	if !implied {
		rest = shapeKey(shape)
	}
	operand := args[len(args)-1].dtype
	return b.add(node{kind: nodeMap, op: op, args: args, dtype: resultType(op, operand), shape: shape}, rest)
}

// isStretch reports whether n does nothing but stretch its operand.
func (n *node) isStretch() bool { return n.kind == nodeMap && n.op == kernel.Copy }

// stretch returns n with a shape that its own stretches to.
func (b *builder) stretch(n *node, shape []int) *node {
	if slices.Equal(n.shape, shape) {
		return n
	}
	return b.mapNode(kernel.Copy, []*node{n}, shape)
}

// stretched is stretch for a shape that may not fit.
func (b *builder) stretched(n *node, shape []int) (*node, error) {
	if !stretches(n.shape, shape) {
		return nil, fmt.Errorf("elements of shape %s do not fit shape %s", formatShape(n.shape), formatShape(shape))
	}
	return b.stretch(n, shape), nil
}

// resultType returns the type of op on operands of type t, also of the types that have no registers.
func resultType(op kernel.Op, t dtype.Type) dtype.Type {
	switch {
	case op.IsPredicate():
		return dtype.Bool
	case op == kernel.Abs || op == kernel.Real || op == kernel.Imag || op == kernel.Angle:
		return realType(t)
	}
	return t
}

// realType returns the type of the parts of complex numbers, and any other type itself.
func realType(t dtype.Type) dtype.Type {
	switch t {
	case dtype.Complex64:
		return dtype.Float32
	case dtype.Complex128:
		return dtype.Float64
	}
	return t
}

// broadcast returns the shape that the shapes of all operands stretch to.
func broadcast(name string, args []*node) ([]int, error) {
	shape := args[0].shape
	for _, a := range args[1:] {
		joined, ok := joinShapes(shape, a.shape)
		if !ok {
			return nil, fmt.Errorf("%s: shapes %s do not go together", name, formatShapes(args))
		}
		shape = joined
	}
	for _, a := range args {
		if slices.Equal(shape, a.shape) {
			return shape, nil // which has been checked
		}
	}
	if _, err := view.NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("%s: shapes %s together: %w", name, formatShapes(args), err)
	}
	return shape, nil
}

// formatShapes lists the shapes of nodes: "(3, 4) and (5,)".
func formatShapes(nodes []*node) string {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = formatShape(n.shape)
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}
