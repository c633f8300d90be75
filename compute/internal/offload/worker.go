package offload

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

// A worker evaluates chunks of a Loop in a slot.
type worker struct {
	loop    *Loop
	slot    *slot
	inputs  []machine.Input
	targets []machine.Target
	sources []exec.Source // of the inputs
	box     plan.Box
	chunk   int
	first   plan.Box // of the chunk
	moved   int      // elements of the chunk that were packed, or stored
	cols    int      // of the last box
	checker *checker
}

func newWorker(l *Loop, s *slot) *worker {
	w := &worker{loop: l, slot: s, sources: make([]exec.Source, l.inputs())}
	for i, o := range l.operands {
		inner, outer := l.nest.Inner(l.numbers[i]), l.nest.Outer(l.numbers[i])
		if i < l.inputs() {
			if l.layouts.Inputs[i] == ptx.PerRow {
				inner = outer
			}
			w.inputs = append(w.inputs, machine.Input{Base: o.Base, Inner: inner, Outer: outer, Fill: o.Fill})
		} else {
			w.targets = append(w.targets, machine.Target{Base: o.Base, Inner: inner, Outer: outer, Stream: o.Stream})
		}
	}
	w.checker = newChecker(w)
	return w
}

// Run implements exec.Worker. All inputs are packed before the queue is given anything: a fault on a
// mapped page then finds it idle. Results are stored when the queue is idle again.
func (w *worker) Run(chunk int) error {
	l := w.loop
	if err := w.locate(chunk); err != nil {
		return err
	}
	w.chunk = chunk
	l.chunks.First(chunk, &w.first)
	if err := w.boxes(chunk, w.pack); err != nil {
		return err
	}
	if err := w.slot.perform(l.ctx, w.upload, w.launch, w.download); err != nil {
		return &Failure{fmt.Sprintf("chunk %d of %d", chunk+1, l.NumChunks()), err}
	}
	if err := w.checker.check(chunk); err != nil {
		return err
	}
	l.marks[chunk] = storing
	if err := w.boxes(chunk, w.store); err != nil {
		return err
	}
	l.marks[chunk] = stored
	return nil
}

// boxes calls fn with the boxes of a chunk, if there is something to move, and counts their elements
// in w.moved.
func (w *worker) boxes(chunk int, fn func(*plan.Box) error) error {
	l := w.loop
	if w.moved = 0; l.staged {
		return l.chunks.Boxes(chunk, &w.box, fn)
	}
	w.moved = 1
	for _, n := range l.chunks.Dims(chunk, &w.first) {
		w.moved *= n
	}
	return nil
}

// Release implements exec.Releaser. The slot is then another worker's.
func (w *worker) Release() { w.loop.dismiss(w.slot) }

// locate finds where the elements of the inputs are.
func (w *worker) locate(chunk int) error {
	l := w.loop
	for i := range w.sources {
		o := &l.operands[i]
		lo, hi := 0, 0
		if o.Read != nil {
			lo, hi = l.chunks.Extent(l.numbers[i], chunk)
		}
		if err := w.sources[i].Load(o, lo, hi, l.elems*l.places[i].size); err != nil {
			return err
		}
	}
	return nil
}

// pack copies the elements that a box has of each input into staging memory.
func (w *worker) pack(b *plan.Box) error {
	l := w.loop
	for i := range w.inputs {
		if isResident(l.operands[i]) {
			continue
		}
		in, p, at := &w.inputs[i], l.places[i], b.At[l.numbers[i]]
		rows, cols, first := b.Rows, b.Cols, w.moved
		switch l.layouts.Inputs[i] {
		case ptx.PerRow:
			rows, cols = 1, b.Rows
		case ptx.PerColumn:
			rows = 1
		}
		if in.Fill == nil {
			in.Base, at = w.sources[i].At(at), 0
		}
		in.Gather(unsafe.Pointer(&w.slot.up[p.stage+first*p.size]), p.size, at, rows, cols)
	}
	w.moved, w.cols = w.moved+b.Rows*b.Cols, b.Cols
	return nil
}

// store copies the elements of a box to where the outputs have them.
func (w *worker) store(b *plan.Box) error {
	l := w.loop
	for j := range w.targets {
		i := len(w.inputs) + j
		if isResident(l.operands[i]) {
			continue
		}
		p := l.places[i]
		w.targets[j].Scatter(unsafe.Pointer(&w.slot.down[p.stage+w.moved*p.size]), p.size, b.At[l.numbers[i]], b.Rows, b.Cols)
	}
	w.moved += b.Rows * b.Cols
	return nil
}

// bytes returns what the chunk has of an operand in staging memory.
func (w *worker) bytes(i int) int {
	n := w.moved
	if i < len(w.inputs) {
		n = elemsOf(w.loop.layouts.Inputs[i], n, w.moved/w.cols, w.cols)
	}
	return n * w.loop.places[i].size
}

// address returns where the chunk has an operand on the device.
func (w *worker) address(i int) uint64 {
	if l := w.loop; isResident(l.operands[i]) {
		return l.operands[i].Address + uint64(w.first.At[l.numbers[i]])
	}
	return w.slot.memory + uint64(w.loop.places[i].memory)
}

func (w *worker) upload(q device.Queue) error {
	for i := range w.inputs {
		if isResident(w.loop.operands[i]) {
			continue
		}
		if err := q.Upload(w.address(i), w.slot.up[w.loop.places[i].stage:][:w.bytes(i)]); err != nil {
			return err
		}
	}
	return nil
}

// launch runs the program. Its parameters are those of a ptx.Kernel.
func (w *worker) launch(q device.Queue) error {
	l := w.loop
	var params []uint64
	for i := range w.inputs {
		params = append(params, w.address(i))
	}
	params = appendScalars(params, l.lowered.Constants)
	for j := range w.targets {
		params = append(params, w.address(len(w.inputs)+j))
	}
	params = append(params, uint64(w.moved))
	if l.layouts.Numbered() {
		params = append(params, uint64(w.cols))
	}
	params = append(params, l.strideParams(w.chunk, &w.first)...)
	return q.Launch(l.code.module, &device.Launch{
		Entry: ptx.Entry, Grid: [3]int{l.code.kernel.Blocks(w.moved), 1, 1}, Block: [3]int{ptx.BlockThreads, 1, 1}, Params: params,
	})
}

// appendScalars adds the parameters of scalars.
func appendScalars(params []uint64, scalars []dtype.Scalar) []uint64 {
	for _, s := range scalars {
		var b [16]byte
		s.Store(b[:s.Type().Size()])
		for at := 0; at < s.Type().Size(); at += 8 {
			params = append(params, binary.LittleEndian.Uint64(b[at:]))
		}
	}
	return params
}

func (w *worker) download(q device.Queue) error {
	for j := range w.targets {
		i := len(w.inputs) + j
		if isResident(w.loop.operands[i]) {
			continue
		}
		if err := q.Download(w.slot.down[w.loop.places[i].stage:][:w.bytes(i)], w.address(i)); err != nil {
			return err
		}
	}
	return nil
}
