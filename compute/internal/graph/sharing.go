package graph

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Walk calls fn for n and all nodes it needs, once each.
func (n *Node) Walk(fn func(*Node)) {
	seen := map[*Node]bool{n: true}
	for todo := []*Node{n}; len(todo) > 0; {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		fn(last)
		for _, a := range last.Args {
			if !seen[a] {
				seen[a] = true
				todo = append(todo, a)
			}
		}
	}
}

// Reads reports whether n may read bytes that dst has.
func (n *Node) Reads(dst *view.Tensor) bool {
	found := false
	n.Walk(func(m *Node) {
		found = found || m.Kind == NodeTensor && sharesMemory(m.Tensor, dst)
	})
	return found
}

// sharesMemory reports whether two tensors may have bytes in common, in one file or in memory.
func sharesMemory(t, u *view.Tensor) bool {
	a, b := whereabouts(t), whereabouts(u)
	if distance, ok := t.Storage().Distance(u.Storage()); isOnDevice(t) || isOnDevice(u) {
		if !ok {
			return false
		}
		a, b = a.from(uint64(max(distance, 0))), b.from(uint64(max(-distance, 0)))
	}
	if a.path != b.path || a.end <= b.start || b.end <= a.start {
		return false
	}
	return a.base != b.base || view.MayOverlap(t.Layout(), t.DType().Size(), u.Layout(), u.DType().Size()) != view.OverlapNo
}

// isOnDevice reports whether t is not in host memory.
func isOnDevice(t *view.Tensor) bool { return t.Storage().Place() != mmapstore.CPU }

// An extent is the range of bytes that the elements of a tensor lie in: of a file, or of memory if
// path is empty.
type extent struct {
	path       string
	base       uint64 // where the storage begins
	start, end uint64
}

// whereabouts returns the extent of t. On a device it counts from where the storage begins.
func whereabouts(t *view.Tensor) extent {
	st := t.Storage()
	e := extent{path: st.Path(), base: uint64(st.FileOffset())}
	if e.path == "" && !isOnDevice(t) {
		p, err := st.Pin()
		if err != nil {
			return extent{end: math.MaxUint64} // on a device, or closed: whoever reads it will say so
		}
		e.base = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(p.Bytes()))))
		p.Unpin()
	}
	lo, hi := t.Layout().Bounds()
	size := uint64(t.DType().Size())
	e.start, e.end = e.base+uint64(lo)*size, e.base+uint64(hi)*size
	return e
}

// from returns e with its storage some bytes further on.
func (e extent) from(base uint64) extent {
	return extent{e.path, e.base + base, e.start + base, e.end + base}
}

// SameElements reports whether each element of a is where that of b is, in memory or in a file.
func SameElements(a, b *view.Tensor) bool {
	if a.DType() != b.DType() || !slices.Equal(a.Shape(), b.Shape()) || !slices.Equal(a.Strides(), b.Strides()) {
		return false
	}
	x, y, size := a.Storage(), b.Storage(), int64(a.DType().Size())
	if x == y {
		return a.Offset() == b.Offset()
	}
	return x.Path() != "" && x.Path() == y.Path() &&
		x.FileOffset()+int64(a.Offset())*size == y.FileOffset()+int64(b.Offset())*size
}
