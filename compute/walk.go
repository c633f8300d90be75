package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/transpose"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A walk calls a function of the caller with blocks of the elements of several tensors of one
// shape. The function sets the elements of the first tensor. A walk is an exec.Job.
type walk struct {
	operands []walkOperand // the destination first
	storages []*mmapstore.Storage
	pins     []mmapstore.Pin
	temps    []*view.Tensor

	nest   plan.Nest
	chunks *plan.Chunks
	block  int // columns of a block, at most
	rows   bool
	code   userCode
	call   func(at []unsafe.Pointer, n int) // n packed, aligned elements of each operand
}

// A walkOperand is a tensor as a walk sees it.
type walkOperand struct {
	base         unsafe.Pointer
	size         int
	inner, outer int  // bytes between elements and between rows of the nest
	direct       bool // whether rows may be used where they lie
	isBool       bool // any byte but 0 is true
}

// walkChunk is the number of elements that a worker takes at a time, and walkBlock the largest
// number in a call of the function. If operands disagree on what is contiguous, the function is
// called with squares of walkSide elements, cut from squares of walkBox. Rows of less than walkSide
// are put together.
const (
	walkChunk = 32 << 10
	walkBlock = walkSide * walkSide
	walkSide  = 64
	walkBox   = 4 * walkSide
)

// newWalk prepares a walk; close ends it. Sources stretch to the shape of dst. One that shares
// elements with dst in another order is copied first.
func newWalk(ctx context.Context, dst *view.Tensor, srcs []*view.Tensor, o *graph.Limits) (*walk, error) {
	w := &walk{}
	err := w.open(ctx, dst, srcs, o)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *walk) open(ctx context.Context, dst *view.Tensor, srcs []*view.Tensor, o *graph.Limits) error {
	switch {
	case !dst.Storage().Writable():
		return mmapstore.ErrReadOnly
	case dst.Layout().SelfOverlap() != view.OverlapNo:
		return view.ErrRepeats
	}

	planned := []plan.Operand{}
	for i, t := range slices.Insert(slices.Clone(srcs), 0, dst) {
		var err error
		if i > 0 {
			t, err = w.source(ctx, t, dst, o)
		}

		if err != nil {
			return err
		}

		p, err := w.add(t)
		if err != nil {
			return err
		}
		planned = append(planned, p)
	}

	w.plan(dst.Shape(), planned)
	return nil
}

// source returns src broadcast to the shape of dst. If dst overlaps src in other places, it returns
// a copy, so that no element is overwritten before it is read.
func (w *walk) source(ctx context.Context, src, dst *view.Tensor, o *graph.Limits) (*view.Tensor, error) {
	stretched, err := src.BroadcastTo(dst.Shape()...)
	if err != nil || graph.SameElements(dst, stretched) {
		return stretched, err
	}

	overlaps, err := view.Overlaps(dst, src)
	if err != nil || !overlaps {
		return stretched, err
	}

	// The copy has the shape of src itself: broadcasting it costs nothing.
	temp, err := o.NewTensor(src.DType(), src.Shape())
	if err != nil {
		return nil, err
	}
	w.temps = append(w.temps, temp)
	if err := view.Copy(ctx, temp, src); err != nil {
		return nil, err
	}
	return temp.BroadcastTo(dst.Shape()...)
}

// add pins a tensor and returns its strides in bytes.
func (w *walk) add(t *view.Tensor) (plan.Operand, error) {
	st, size := t.Storage(), t.DType().Size()
	pin, err := st.Pin()
	if err != nil {
		return plan.Operand{}, err
	}

	w.pins = append(w.pins, pin)
	if !slices.Contains(w.storages, st) {
		w.storages = append(w.storages, st)
	}

	o := walkOperand{size: size, isBool: t.DType() == dtype.Bool}
	if t.NumElems() > 0 {
		o.base = unsafe.Pointer(&pin.Bytes()[t.Offset()*size])
	}
	w.operands = append(w.operands, o)

	strides := t.Strides()
	for axis := range strides {
		strides[axis] *= size
	}
	return plan.Operand{Strides: strides, ElemSize: size}, nil
}

// plan decides the order of the walk and the form of its blocks.
func (w *walk) plan(shape []int, operands []plan.Operand) {
	w.nest = plan.New(shape, operands, 0)
	tiled := w.nest.Tile()
	cols := w.nest.Sizes[len(w.nest.Sizes)-1]
	w.block, w.rows = walkBlock, cols >= walkSide && !tiled || len(w.nest.Sizes) == 1
	side := walkChunk
	if tiled {
		w.block, side = walkSide, walkBox
	}
	w.chunks = w.nest.Chunks(walkChunk, side, side)
	for k := range w.operands {
		o := &w.operands[k]
		o.inner, o.outer = w.nest.Inner(k), w.nest.Outer(k)
		aligned := (uintptr(o.base)+uintptr(w.nest.Start[k]))%uintptr(min(o.size, pieces.MaxAlign)) == 0
		o.direct = o.inner == o.size && aligned && !(o.isBool && k > 0)
	}
}

// run calls fn with all elements.
func (w *walk) run(ctx context.Context, o *graph.Limits, fn func(at []unsafe.Pointer, n int)) error {
	w.call = fn
	err := exec.Run(ctx, w, exec.Options{Parallelism: o.Parallelism, Storages: w.storages})
	w.code.end()
	return err
}

func (w *walk) close() error {
	var errs []error
	for _, pin := range w.pins {
		pin.Unpin()
	}
	for _, t := range w.temps {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// NumChunks implements exec.Job.
func (w *walk) NumChunks() int {
	if w.nest.NumElems() == 0 {
		return 0
	}
	return w.chunks.Len()
}

// NewWorker implements exec.Job.
func (w *walk) NewWorker() exec.Worker {
	k := &walker{walk: w, at: make([]unsafe.Pointer, len(w.operands)), buffers: make([][]byte, len(w.operands))}
	for i, o := range w.operands {
		if !o.direct || !w.rows {
			k.buffers[i] = pieces.AlignedBytes(walkBlock * o.size)
		}
	}
	return k
}

// A walker is the part of a walk that one goroutine does.
type walker struct {
	*walk
	at      []unsafe.Pointer
	buffers [][]byte
	box     plan.Box
}

// Run implements exec.Worker.
func (w *walker) Run(chunk int) error {
	return w.code.run(func() {
		if err := w.chunks.Boxes(chunk, &w.box, w.blocks); err != nil {
			panic(fmt.Sprintf("BUG: compute: walk: %v", err))
		}
	})
}

// blocks cuts a box into blocks: pieces of rows, or where rows are short, or of no use as they lie,
// several of them.
func (w *walker) blocks(b *plan.Box) error {
	high := 1
	if !w.rows {
		high = walkBlock / min(w.block, b.Cols)
	}
	for row := 0; row < b.Rows; row += high {
		for col := 0; col < b.Cols; col += w.block {
			w.one(b, row, col, min(high, b.Rows-row), min(w.block, b.Cols-col))
		}
	}
	return nil
}

// one calls the function for one block of rows and columns.
func (w *walker) one(b *plan.Box, row, col, rows, cols int) {
	// Operands that lie as the function takes them are passed in place, all others are gathered.
	// The destination needs a buffer only, as its old elements are not read.
	for k := range w.operands {
		o := &w.operands[k]
		place := unsafe.Add(o.base, b.At[k]+row*o.outer+col*o.inner)
		if o.direct && (rows == 1 || o.outer == cols*o.size) {
			w.at[k] = place
			continue
		}
		w.at[k] = unsafe.Pointer(unsafe.SliceData(w.buffers[k]))
		if k > 0 {
			o.gather(w.at[k], place, rows, cols)
		}
	}

	w.call(w.at, rows*cols)

	// Write the results back, unless the function wrote them in place.
	o := &w.operands[0]
	if place := unsafe.Add(o.base, b.At[0]+row*o.outer+col*o.inner); w.at[0] != place {
		o.scatter(place, w.at[0], rows, cols)
	}
}

// gather packs a block.
func (o *walkOperand) gather(buf, place unsafe.Pointer, rows, cols int) {
	if rows > 1 && o.outer == o.size && o.inner != o.size {
		transpose.Block(buf, place, cols, rows, cols*o.size, o.inner, o.size)
	} else {
		for i := range rows {
			kernel.Gather(unsafe.Add(buf, i*cols*o.size), unsafe.Add(place, i*o.outer), o.size, o.inner, cols)
		}
	}
	if o.isBool {
		b := unsafe.Slice((*byte)(buf), rows*cols)
		pieces.MakeBools(b, b)
	}
}

// scatter is the reverse of gather.
func (o *walkOperand) scatter(place, buf unsafe.Pointer, rows, cols int) {
	for i := range rows {
		kernel.Scatter(unsafe.Add(place, i*o.outer), unsafe.Add(buf, i*cols*o.size), o.size, o.inner, cols)
	}
}
