package machine

import (
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// An Input is where a worker finds the elements of one input of its program.
type Input struct {
	// Base is the address that offsets count from.
	Base unsafe.Pointer
	// Inner and Outer are the bytes from one column to the next and from one row to the next. An
	// input whose strides are both 0 is one element for a whole block, so that Outer is 0 where
	// blocks have one row.
	Inner, Outer int
	// Fill makes elements that are not in memory: n of them, from position first on, counted in
	// elements. Base is unused then. Offsets and strides are those of elements that lie side by
	// side in memory.
	Fill func(dst unsafe.Pointer, first, n int)
}

// A Target is where a worker puts the elements of one output of its program.
type Target struct {
	// Base is the address that offsets count from. If it is nil, the elements are left for Out to
	// find.
	Base unsafe.Pointer
	// Inner and Outer are the bytes from one column to the next and from one row to the next. They
	// are not 0.
	Inner, Outer int
	// Stream asks for writing past the caches. Machine code and copies do so; kernels write through
	// the caches.
	Stream bool
}

// A Worker runs a program over blocks. It has the registers and belongs to one goroutine at a time.
//
// The elements of one output, if it is the only one, may lie at the addresses of inputs of the same
// type, element for element. Otherwise outputs overlap neither each other nor inputs.
type Worker struct {
	program *Program
	inputs  []Input
	targets []Target
	loads   []load
	steps   []step
	stores  []store
	slots   []slot // of each instruction, then of expanded scalars
	block   int    // elements
	room    int    // elements that registers have been made for
	pool    []register
	ready   bool // whether expanded constants are there
	native  *native
	folding *native // of Fold
	folds   []Fold
	reason  string // why there is no machine code
}

// A slot is where the value of an instruction is during a block.
type slot struct {
	ptr      unsafe.Pointer
	elemSize int
	align    int
	register int            // its place in the pool, -1 for one of its own
	own      unsafe.Pointer // of a scalar, or of a gathered input; nil until it is needed
	scalar   bool           // one element stands for all
	shared   bool           // a kernel makes it and machine code takes it: it has a register of its own
}

// noArgs are the args of a step without any.
var noArgs = [maxArgs]int{-1, -1, -1}

// A load makes an input ready.
type load struct{ input, slot int }

// A step is one call of a kernel, or of machine code for several, or, without either, the expansion
// of a scalar.
type step struct {
	part   *native // whose operands and results are not those of the step
	fn     kernel.Func
	slot   int
	args   [maxArgs]int // slots, -1 for none
	once   bool         // its value is the same in every block
	output int          // written straight to this output, -1 for none
}

// A store copies a value to an output.
type store struct {
	output, slot int
	fn, stream   kernel.Func // with the value as it is, a vector or a scalar
}

// NewWorker returns a worker for a program whose inputs and outputs lie as given. Missing targets
// are left for Out. Both slices become the worker's. The addresses in inputs may be changed later;
// their strides may not. NewWorker allocates no registers: Eval does, as many as values are needed
// at once, for the elements of the first block, or for BlockElems once there is a larger one.
func (p *Program) NewWorker(inputs []Input, targets []Target) *Worker {
	if missing := len(p.outputs) - len(targets); missing > 0 {
		targets = append(slices.Clone(targets), make([]Target, missing)...)
	}
	w := &Worker{
		program: p, inputs: inputs, targets: targets, block: p.block,
		loads: make([]load, 0, len(inputs)), steps: make([]step, 0, len(p.instrs)),
	}
	w.compile()
	return w
}

// Eval computes a block of rows·cols elements, at most BlockElems. at holds the offset in bytes of
// the first element of each input, then of each output; those of outputs without a target may be
// missing.
func (w *Worker) Eval(at []int, rows, cols int) {
	if rows*cols > w.room {
		w.grow(rows * cols)
	}

	for i := range w.loads {
		w.load(&w.loads[i], at, rows, cols)
	}

	for i := range w.steps {
		switch s := &w.steps[i]; {
		case s.part != nil:
			s.part.run(w, at, rows, cols)
		case s.fn != nil:
			w.step(s, at, rows, cols)
		case !s.once || !w.ready:
			w.expand(s, rows*cols)
		}
	}

	w.ready = true

	if w.native != nil {
		w.native.run(w, at, rows, cols)
	}

	for i := range w.stores {
		w.store(&w.stores[i], at, rows, cols)
	}
}

// grow makes room for blocks of n elements.
func (w *Worker) grow(n int) {
	if w.room > 0 {
		n = max(n, w.block)
	}
	w.room, w.ready = n, false
	w.Release()
	clear(w.pool)
	for i := range w.slots {
		if s := &w.slots[i]; !s.scalar {
			s.own = nil
		}
	}
}

// Out returns the address of the elements of an output after Eval, one after another, or of the one
// element that all of them are. They stay there until the next Eval and must not be changed.
func (w *Worker) Out(output int) (ptr unsafe.Pointer, scalar bool) {
	s := &w.slots[w.program.outputs[output]]
	return s.ptr, s.scalar
}

// memory returns the register of a slot. It allocates the register at the first call.
func (w *Worker) memory(s *slot) unsafe.Pointer {
	if s.register >= 0 {
		r := &w.pool[s.register]
		if r.ptr == nil {
			*r = newRegister(w.room * w.program.largest)
		}
		return r.ptr
	}
	if s.own == nil {
		n := w.room
		if s.scalar {
			n = 1
		}
		s.own = alignedBuffer(n * s.elemSize)
	}
	return s.own
}

// alignedBuffer returns memory on a 64-byte boundary. Addresses into it keep it alive.
func alignedBuffer(bytes int) unsafe.Pointer {
	b := make([]byte, bytes+64)
	return aligned64(unsafe.Pointer(unsafe.SliceData(b)))
}

func (w *Worker) load(l *load, at []int, rows, cols int) {
	in, s := &w.inputs[l.input], &w.slots[l.slot]
	if s.scalar {
		rows, cols = 1, 1
	}

	if in.Fill != nil {
		s.ptr = w.memory(s)
		if !w.stopped() {
			generate(s.ptr, in, s.elemSize, at[l.input], rows, cols)
		}
		return
	}

	src := unsafe.Add(in.Base, at[l.input])
	if s.scalar && aligned(src, s) || direct(src, s, in.Inner, in.Outer, rows, cols) {
		s.ptr = src
		return
	}

	s.ptr = w.memory(s)
	if !w.stopped() {
		gather(s.ptr, src, s.elemSize, in.Inner, in.Outer, rows, cols)
	}
}

// stopped reports whether values need not be computed any more.
func (w *Worker) stopped() bool { return w.program.stop != nil && w.program.stop.Load() }

func aligned(p unsafe.Pointer, s *slot) bool { return uintptr(p)&uintptr(s.align-1) == 0 }

// direct reports whether a kernel can work on a block where it lies.
func direct(p unsafe.Pointer, s *slot, inner, outer, rows, cols int) bool {
	return (inner == s.elemSize || cols == 1) && (rows == 1 || outer == cols*s.elemSize) && aligned(p, s)
}

// step calls a kernel. Its result goes to the output itself where that is contiguous.
func (w *Worker) step(s *step, at []int, rows, cols int) {
	n, out := rows*cols, &w.slots[s.slot]

	scattered := false
	switch {
	case s.output < 0:
		out.ptr = w.memory(out)
	case direct(w.address(s.output, at), out, w.targets[s.output].Inner, w.targets[s.output].Outer, rows, cols):
		out.ptr = w.address(s.output, at)
	default:
		out.ptr, scattered = w.memory(out), true
	}

	var args [maxArgs]unsafe.Pointer
	for k, arg := range s.args {
		if arg >= 0 {
			args[k] = w.slots[arg].ptr
		}
	}

	if out.scalar {
		n = 1
	}

	if w.stopped() {
		return
	}

	kernel.Call(s.fn, out.ptr, args[0], args[1], args[2], n)
	if scattered {
		t := &w.targets[s.output]
		scatter(w.address(s.output, at), out.ptr, out.elemSize, t.Inner, t.Outer, rows, cols)
	}
}

// expand repeats a scalar for the n elements of a block, or once and for all if it is a constant.
func (w *Worker) expand(s *step, n int) {
	out, scalar := &w.slots[s.slot], &w.slots[s.args[0]]
	if s.once {
		n = w.room
	}
	out.ptr = w.memory(out)
	kernel.Gather(out.ptr, scalar.ptr, out.elemSize, 0, n)
}

// address returns where the first element of an output goes.
func (w *Worker) address(output int, at []int) unsafe.Pointer {
	return unsafe.Add(w.targets[output].Base, at[len(w.inputs)+output])
}

// streams reports whether writing past the caches is possible and worth the wait at its end.
func streams(dst unsafe.Pointer, bytes int) bool { return uintptr(dst)%64 == 0 && bytes >= 4<<10 }

func (w *Worker) store(s *store, at []int, rows, cols int) {
	dst, value, t := w.address(s.output, at), &w.slots[s.slot], &w.targets[s.output]
	n := rows * cols
	switch {
	case w.stopped():
	case s.fn == nil || !direct(dst, value, t.Inner, t.Outer, rows, cols):
		src := value.ptr
		if value.scalar {
			src = w.repeat(value, n)
		}
		scatter(dst, src, value.elemSize, t.Inner, t.Outer, rows, cols)
	case s.stream != nil && streams(dst, n*value.elemSize):
		kernel.Call(s.stream, dst, value.ptr, nil, nil, n)
	default:
		kernel.Call(s.fn, dst, value.ptr, nil, nil, n)
	}
}

// repeat makes a block of a scalar that is stored as it is.
func (w *Worker) repeat(value *slot, n int) unsafe.Pointer {
	block := alignedBuffer(n * value.elemSize)
	kernel.Gather(block, value.ptr, value.elemSize, 0, n)
	return block
}
