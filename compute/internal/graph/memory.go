package graph

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Retained returns a reference to t that the bound program owns. The same tensor has one.
func (b *Builder) Retained(t *view.Tensor) (*view.Tensor, error) {
	if t == nil {
		return nil, errors.New("no tensor")
	}
	if own := b.tensors[t]; own != nil {
		return own, nil
	}
	own, err := t.Retain()
	if err != nil {
		return nil, err
	}
	b.tensors[t] = own
	b.out.owned = append(b.out.owned, own)
	return own, nil
}

// Relaid returns the elements of type dt at l in the storage of t.
func (b *Builder) Relaid(t *view.Tensor, l view.Layout, dt dtype.Type) (*view.Tensor, error) {
	if dt == t.DType() && l.Equal(t.Layout()) {
		return t, nil
	}
	own, err := view.NewTensor(t.Storage(), dt, l)
	if err != nil {
		return nil, err
	}
	b.out.owned = append(b.out.owned, own)
	return own, nil
}

// Elements computes the elements of n now. The tensor is packed, and the program owns it.
func (b *Builder) Elements(n *Node) (*view.Tensor, error) {
	if err := b.checkNow(n); err != nil {
		return nil, err
	}
	t, err := b.eager(b.ctx, n)
	if err != nil {
		return nil, err
	}
	b.out.owned = append(b.out.owned, t)
	return t, nil
}

// Stored returns the elements of n as a tensor of any layout, without computing those that are
// stored.
func (b *Builder) Stored(n *Node) (*view.Tensor, error) {
	if n.Kind != NodeTensor {
		return b.Elements(n)
	}
	return n.Tensor, b.checkNow(n)
}

// checkNow returns an error if n reads what the program has yet to write.
func (b *Builder) checkNow(n *Node) error {
	late := 0
	n.Walk(func(m *Node) { late = max(late, m.After) })
	if late == 0 {
		return nil
	}
	target := b.out.Statements[late-1].Target
	return fmt.Errorf("this is read while the program is planned, but an earlier statement writes elements of %q: make two programs of it", target)
}

// after returns how many statements must have been stored before t is read by the next one.
func (b *Builder) after(t *view.Tensor) int {
	for _, w := range slices.Backward(b.writes) {
		if sharesMemory(t, w.dst) {
			return w.statement
		}
	}
	return 0
}

// isKnown reports whether the elements of n are there while names are bound.
func (b *Builder) isKnown(n *Node) bool { return n.Kind == NodeTensor && b.checkNow(n) == nil }

// NewTensor returns a packed tensor that the program owns.
func (b *Builder) NewTensor(t dtype.Type, shape []int) (*view.Tensor, error) {
	if err := checkBytes(shape, t); err != nil {
		return nil, err
	}
	dst, err := b.opts.NewTensor(t, shape)
	if err != nil {
		return nil, err
	}
	b.out.owned = append(b.out.owned, dst)
	return dst, nil
}

const maxBytes = 1<<63 - 1

// IndexArray returns an array as an item of an index: with its elements, or where those are not
// needed yet and would have to be computed, with others in the same shape.
func (b *Builder) IndexArray(n *Node, later bool) (view.FancyItem, error) {
	if later && !b.isKnown(n) {
		zero, err := view.NewTensor(mmapstore.FromBytes(make([]byte, n.DType.Size())), n.DType, view.Layout{})
		if err != nil {
			return view.FancyItem{}, err
		}
		b.out.owned = append(b.out.owned, zero)
		zeros, err := zero.BroadcastTo(n.Shape...)
		return view.IntArray(zeros), err
	}

	// Otherwise the elements are needed now.
	t, err := b.Stored(n)
	if err != nil {
		return view.FancyItem{}, err
	}
	if n.DType == dtype.Bool {
		return view.BoolArray(t), nil
	}
	return view.IntArray(t), nil
}
