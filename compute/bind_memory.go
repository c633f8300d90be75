package compute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// retained returns a reference to t that the bound program owns. The same tensor has one.
func (b *builder) retained(t *view.Tensor) (*view.Tensor, error) {
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

// relaid returns the elements of type dt at l in the storage of t.
func (b *builder) relaid(t *view.Tensor, l view.Layout, dt dtype.Type) (*view.Tensor, error) {
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

// elements computes the elements of n now. The tensor is packed, and the program owns it.
func (b *builder) elements(n *node) (*view.Tensor, error) {
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

// stored returns the elements of n as a tensor of any layout, without computing those that are stored.
func (b *builder) stored(n *node) (*view.Tensor, error) {
	if n.kind != nodeTensor {
		return b.elements(n)
	}
	return n.tensor, b.checkNow(n)
}

// checkNow returns an error if n reads what the program has yet to write.
func (b *builder) checkNow(n *node) error {
	late := 0
	n.walk(func(m *node) { late = max(late, m.after) })
	if late == 0 {
		return nil
	}
	target := b.out.stmts[late-1].target
	return fmt.Errorf("this is read while the program is planned, but an earlier statement writes elements of %q: make two programs of it", target)
}

// after returns how many statements must have been stored before t is read by the next one.
func (b *builder) after(t *view.Tensor) int {
	for _, w := range slices.Backward(b.writes) {
		if sharesMemory(t, w.dst) {
			return w.statement
		}
	}
	return 0
}

// isKnown reports whether the elements of n are there while names are bound.
func (b *builder) isKnown(n *node) bool { return n.kind == nodeTensor && b.checkNow(n) == nil }

// newTensor returns a packed tensor that the program owns.
func (b *builder) newTensor(t dtype.Type, shape []int) (*view.Tensor, error) {
	l, err := view.NewLayout(shape...)
	if err != nil {
		return nil, err
	}
	if l.NumElems() > maxBytes/t.Size() {
		return nil, fmt.Errorf("shape %s of %s is more than can be addressed", formatShape(shape), t)
	}
	dst, err := b.opts.newTensor(t, shape)
	if err != nil {
		return nil, err
	}
	b.out.owned = append(b.out.owned, dst)
	return dst, nil
}

const maxBytes = 1<<63 - 1

// indexArray returns an array as an item of an index: with its elements, or where those are not needed yet and would have
// to be computed, with others in the same shape.
func (b *builder) indexArray(n *node, later bool) (view.FancyItem, error) {
	if later && !b.isKnown(n) {
		zero, err := view.NewTensor(mmapstore.FromBytes(make([]byte, n.dtype.Size())), n.dtype, view.Layout{})
		if err != nil {
			return view.FancyItem{}, err
		}
		b.out.owned = append(b.out.owned, zero)
		zeros, err := zero.BroadcastTo(n.shape...)
		return view.IntArray(zeros), err
	}
	t, err := b.stored(n)
	if err != nil {
		return view.FancyItem{}, err
	}
	if n.dtype == dtype.Bool {
		return view.BoolArray(t), nil
	}
	return view.IntArray(t), nil
}
