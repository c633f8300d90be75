package graph

import (
	"errors"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A viewKey is a view of a node that is repeated to a shape first.
type viewKey struct {
	node  *Node
	step  string
	shape string
}

// View returns what a step makes of n. Element-wise steps are done after it instead of before, so
// that only the elements that it shows are computed: (a + b)[::2] is a[::2] + b[::2].
func (b *Builder) View(n *Node, step view.Chain) (*Node, error) {
	whole, err := view.NewLayout(n.Shape...)
	if err != nil {
		return nil, err
	}

	// A step that is a view of the shape is pushed down to where the elements are.
	seen, t, err := step.Apply(whole, n.DType)
	if err == nil && t != n.DType {
		return b.Reinterpreted(n, step)
	}
	if err == nil {
		var shown *Node
		if shown, err = b.pushed(n, &pushing{see: seeing(step), text: step.String(), from: n.Shape}); err == nil {
			return b.Stretch(shown, seen.Shape()), nil
		}
		if errors.Is(err, view.ErrNeedsCopy) {
			// No strides have this shape where the elements lie now, but they do once n is packed.
			return b.ViewOf(n, seen), nil
		}
	}

	// What is no view is a copy.
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

// pushed returns what p shows of n, or less: axes of the result that show one element again and
// again are of size 1.
func (b *Builder) pushed(n *Node, p *pushing) (*Node, error) {
	key := viewKey{n, p.text, ShapeKey(p.from)}
	if known := b.viewed[key]; known != nil {
		return known, nil
	}
	shown, err := b.push(n, p)
	if err == nil {
		b.viewed[key] = shown
	}
	return shown, err
}

func (b *Builder) push(n *Node, p *pushing) (*Node, error) {
	switch {
	case n.Kind == NodeScalar:
		return n, nil
	case n.isStretch():
		return b.pushed(n.Args[0], p)
	case n.Kind == NodePick:
		return b.pushedPick(n, p)
	case n.Kind != NodeMap && n.Kind != NodeCast:
		return b.pushedLeaf(n, p)
	}

	// Element-wise steps are done after the view.
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		var err error
		if args[i], err = b.pushed(a, p); err != nil {
			return nil, err
		}
	}
	if n.Kind == NodeCast {
		return b.Cast(args[0], n.DType), nil
	}
	shape, err := broadcast("view", args)
	if err != nil {
		return nil, err
	}
	return b.MapNode(n.Op, args, shape), nil
}

// pushedLeaf shows elements that are stored or made.
func (b *Builder) pushedLeaf(n *Node, p *pushing) (*Node, error) {
	l, err := n.leafLayout()
	if err != nil {
		return nil, err
	}
	if l, err = l.BroadcastTo(p.from...); err != nil {
		return nil, err
	}
	if l, err = p.see(l, n.DType); err != nil {
		return nil, err
	}

	// An axis that shows one element again and again is stretched later.
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
func (n *Node) leafLayout() (view.Layout, error) {
	switch n.Kind {
	case NodeTensor:
		return n.Tensor.Layout(), nil
	case NodeGenerator, NodeView, NodeJoin:
		return n.Layout, nil
	}
	return view.NewLayout(n.Shape...)
}

// withLayout returns such a node with its elements in layout l.
func (b *Builder) withLayout(n *Node, l view.Layout) (*Node, error) {
	switch n.Kind {
	case NodeTensor:
		t, err := b.Relaid(n.Tensor, l, n.DType)
		if err != nil {
			return nil, err
		}
		return b.Tensor(t, n.Name), nil
	case NodeGenerator:
		return b.Generated(n.Gen, l), nil
	case NodeJoin:
		return b.seenJoin(n, l)
	case NodeView:
		n = n.Args[0]
	}
	return b.ViewOf(n, l), nil
}

// ViewOf returns the elements of n at the positions of a layout, counted in C order.
func (b *Builder) ViewOf(n *Node, l view.Layout) *Node {
	return b.Add(Node{Kind: NodeView, Args: []*Node{n}, DType: n.DType, Shape: l.Shape(), Layout: l}, l.String())
}

// Generated returns the elements of g at the positions of a layout.
func (b *Builder) Generated(g Generator, l view.Layout) *Node {
	return b.Add(Node{Kind: NodeGenerator, Gen: g, DType: g.DType(), Shape: l.Shape(), Layout: l}, l.String())
}

// Reinterpreted returns the bytes of n as elements of another type.
func (b *Builder) Reinterpreted(n *Node, step view.Chain) (*Node, error) {
	if n.Kind == NodeTensor {
		l, t, err := step.Apply(n.Tensor.Layout(), n.DType)
		if err == nil {
			shown, err := b.Relaid(n.Tensor, l, t)
			if err != nil {
				return nil, err
			}
			return b.Tensor(shown, n.Name), nil
		}
		if !errors.Is(err, view.ErrNeedsCopy) {
			return nil, err
		}
	}
	return b.copied(n, step)
}

// copied returns what a step makes of the elements of n as a copy. If the shape of the result
// depends on elements, n is computed first, unless it is stored.
func (b *Builder) copied(n *Node, step view.Chain) (*Node, error) {
	made, err := b.moved(n, step)
	if !errors.Is(err, view.ErrNeedsCopy) {
		return made, err
	}
	t, err := b.Stored(n)
	if err != nil {
		return nil, err
	}
	own, err := step.Eval(b.ctx, t, &view.EvalOptions{New: b.opts.Room, Lookup: b.names.LookupTensor})
	if err != nil {
		return nil, err
	}
	b.out.owned = append(b.out.owned, own)
	return b.Tensor(own, ""), nil
}

// Slice returns a part of one axis of n, from start up to stop.
func (b *Builder) Slice(n *Node, axis int, part view.Item) (*Node, error) {
	ix := slices.Repeat(view.Index{view.All()}, axis+1)
	ix[axis] = part
	return b.View(n, view.Chain{view.IndexStep(ix)})
}
