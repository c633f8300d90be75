package compute

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// retained returns a reference to t that the bound program owns. The same tensor has one.
func (b *binder) retained(t *view.Tensor) (*view.Tensor, error) {
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
func (b *binder) relaid(t *view.Tensor, l view.Layout, dt dtype.Type) (*view.Tensor, error) {
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

// computed returns the elements of n as a tensor that holds them, computed now.
func (b *binder) computed(n *node) (*node, error) {
	t, err := b.elements(n)
	if err != nil {
		return nil, err
	}
	return b.add(&node{kind: nodeTensor, dtype: t.DType(), shape: t.Shape(), tensor: t}, ""), nil
}

// elements computes the elements of n now. The tensor is packed, and the program owns it.
func (b *binder) elements(n *node) (*view.Tensor, error) {
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
func (b *binder) stored(n *node) (*view.Tensor, error) {
	if n.kind != nodeTensor {
		return b.elements(n)
	}
	return n.tensor, b.checkNow(n)
}

// checkNow returns an error if n reads what the program has yet to write.
func (b *binder) checkNow(n *node) error {
	late := 0
	n.walk(func(m *node) { late = max(late, m.after) })
	if late == 0 {
		return nil
	}
	target := b.out.stmts[late-1].target
	return fmt.Errorf("the shape depends on elements of %q that an earlier statement writes: make two programs of it", target)
}

// walk calls fn for n and all nodes it needs, once each.
func (n *node) walk(fn func(*node)) {
	seen := map[*node]bool{n: true}
	for todo := []*node{n}; len(todo) > 0; {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		fn(last)
		for _, a := range last.args {
			if !seen[a] {
				seen[a] = true
				todo = append(todo, a)
			}
		}
	}
}

// reads reports whether n may read bytes that dst has.
func (n *node) reads(dst *view.Tensor) bool {
	found := false
	n.walk(func(m *node) {
		found = found || m.kind == nodeTensor && sharesMemory(m.tensor, dst)
	})
	return found
}

// after returns how many statements must have been stored before t is read by the next one.
func (b *binder) after(t *view.Tensor) int {
	for i := len(b.writes) - 1; i >= 0; i-- {
		if dst := b.writes[i]; dst != nil && sharesMemory(t, dst) {
			return i + 1
		}
	}
	return 0
}

// sharesMemory reports whether two tensors may have bytes in common: those of one file, or of memory that overlaps.
func sharesMemory(t, u *view.Tensor) bool {
	a, b := t.Storage(), u.Storage()
	if a == b {
		return view.MayOverlap(t.Layout(), t.DType().Size(), u.Layout(), u.DType().Size()) != view.OverlapNo
	}
	if a.Path() != "" || b.Path() != "" {
		return a.Path() == b.Path() && a.FileOffset() < b.FileOffset()+b.Size() && b.FileOffset() < a.FileOffset()+a.Size()
	}
	aStart, aEnd := addresses(t)
	bStart, bEnd := addresses(u)
	return aStart < bEnd && bStart < aEnd
}

// addresses returns where the storage of t lies in memory. If it cannot tell, that is everywhere.
func addresses(t *view.Tensor) (start, end uintptr) {
	p, err := t.Storage().Pin()
	if err != nil {
		return 0, ^uintptr(0)
	}
	defer p.Unpin()
	start = uintptr(unsafe.Pointer(unsafe.SliceData(p.Bytes())))
	return start, start + uintptr(len(p.Bytes()))
}
