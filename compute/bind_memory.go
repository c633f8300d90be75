package compute

import (
	"errors"
	"fmt"
	"math"
	"slices"
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
	return fmt.Errorf("this is read while the program is planned, but an earlier statement writes elements of %q: make two programs of it", target)
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
	for _, w := range slices.Backward(b.writes) {
		if sharesMemory(t, w.dst) {
			return w.statement
		}
	}
	return 0
}

// sharesMemory reports whether two tensors may have bytes in common, in one file or in memory.
func sharesMemory(t, u *view.Tensor) bool {
	a, b := whereabouts(t), whereabouts(u)
	if a.path != b.path || a.end <= b.start || b.end <= a.start {
		return false
	}
	return a.base != b.base || view.MayOverlap(t.Layout(), t.DType().Size(), u.Layout(), u.DType().Size()) != view.OverlapNo
}

// An extent is the range of bytes that the elements of a tensor lie in: of a file, or of memory if path is empty.
type extent struct {
	path       string
	base       uint64 // where the storage begins
	start, end uint64
}

func whereabouts(t *view.Tensor) extent {
	st := t.Storage()
	e := extent{path: st.Path(), base: uint64(st.FileOffset())}
	if e.path == "" {
		p, err := st.Pin()
		if err != nil {
			return extent{end: math.MaxUint64} // closed: whoever reads it will say so
		}
		e.base = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(p.Bytes()))))
		p.Unpin()
	}
	lo, hi := t.Layout().Bounds()
	size := uint64(t.DType().Size())
	e.start, e.end = e.base+uint64(lo)*size, e.base+uint64(hi)*size
	return e
}
