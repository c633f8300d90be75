package pass

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/fewmap"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// briefWork is the number of elements, times operations, up to which a pass is not stopped in its
// blocks: it takes less than a millisecond, and some ten of the slowest operations there are.
const briefWork = 64 << 10

// A Memory holds the operands of one pass: their pinned addresses, and the order in which they are
// walked.
type Memory struct {
	program  *machine.Program
	engine   *offload.Engine // nil if operands are in host memory
	onDevice bool            // whether one is not
	Operands []exec.Operand  // inputs, then outputs
	planned  []plan.Operand
	strides  []int // of planned
	nest     plan.Nest
	Storages []*mmapstore.Storage
	known    fewmap.Map[*mmapstore.Storage, struct{}] // the same ones
	pins     []mmapstore.Pin
	files    []file
	empty    bool
	Bytes    int64 // read and written, each operand once
	elems    int
}

// A file is an operand that lies in a mapped file.
type file struct {
	operand int
	storage *mmapstore.Storage
	start   int64 // byte of the storage that the operand's offsets count from
	write   bool
	span    func(lo, hi int) (off, n int64) // of a part of a join: the bytes of its storage for those of the operand, else nil
}

// bind pins the operands of a pass: its leaves, and the tensors that its outputs go to, whose first
// one decides the order of the walk. All are in host memory.
func (r *run) bind(pr *passRun, targets []*view.Tensor) (*Memory, error) {
	return r.bindWith(nil, pr, targets)
}

// bindWith is bind for a pass that engine computes, if that is not nil: operands may be there.
func (r *run) bindWith(engine *offload.Engine, pr *passRun, targets []*view.Tensor) (*Memory, error) {
	m := memories.Get().(*Memory)
	m.program, m.engine = pr.program, engine
	for _, a := range pr.leaves {
		if err := r.addLeaf(m, a); err != nil {
			m.Close()
			return nil, err
		}
	}

	// Outputs come behind the inputs; the first one leads the walk.
	lead := -1
	for _, t := range targets {
		lead = len(pr.leaves)
		o, err := m.tensor(t, t.Layout())
		if err != nil {
			m.Close()
			return nil, err
		}
		if t.Layout().IsDense() {
			m.Mapped(t, t.Layout(), true)
		}
		o.Stream = r.span.whole(t.NumBytes()) >= exec.StreamBytes
		m.Operands = append(m.Operands, o)
	}

	// All operands say how they are walked best.
	m.nest = plan.New(pr.shape, m.planned, lead)
	m.elems = m.nest.NumElems()
	m.empty = m.elems == 0

	// A long walk looks now and then whether it is to stop.
	m.program = r.plan.opts.Code.program(pr.program, m.elems)
	if m.elems > briefWork/(1+pr.program.NumOperations()) {
		m.program = m.program.Until(r.Watch())
	}
	return m, nil
}

// memories keeps those that are closed, for their slices.
var memories = sync.Pool{New: func() any { return &Memory{} }}

// addLeaf adds an input.
func (r *run) addLeaf(m *Memory, a leaf) error {
	if a.gen != nil {
		size := a.dtype.Size()
		m.add(a.layout, size)
		m.Operands = append(m.Operands, exec.Operand{Fill: fill(a.gen, a.layout.Offset(), size)})
		return nil
	}

	if a.join != nil || a.pick != nil {
		return r.addMade(m, a)
	}

	// Stored elements are touched where they lie, or read from their file.
	t := r.tensorOf(a)
	o, err := m.tensor(t, a.layout)
	if err != nil {
		return err
	}
	if st := t.Storage(); r.reads(t) {
		start := int64(a.layout.Offset()) * int64(a.dtype.Size())
		o.Read = func(p []byte, off int) error { return st.ReadFile(p, start+int64(off)) }
	} else {
		m.Mapped(t, a.layout, false)
	}
	m.Operands = append(m.Operands, o)
	return nil
}

// tensorOf returns the tensor that an input reads. It returns nil if the elements are generated.
func (r *run) tensorOf(a leaf) *view.Tensor {
	if a.kept != nil {
		return r.plan.kept[a.kept]
	}
	return a.tensor
}

// reads reports whether t is read by system calls, and not through its mapping.
func (r *run) reads(t *view.Tensor) bool {
	return r.plan.opts.Pread && t.Storage().CanReadFile()
}

// Mapped notes that the operand which is added next lies in a file, if it does.
func (m *Memory) Mapped(t *view.Tensor, layout view.Layout, write bool) {
	if st := t.Storage(); st.FileBacked() {
		start := int64(layout.Offset()) * int64(t.DType().Size())
		m.files = append(m.files, file{operand: len(m.Operands), storage: st, start: start, write: write})
	}
}

// fill makes elements of a generator, which has none that fail, counted from number start on.
func fill(g graph.Generator, start, size int) func(dst unsafe.Pointer, first, n int) {
	return func(dst unsafe.Pointer, first, n int) {
		if _, err := g.ReadAt(unsafe.Slice((*byte)(dst), n*size), int64(start+first)*int64(size)); err != nil {
			panic(fmt.Sprintf("BUG: compute: generate %d elements from %d on: %v", n, first, err))
		}
	}
}

// tensor pins the storage of t and adds the elements that layout picks of it. A layout of a tensor
// that a pass keeps counts from its first element.
func (m *Memory) tensor(t *view.Tensor, layout view.Layout) (exec.Operand, error) {
	o, err := m.pinned(t, layout)
	if err == nil {
		m.add(layout, t.DType().Size())
	}
	return o, err
}

// pinned is tensor for what is no operand of the walk itself.
func (m *Memory) pinned(t *view.Tensor, layout view.Layout) (exec.Operand, error) {
	if t == nil {
		return exec.Operand{}, errors.New("BUG: compute: an operand that no pass has kept")
	}
	st := t.Storage()
	pin, address, err := m.pin(t)
	if err != nil {
		return exec.Operand{}, err
	}

	// The pin stays until the memory is closed; a storage counts once.
	m.pins = append(m.pins, pin)
	size := t.DType().Size()
	m.Bytes += int64(graph.Touched(layout)) * int64(size)
	if _, known := m.known.Get(st); !known {
		m.known.Add(st, struct{}{})
		m.Storages = append(m.Storages, st)
	}

	// Offsets count from the first element of the storage.
	if t.NumElems() == 0 {
		return exec.Operand{}, nil
	}
	if address != 0 {
		m.onDevice = true
		return exec.Operand{Address: address + uint64(layout.Offset()*size)}, nil
	}
	base := unsafe.Pointer(unsafe.SliceData(pin.Bytes()))
	return exec.Operand{Base: unsafe.Add(base, layout.Offset()*size)}, nil
}

// pin pins the storage of t. For one on the device of the pass it also returns the address.
func (m *Memory) pin(t *view.Tensor) (p mmapstore.Pin, address uint64, err error) {
	if st := t.Storage(); m.engine == nil || st.Place() == mmapstore.CPU {
		p, err = st.Pin()
		return p, 0, err
	}
	return m.engine.Pin(t)
}

func (m *Memory) add(layout view.Layout, elemSize int) {
	first := len(m.strides)
	for axis := range layout.Rank() {
		m.strides = append(m.strides, layout.Stride(axis)*elemSize)
	}
	m.planned = append(m.planned, plan.Operand{Strides: m.strides[first:len(m.strides):len(m.strides)], ElemSize: elemSize})
}

// unpin gives the pins back.
func (m *Memory) unpin() {
	for _, pin := range m.pins {
		pin.Unpin()
	}
}

// Close gives the pins back. The memory must not be used any more.
func (m *Memory) Close() {
	m.unpin()
	m.known.Clear()
	*m = Memory{
		known:    m.known,
		Operands: emptied(m.Operands), planned: emptied(m.planned), strides: m.strides[:0],
		Storages: emptied(m.Storages), pins: emptied(m.pins), files: emptied(m.files),
	}
	memories.Put(m)
}

// emptied returns s without elements, with room for as many.
func emptied[S ~[]E, E any](s S) S {
	clear(s)
	return s[:0]
}

// chunkElems returns the elements of a chunk.
func (m *Memory) chunkElems(workers int) int {
	return exec.ChunkElems(m.Bytes, m.elems, workers)
}
