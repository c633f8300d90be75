package compute

import (
	"errors"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A viewKey is a view of a node that is repeated to a shape first.
type viewKey struct {
	node  *node
	step  string
	shape string
}

// view returns what a step makes of n. Element-wise steps are done after it instead of before, so that only the
// elements that it shows are computed: (a + b)[::2] is a[::2] + b[::2].
func (b *builder) view(n *node, step view.Chain) (*node, error) {
	whole, err := view.NewLayout(n.shape...)
	if err != nil {
		return nil, err
	}
	seen, t, err := step.Apply(whole, n.dtype)
	if err == nil && t != n.dtype {
		return b.reinterpreted(n, step)
	}
	if err == nil {
		var shown *node
		if shown, err = b.pushed(n, &pushing{see: seeing(step), text: step.String(), from: n.shape}); err == nil {
			return b.stretch(shown, seen.Shape()), nil
		}
		if errors.Is(err, view.ErrNeedsCopy) {
			// No strides have this shape where the elements lie now, but they do once n is packed.
			return b.viewOf(n, seen), nil
		}
	}
	if !errors.Is(err, view.ErrNeedsCopy) {
		return nil, err
	}
	return b.copied(n, step)
}

// A pushing is a view on its way to the tensors below a node.
type pushing struct {
	see  func(l view.Layout, t dtype.Type) (view.Layout, error)
	text string // tells views apart
	from []int  // the shape that it is a view of
}

// seeing returns the view that a step is.
func seeing(step view.Chain) func(view.Layout, dtype.Type) (view.Layout, error) {
	return func(l view.Layout, t dtype.Type) (view.Layout, error) {
		l, _, err := step.Apply(l, t)
		return l, err
	}
}

// pushed returns what p shows of n, or less: axes of the result that show one element again and again are of size 1.
func (b *builder) pushed(n *node, p *pushing) (*node, error) {
	key := viewKey{n, p.text, shapeKey(p.from)}
	if known := b.viewed[key]; known != nil {
		return known, nil
	}
	shown, err := b.push(n, p)
	if err == nil {
		b.viewed[key] = shown
	}
	return shown, err
}

func (b *builder) push(n *node, p *pushing) (*node, error) {
	switch {
	case n.kind == nodeScalar:
		return n, nil
	case n.isStretch():
		return b.pushed(n.args[0], p)
	case n.kind != nodeMap && n.kind != nodeCast:
		return b.pushedLeaf(n, p)
	}
	args := make([]*node, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = b.pushed(a, p); err != nil {
			return nil, err
		}
	}
	if n.kind == nodeCast {
		return b.cast(args[0], n.dtype), nil
	}
	shape, err := broadcast("view", args)
	if err != nil {
		return nil, err
	}
	return b.mapNode(n.op, args, shape), nil
}

// pushedLeaf shows elements that are stored or made.
func (b *builder) pushedLeaf(n *node, p *pushing) (*node, error) {
	l, err := n.leafLayout()
	if err != nil {
		return nil, err
	}
	if l, err = l.BroadcastTo(p.from...); err != nil {
		return nil, err
	}
	if l, err = p.see(l, n.dtype); err != nil {
		return nil, err
	}
	for axis, size := range l.Shape() {
		if size > 1 && l.Stride(axis) == 0 {
			if l, err = l.Narrow(axis, 0, 1); err != nil {
				return nil, err
			}
		}
	}
	return b.withLayout(n, l)
}

// leafLayout returns where the elements of a node lie that has no operands to push a view to.
func (n *node) leafLayout() (view.Layout, error) {
	switch n.kind {
	case nodeTensor:
		return n.tensor.Layout(), nil
	case nodeGenerator, nodeView:
		return n.layout, nil
	}
	return view.NewLayout(n.shape...)
}

// withLayout returns the elements of such a node at other places.
func (b *builder) withLayout(n *node, l view.Layout) (*node, error) {
	switch n.kind {
	case nodeTensor:
		t, err := b.relaid(n.tensor, l, n.dtype)
		if err != nil {
			return nil, err
		}
		return b.tensor(t, n.name), nil
	case nodeGenerator:
		return b.generated(n.gen, l), nil
	case nodeView:
		n = n.args[0]
	}
	return b.viewOf(n, l), nil
}

// viewOf returns the elements of n at the positions of a layout, counted in C order.
func (b *builder) viewOf(n *node, l view.Layout) *node {
	return b.add(node{kind: nodeView, args: []*node{n}, dtype: n.dtype, shape: l.Shape(), layout: l}, l.String())
}

// generated returns the elements of g at the positions of a layout.
func (b *builder) generated(g generator, l view.Layout) *node {
	return b.add(node{kind: nodeGenerator, gen: g, dtype: g.DType(), shape: l.Shape(), layout: l}, l.String())
}

// reinterpreted returns the bytes of n as elements of another type.
func (b *builder) reinterpreted(n *node, step view.Chain) (*node, error) {
	if n.kind == nodeTensor {
		l, t, err := step.Apply(n.tensor.Layout(), n.dtype)
		if err == nil {
			shown, err := b.relaid(n.tensor, l, t)
			if err != nil {
				return nil, err
			}
			return b.tensor(shown, n.name), nil
		}
		if !errors.Is(err, view.ErrNeedsCopy) {
			return nil, err
		}
	}
	return b.copied(n, step)
}

// copied returns what a step makes of the elements of n as a copy. Where only elements can say what there are to be, n is
// computed for it, unless it is stored.
func (b *builder) copied(n *node, step view.Chain) (*node, error) {
	made, err := b.moved(n, step)
	if !errors.Is(err, view.ErrNeedsCopy) {
		return made, err
	}
	t, err := b.stored(n)
	if err != nil {
		return nil, err
	}
	own, err := step.Eval(b.ctx, t, &view.EvalOptions{New: b.opts.room, Lookup: b.names.lookupTensor})
	if err != nil {
		return nil, err
	}
	b.out.owned = append(b.out.owned, own)
	return b.tensor(own, ""), nil
}

// slice returns a part of one axis of n, from start up to stop.
func (b *builder) slice(n *node, axis int, part view.Item) (*node, error) {
	ix := slices.Repeat(view.Index{view.All()}, axis+1)
	ix[axis] = part
	return b.view(n, view.Chain{view.IndexStep(ix)})
}
