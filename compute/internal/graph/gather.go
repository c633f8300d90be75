package graph

import (
	"encoding/binary"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A gathering copies the elements of a node that arrays of indexes or a mask pick. As for a view,
// element-wise steps are done after it instead of before.
type gathering struct {
	*Builder
	items  view.Fancy
	arrays []*Node // of items that are arrays, if these pick when the program runs
	from   []int   // the shape that is picked from
	shape  []int   // of what is picked
	picked map[*Node]*Node
	read   bool // whether the indexes have been read, and so checked
}

// Gather returns a copy of the elements of n that items pick: at once, or of arrays when the
// program runs.
func (b *Builder) Gather(n *Node, items view.Fancy, arrays []*Node) (*Node, error) {
	l, err := view.NewLayout(n.Shape...)
	if err != nil {
		return nil, err
	}
	g := gathering{Builder: b, items: items, arrays: arrays, from: n.Shape, picked: map[*Node]*Node{}}
	if g.shape, err = view.FancyShape(b.ctx, l, items); err != nil {
		return nil, err
	}

	// Elements that are stored have been picked with the indexes checked; otherwise they are
	// checked here.
	made, err := g.of(n)
	if err == nil && arrays == nil && !g.read {
		_, err = g.positions(l)
	}
	if err != nil {
		return nil, err
	}
	return b.Stretch(made, g.shape), nil
}

// of returns what is picked of n, once it is stretched to the shape that is picked from.
func (g *gathering) of(n *Node) (*Node, error) {
	if made := g.picked[n]; made != nil {
		return made, nil
	}
	made, err := g.pick(n)
	g.picked[n] = made
	return made, err
}

func (g *gathering) pick(n *Node) (*Node, error) {
	switch {
	case n.Kind == NodeScalar:
		return n, nil
	case n.isStretch():
		return g.of(n.Args[0])
	case g.arrays == nil && n.Kind == NodeGenerator:
		return g.generated(n)
	case n.Kind != NodeMap && n.Kind != NodeCast:
		return g.stored(n)
	}

	// Element-wise steps are done on what is picked.
	args := make([]*Node, len(n.Args))
	for i, a := range n.Args {
		var err error
		if args[i], err = g.of(a); err != nil {
			return nil, err
		}
	}
	if n.Kind == NodeCast {
		return g.Cast(args[0], n.DType), nil
	}
	shape, err := broadcast("index", args)
	if err != nil {
		return nil, err
	}
	return g.MapNode(n.Op, args, shape), nil
}

// stored picks of elements in memory, where those that a reduction or the like makes are put first.
func (g *gathering) stored(n *Node) (*Node, error) {
	if g.arrays != nil {
		return g.later(n)
	}

	// The indexes are known, so that the elements are picked at once.
	t, err := g.Builder.Stored(n)
	if err != nil {
		return nil, err
	}
	l, err := t.Layout().BroadcastTo(g.from...)
	if err != nil {
		return nil, err
	}
	src, err := g.Relaid(t, l, n.DType)
	if err != nil {
		return nil, err
	}

	// The program owns the copy.
	dst, err := g.NewTensor(n.DType, g.shape)
	if err != nil {
		return nil, err
	}
	if err := view.Gather(g.ctx, dst, src, g.items); err != nil {
		return nil, err
	}
	g.read = true
	return g.Tensor(dst, ""), nil
}

// IsPickedLater reports whether arrays of indexes, which are nil beside them, pick of n when a
// program runs: of elements that are in memory then. What masks pick has a shape that is known only
// when they are.
func (n *Node) IsPickedLater(arrays []*Node) bool {
	for _, a := range arrays {
		if a != nil && a.DType == dtype.Bool {
			return false
		}
	}

	// Element-wise steps are done later; below them there must be elements in memory.
	some := false
	seen := map[*Node]bool{n: true}
	for todo := []*Node{n}; len(todo) > 0; {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch last.Kind {
		case NodeScalar:
		case NodeMap, NodeCast:
			for _, a := range last.Args {
				if !seen[a] {
					seen[a] = true
					todo = append(todo, a)
				}
			}
		default:
			some = true
		}
	}
	return some
}

// generated makes those elements of a generator that are picked.
func (g *gathering) generated(n *Node) (*Node, error) {
	l, err := n.Layout.BroadcastTo(g.from...)
	if err != nil {
		return nil, err
	}
	at, err := g.positions(l)
	if err != nil {
		return nil, err
	}
	dst, err := g.NewTensor(n.DType, g.shape)
	if err != nil {
		return nil, err
	}

	// Elements are made one by one, by their numbers.
	size := n.DType.Size()
	err = dst.Storage().With(func(to []byte) error {
		return at.Blocks(0, func(b []byte) error {
			for ; len(b) > 0; b, to = b[8:], to[size:] {
				if _, err := n.Gen.ReadAt(to[:size], int64(binary.LittleEndian.Uint64(b))*int64(size)); err != nil {
					return err
				}
			}
			return g.ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	return g.Tensor(dst, ""), nil
}

// positions returns where the elements that are picked lie in l.
func (g *gathering) positions(l view.Layout) (*view.Tensor, error) {
	at, err := g.NewTensor(dtype.Int64, g.shape)
	if err != nil {
		return nil, err
	}
	g.read = true
	return at, g.items.Positions(g.ctx, at, l)
}
