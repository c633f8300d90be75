package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Picks say how the elements of an operand are picked: where they lie, and, of a tensor, where they
// are in C order, as a packed copy of it has them.
type Picks struct{ InPlace, Packed view.Picks }

// later picks of elements that are stored, kept or generated when somebody reads what is picked.
func (g *gathering) later(n *Node) (*Node, error) {
	if err := checkBytes(g.shape, n.DType); err != nil {
		return nil, err
	}
	l, err := n.leafLayout()
	if err != nil {
		return nil, err
	}
	p := Picks{}
	if p.InPlace, err = g.picks(l); err != nil {
		return nil, err
	}
	if p.Packed = p.InPlace; n.Kind == NodeTensor {
		if p.Packed, err = g.picks(Whole(n.Shape)); err != nil {
			return nil, err
		}
	}

	args := []*Node{n}
	for _, a := range g.arrays {
		if a == nil {
			continue
		}
		index, err := g.index(a, p.InPlace.Sizes[len(args)-1], p.InPlace.Behind)
		if err != nil {
			return nil, err
		}
		args = append(args, index)
	}
	return g.pickedBy(args, &p), nil
}

// picks returns how the items pick from a layout that is stretched first.
func (g *gathering) picks(l view.Layout) (view.Picks, error) {
	l, err := l.BroadcastTo(g.from...)
	if err != nil {
		return view.Picks{}, err
	}
	return g.items.Picks(g.ctx, l)
}

// index returns an array of indexes as int64, with an axis of size 1 for each of those behind it.
// An unsigned index that int64 does not hold stays outside the axis.
func (g *gathering) index(n *Node, size, behind int) (*Node, error) {
	if n.DType == dtype.Uint64 {
		n = g.MapNode(kernel.Min, []*Node{n, g.Scalar(dtype.ScalarOf(uint64(size)))}, n.Shape)
	}
	return g.Reshaped(g.Cast(n, dtype.Int64), append(slices.Clone(n.Shape), slices.Repeat([]int{1}, behind)...))
}

// pickedBy returns the elements of args[0] that the other args pick.
func (b *Builder) pickedBy(args []*Node, p *Picks) *Node {
	l := p.InPlace.Layout
	var key strings.Builder
	fmt.Fprint(&key, "pick ", l, p.InPlace.Strides, p.InPlace.Sizes)
	for _, n := range args {
		fmt.Fprint(&key, " ", n.ID)
	}
	return b.Add(Node{Kind: NodePick, Args: args, DType: args[0].DType, Shape: l.Shape(), Picks: p}, key.String())
}

// pushedPick shows what is picked: the view is one of the indexes, and of where they pick from.
func (b *Builder) pushedPick(n *Node, p *pushing) (*Node, error) {
	seen := *n.Picks
	for _, l := range []*view.Layout{&seen.InPlace.Layout, &seen.Packed.Layout} {
		var err error
		if *l, err = l.BroadcastTo(p.from...); err == nil {
			*l, err = p.see(*l, n.DType)
		}
		if err != nil {
			return nil, err
		}
	}
	args := slices.Clone(n.Args)
	for i, index := range args[1:] {
		var err error
		if args[i+1], err = b.pushed(index, p); err != nil {
			return nil, err
		}
	}
	return b.pickedBy(args, &seen), nil
}

// maxChecked is the number of indexes up to which they are checked before a program runs. More are
// checked by the pass that picks by them.
const maxChecked = 1 << 16

// CheckPicks returns an error if an array of indexes that is stored has one outside its axis.
func (b *Builder) CheckPicks(n *Node) error {
	var err error
	n.Walk(func(m *Node) {
		if m.Kind != NodePick {
			return
		}
		for i, index := range m.Args[1:] {
			for index.Kind == NodeCast {
				index = index.Args[0]
			}
			if err == nil && b.isKnown(index) && index.DType != dtype.Uint64 && NumElems(index.Shape) <= maxChecked {
				err = m.Picks.check(i, index)
			}
		}
	})
	return err
}

// check checks the elements of an array of indexes.
func (p *Picks) check(array int, n *Node) error {
	size := int64(p.InPlace.Sizes[array])
	return n.Tensor.Blocks(0, func(b []byte) error {
		for ; len(b) > 0; b = b[n.DType.Size():] {
			if v, ok := dtype.Load(n.DType, b).Int64(); !ok || v < -size || v >= size {
				return &view.IndexError{Axis: p.InPlace.Axes[array], Index: int(v), Size: int(size)}
			}
		}
		return nil
	})
}
