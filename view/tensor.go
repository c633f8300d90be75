package view

import (
	"fmt"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// A Tensor is a Layout of elements of one type over the bytes of a storage. The type and the rank
// are known at run time only; see Array for the static twin.
//
// A tensor made by NewTensor, FromSlice or Retain owns a reference to its storage and must be
// closed. One derived from another (Index, Slice, Transpose, Reshape and so on) borrows: it needs
// no Close, and every use of its elements returns mmapstore.ErrClosed once the tensor it comes from
// is closed. Shape, type and the like stay readable.
//
// A tensor that shows elements several times, as broadcasting and overlapping windows make it,
// cannot be written: the error wraps ErrRepeats.
//
// A Tensor does not change, and all of its methods may be called from several goroutines at once.
// Its elements are shared memory: who writes elements while others read or write the same ones
// needs a lock.
type Tensor struct {
	own    *owner
	owns   bool // Close ends own
	dt     dtype.Type
	layout Layout
}

// NewTensor returns the tensor of elements of type t that l picks from st. It proves that all of
// them lie inside the storage, and takes a reference to it, which Close gives back; the caller
// keeps its own. The elements need not be aligned. A layout without elements fits any storage.
func NewTensor(st *mmapstore.Storage, t dtype.Type, l Layout) (*Tensor, error) {
	if !t.Valid() {
		return nil, fmt.Errorf("new tensor: %s is not an element type", t)
	}
	if err := checkFits(st.Size(), t, l); err != nil {
		return nil, fmt.Errorf("new tensor: %w", err)
	}
	made, err := newOwned(st, t, l)
	if err != nil {
		return nil, fmt.Errorf("new tensor: %w", err)
	}
	return made, nil
}

// checkFits proves that the elements of l lie within size bytes, and that the bytes of all of them
// can be counted.
func checkFits(size int64, t dtype.Type, l Layout) error {
	numBytes := l.NumElems()
	if !mulInto(&numBytes, t.Size()) {
		return fmt.Errorf("%d elements of %s are more bytes than can be counted", l.NumElems(), t)
	}
	lo, hi := l.Bounds()
	room := size / int64(t.Size())
	if lo < hi && int64(hi) > room {
		return fmt.Errorf("layout with %s touches elements %d to %d, the storage of %d bytes holds %d elements of %s", l, lo, hi-1, size, room, t)
	}
	return nil
}

// Close gives the reference to the storage back and ends all tensors derived from t. It waits for
// operations that are running if the reference was the last one. Closing again, or closing a
// borrowing tensor, does nothing.
func (t *Tensor) Close() error {
	if !t.owns {
		return nil
	}
	return t.own.close()
}

// Retain returns a tensor like t that owns a reference of its own, so it stays usable when t is
// closed.
func (t *Tensor) Retain() (*Tensor, error) {
	st, err := t.own.storage()
	if err != nil {
		return nil, err
	}
	return newOwned(st, t.dt, t.layout)
}

// DType returns the type of the elements.
func (t *Tensor) DType() dtype.Type { return t.dt }

// Layout returns where the elements lie.
func (t *Tensor) Layout() Layout { return t.layout }

// Shape returns the sizes of the axes, in a slice that the caller owns.
func (t *Tensor) Shape() []int { return t.layout.Shape() }

// Strides returns the strides in elements, in a slice that the caller owns.
func (t *Tensor) Strides() []int { return t.layout.Strides() }

// Offset returns the position in the storage, in elements, of the element with all indexes 0.
func (t *Tensor) Offset() int { return t.layout.offset }

// Rank returns the number of axes.
func (t *Tensor) Rank() int { return len(t.layout.axes) }

// NumElems returns the number of elements.
func (t *Tensor) NumElems() int { return t.layout.NumElems() }

// NumBytes returns the bytes that the elements take, each counted as often as the layout repeats
// it; the storage may be smaller or larger.
func (t *Tensor) NumBytes() int64 { return int64(t.layout.NumElems()) * int64(t.dt.Size()) }

// Storage returns the storage. The caller must Retain it to use it beyond the life of t.
func (t *Tensor) Storage() *mmapstore.Storage { return t.own.st }

// checkWritable returns an error if the elements cannot be written.
func (t *Tensor) checkWritable() error {
	st, err := t.own.storage()
	if err != nil {
		return err
	}
	if !st.Writable() {
		return fmt.Errorf("tensor cannot be written: %w", mmapstore.ErrReadOnly)
	}
	return t.layout.checkDistinct()
}

// String describes the tensor without reading its elements; Fprint prints them.
func (t *Tensor) String() string { return fmt.Sprintf("%s %s", t.dt, t.layout) }
