package compute

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/fewmap"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// briefWork is the number of elements, times operations, up to which a pass is not stopped in its blocks: it takes less
// than a millisecond, and some ten of the slowest operations there are.
const briefWork = 64 << 10

// A memory is the operands of one pass where they lie: addresses, pinned, and the order in which they are walked.
type memory struct {
	program  *machine.Program
	operands []exec.Operand // inputs, then outputs
	planned  []plan.Operand
	strides  []int // of planned
	nest     plan.Nest
	storages []*mmapstore.Storage
	known    fewmap.Map[*mmapstore.Storage, struct{}] // the same ones
	pins     []mmapstore.Pin
	files    []file
	empty    bool
	bytes    int64 // read and written, each operand once
	elems    int
}

// A file is an operand that lies in a mapped file.
type file struct {
	operand int
	storage *mmapstore.Storage
	start   int64 // byte of the storage that the operand's offsets count from
	write   bool
}

// bind pins the operands of a job: its leaves, and the tensors that its outputs go to, whose first one decides the
// order of the walk.
func (r *run) bind(j *job, targets []*view.Tensor) (*memory, error) {
	m := memories.Get().(*memory)
	m.program = j.program
	for _, a := range j.leaves {
		if err := r.addLeaf(m, a); err != nil {
			m.close()
			return nil, err
		}
	}
	lead := -1
	for _, t := range targets {
		lead = len(j.leaves)
		o, err := m.tensor(t, t.Layout())
		if err != nil {
			m.close()
			return nil, err
		}
		if t.Layout().IsDense() {
			m.mapped(t, t.Layout(), true)
		}
		o.Stream = t.NumBytes() >= exec.StreamBytes
		m.operands = append(m.operands, o)
	}
	m.nest = plan.New(j.shape, m.planned, lead)
	m.elems = m.nest.NumElems()
	m.empty = m.elems == 0
	m.program = r.plan.opts.Backend.program(j.program, m.elems)
	if m.elems > briefWork/(1+j.program.NumOperations()) {
		m.program = m.program.Until(r.watch())
	}
	return m, nil
}

// memories keeps those that are closed, for their slices.
var memories = sync.Pool{New: func() any { return &memory{} }}

// addLeaf adds an input.
func (r *run) addLeaf(m *memory, a leaf) error {
	if a.gen != nil {
		size := a.dtype.Size()
		m.add(a.layout, size)
		m.operands = append(m.operands, exec.Operand{Fill: fill(a.gen, a.layout.Offset(), size)})
		return nil
	}
	t := r.tensorOf(a)
	if t == nil {
		return fmt.Errorf("BUG: compute: an operand that no pass has kept")
	}
	o, err := m.tensor(t, a.layout)
	if err != nil {
		return err
	}
	if st := t.Storage(); r.reads(t) {
		start := int64(a.layout.Offset()) * int64(a.dtype.Size())
		o.Read = func(p []byte, off int) error { return st.ReadFile(p, start+int64(off)) }
	} else {
		m.mapped(t, a.layout, false)
	}
	m.operands = append(m.operands, o)
	return nil
}

// tensorOf returns the tensor whose elements an input has; nil for those that are generated.
func (r *run) tensorOf(a leaf) *view.Tensor {
	if a.kept != nil {
		return r.plan.kept[a.kept]
	}
	return a.tensor
}

// reads reports whether t is read by system calls, and not through its mapping.
func (r *run) reads(t *view.Tensor) bool {
	return r.plan.opts.IO == IOPread && t.Storage().CanReadFile()
}

// mapped notes that the operand which is added next lies in a file, if it does.
func (m *memory) mapped(t *view.Tensor, layout view.Layout, write bool) {
	if st := t.Storage(); st.FileBacked() {
		start := int64(layout.Offset()) * int64(t.DType().Size())
		m.files = append(m.files, file{operand: len(m.operands), storage: st, start: start, write: write})
	}
}

// fill makes elements of a generator, which has none that fail, counted from number start on.
func fill(g *Generator, start, size int) func(dst unsafe.Pointer, first, n int) {
	return func(dst unsafe.Pointer, first, n int) {
		if _, err := g.ReadAt(unsafe.Slice((*byte)(dst), n*size), int64(start+first)*int64(size)); err != nil {
			panic(fmt.Sprintf("BUG: compute: generate %d elements from %d on: %v", n, first, err))
		}
	}
}

// tensor pins the storage of t and adds the elements that layout picks of it. A layout of a tensor that a pass
// keeps counts from its first element.
func (m *memory) tensor(t *view.Tensor, layout view.Layout) (exec.Operand, error) {
	st := t.Storage()
	pin, err := st.Pin()
	if err != nil {
		return exec.Operand{}, err
	}
	m.pins = append(m.pins, pin)
	size := t.DType().Size()
	m.add(layout, size)
	m.bytes += int64(touched(layout)) * int64(size)
	if _, known := m.known.Get(st); !known {
		m.known.Add(st, struct{}{})
		m.storages = append(m.storages, st)
	}
	if t.NumElems() == 0 {
		return exec.Operand{}, nil
	}
	base := unsafe.Pointer(unsafe.SliceData(pin.Bytes()))
	return exec.Operand{Base: unsafe.Add(base, layout.Offset()*size)}, nil
}

// touched returns the number of different elements of a layout, as far as broadcasting repeats them.
func touched(l view.Layout) int {
	n := 1
	for axis := range l.Rank() {
		if l.Stride(axis) != 0 {
			n *= l.Dim(axis)
		}
	}
	return n
}

func (m *memory) add(layout view.Layout, elemSize int) {
	first := len(m.strides)
	for axis := range layout.Rank() {
		m.strides = append(m.strides, layout.Stride(axis)*elemSize)
	}
	m.planned = append(m.planned, plan.Operand{Strides: m.strides[first:len(m.strides):len(m.strides)], ElemSize: elemSize})
}

// unpin gives the pins back.
func (m *memory) unpin() {
	for _, pin := range m.pins {
		pin.Unpin()
	}
}

// close gives the pins back. The memory must not be used any more.
func (m *memory) close() {
	m.unpin()
	m.known.Clear()
	*m = memory{
		known:    m.known,
		operands: emptied(m.operands), planned: emptied(m.planned), strides: m.strides[:0],
		storages: emptied(m.storages), pins: emptied(m.pins), files: emptied(m.files),
	}
	memories.Put(m)
}

// emptied returns s without elements, with room for as many.
func emptied[S ~[]E, E any](s S) S {
	clear(s)
	return s[:0]
}

// chunkElems returns the elements of a chunk.
func (m *memory) chunkElems(workers int) int { return exec.ChunkElems(m.bytes, m.elems, workers) }
