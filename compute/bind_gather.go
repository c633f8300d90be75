package compute

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A gathering is what arrays of indexes or a mask pick of a node, which is copied. Element-wise steps are done after it
// instead of before, as for a view.
type gathering struct {
	*builder
	items  view.Fancy
	arrays []*node // of items that are arrays, if these pick when the program runs
	from   []int   // the shape that is picked from
	shape  []int   // of what is picked
	picked map[*node]*node
	read   bool // whether the indexes have been read, and so checked
}

// gather returns a copy of the elements of n that items pick: at once, or of arrays when the program runs.
func (b *builder) gather(n *node, items view.Fancy, arrays []*node) (*node, error) {
	l, err := view.NewLayout(n.shape...)
	if err != nil {
		return nil, err
	}
	g := gathering{builder: b, items: items, arrays: arrays, from: n.shape, picked: map[*node]*node{}}
	if g.shape, err = view.FancyShape(b.ctx, l, items); err != nil {
		return nil, err
	}
	made, err := g.of(n)
	switch {
	case err != nil || g.read:
	case arrays == nil:
		_, err = g.positions(l)
	case !slices.ContainsFunc(arrays, func(a *node) bool { return a != nil && !b.isKnown(a) }):
		err = items.Check(b.ctx, l)
	}
	if err != nil {
		return nil, err
	}
	return b.stretch(made, g.shape), nil
}

// of returns what is picked of n, once it is stretched to the shape that is picked from.
func (g *gathering) of(n *node) (*node, error) {
	if made := g.picked[n]; made != nil {
		return made, nil
	}
	made, err := g.pick(n)
	g.picked[n] = made
	return made, err
}

func (g *gathering) pick(n *node) (*node, error) {
	switch {
	case n.kind == nodeScalar:
		return n, nil
	case n.isStretch():
		return g.of(n.args[0])
	case n.kind == nodeGenerator:
		return g.generated(n)
	case n.kind != nodeMap && n.kind != nodeCast:
		return g.stored(n)
	}
	args := make([]*node, len(n.args))
	for i, a := range n.args {
		var err error
		if args[i], err = g.of(a); err != nil {
			return nil, err
		}
	}
	if n.kind == nodeCast {
		return g.cast(args[0], n.dtype), nil
	}
	shape, err := broadcast("index", args)
	if err != nil {
		return nil, err
	}
	return g.mapNode(n.op, args, shape), nil
}

// stored picks of elements in memory, where those that a reduction or the like makes are put first.
func (g *gathering) stored(n *node) (*node, error) {
	if g.arrays != nil {
		return g.later(n)
	}
	t, err := g.builder.stored(n)
	if err != nil {
		return nil, err
	}
	l, err := t.Layout().BroadcastTo(g.from...)
	if err != nil {
		return nil, err
	}
	src, err := g.relaid(t, l, n.dtype)
	if err != nil {
		return nil, err
	}
	dst, err := g.newTensor(n.dtype, g.shape)
	if err != nil {
		return nil, err
	}
	if err := view.Gather(g.ctx, dst, src, g.items); err != nil {
		return nil, err
	}
	g.read = true
	return g.tensor(dst, ""), nil
}

// later picks when the program runs.
func (g *gathering) later(n *node) (*node, error) {
	if numElems(g.shape) > maxBytes/n.dtype.Size() {
		return nil, fmt.Errorf("shape %s of %s is more than can be addressed", formatShape(g.shape), n.dtype)
	}
	k := &picking{items: g.items, from: g.from}
	made := node{kind: nodeBulk, bulk: k, args: []*node{n}, dtype: n.dtype, shape: g.shape}
	key := k.String() + shapeKey(g.from)
	for i, a := range g.arrays {
		if a != nil {
			k.made = k.made || !g.isKnown(a)
			k.at = append(k.at, i)
			made.args = append(made.args, a)
			key += fmt.Sprint(" at ", a.id)
		}
	}
	return g.add(made, key), nil
}

// isPickedLater reports whether arrays of indexes, which are nil beside them, pick of n when a program runs: of elements that
// are in memory then. What masks pick has a shape that is known only when they are.
func (n *node) isPickedLater(arrays []*node) bool {
	for _, a := range arrays {
		if a != nil && a.dtype == dtype.Bool {
			return false
		}
	}
	some, generated := false, false
	seen := map[*node]bool{n: true}
	for todo := []*node{n}; len(todo) > 0; {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch last.kind {
		case nodeScalar:
		case nodeGenerator:
			generated = true
		case nodeMap, nodeCast:
			for _, a := range last.args {
				if !seen[a] {
					seen[a] = true
					todo = append(todo, a)
				}
			}
		default:
			some = true
		}
	}
	return some && !generated
}

// generated makes those elements of a generator that are picked.
func (g *gathering) generated(n *node) (*node, error) {
	l, err := n.layout.BroadcastTo(g.from...)
	if err != nil {
		return nil, err
	}
	at, err := g.positions(l)
	if err != nil {
		return nil, err
	}
	dst, err := g.newTensor(n.dtype, g.shape)
	if err != nil {
		return nil, err
	}
	size := n.dtype.Size()
	err = dst.Storage().With(func(to []byte) error {
		return at.Blocks(0, func(b []byte) error {
			for ; len(b) > 0; b, to = b[8:], to[size:] {
				if _, err := n.gen.ReadAt(to[:size], int64(binary.LittleEndian.Uint64(b))*int64(size)); err != nil {
					return err
				}
			}
			return g.ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	return g.tensor(dst, ""), nil
}

// positions returns where the elements that are picked lie in l.
func (g *gathering) positions(l view.Layout) (*view.Tensor, error) {
	at, err := g.newTensor(dtype.Int64, g.shape)
	if err != nil {
		return nil, err
	}
	g.read = true
	return at, g.items.Positions(g.ctx, at, l)
}
