package machine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
)

const (
	// minNative is the least number of elements for which machine code is considered.
	minNative = 4 << 10
	// nowNative is the number of elements, times operations, from which on machine code pays at its
	// first use: compiling takes as long as some 100,000 operations on elements.
	nowNative = 512 << 10
	// minNativeSteps is the number of kernels that machine code must replace. One is enough for
	// outputs past the caches, which kernels write through the caches. maxNativeInstrs is the
	// number of instructions from which on compiling takes longer than it should.
	minNativeSteps  = 2
	maxNativeInstrs = 1000
)

// Always is a number of elements for Native that pays for machine code at once, whatever it
// replaces.
const Always = math.MaxInt

// codes holds the machine code of programs.
var codes jit.Cache

// Native returns p with machine code instead of kernels, if that is possible and pays for n
// elements in all.
func (p *Program) Native(n int) *Program {
	if n < minNative {
		return p
	}
	native := *p
	native.native, native.elems = true, n
	return &native
}

// Kernels returns p with kernels alone, as it is without Native, and says so.
func (p *Program) Kernels() *Program {
	kernels := *p
	kernels.native, kernels.kernels = false, true
	return &kernels
}

// A native is machine code of a worker: of all that is not the same for a whole block, or of a part
// of that.
type native struct {
	code, stream *jit.Code // stream writes past the caches; nil unless that is asked for
	constants    []uint64
	args         []unsafe.Pointer
	inputs       []int // slots
	scalars      []int // slots, in the order of constants
	outputs      []nativeOutput
}

// A nativeOutput is an output of the code.
type nativeOutput struct {
	output int // -1 for what other parts take
	slot   int
}

// compileNative replaces the steps that work on vectors by machine code, as far as there is some.
func (w *Worker) compileNative() {
	n, err := w.newNative()
	var unsupported *jit.UnsupportedError
	switch {
	case err == nil:
		w.native = n
		w.steps = slices.DeleteFunc(w.steps, func(s step) bool { return !w.slots[s.slot].scalar })
		w.stores = slices.DeleteFunc(w.stores, func(s store) bool { return n.makes(s.output) })
		return
	case errors.As(err, &unsupported):
		w.compileParts()
	}
	w.reason = err.Error()
}

func (n *native) makes(output int) bool {
	return slices.ContainsFunc(n.outputs, func(o nativeOutput) bool { return o.output == output })
}

var (
	errOff     = errors.New("machine code is not asked for")
	errFew     = fmt.Errorf("there are fewer than %d elements", minNative)
	errSimple  = errors.New("one kernel does it")
	errNothing = errors.New("nothing is computed")
	errLong    = fmt.Errorf("no machine code for more than %d operations and operands", maxNativeInstrs)
)

// newNative returns code for all steps on vectors.
func (w *Worker) newNative() (*native, error) {
	steps := 0
	for i := range w.steps {
		if s := &w.steps[i]; s.fn != nil && !w.slots[s.slot].scalar {
			steps++
		}
	}

	switch {
	case w.program.kernels:
		return nil, errOff
	case !w.program.native:
		return nil, errFew
	case len(w.program.instrs) > maxNativeInstrs:
		return nil, errLong
	case steps == 0:
		return nil, errNothing
	case steps < w.leastSteps() && !w.streaming():
		return nil, errSimple
	}

	return w.nativeOf(w.program.elems >= nowNative/steps, w.computed)
}

// leastSteps returns the number of kernels that machine code must replace.
func (w *Worker) leastSteps() int {
	if w.program.elems == Always {
		return 1
	}
	return minNativeSteps
}

// computed reports whether an instruction computes vectors.
func (w *Worker) computed(v int) bool {
	kind := w.program.instrs[v].kind
	return !w.slots[v].scalar && (kind == apply || kind == convert)
}

// nativeOf returns code for some instructions, compiled at once if now is set.
func (w *Worker) nativeOf(now bool, member func(v int) bool) (*native, error) {
	n := &native{}
	p, _ := w.nativeProgram(n, member)
	code, err := codes.Get(p, now)
	if err != nil {
		return nil, err
	}
	n.code = code
	if w.streams(n) {
		p.Stream = true
		if n.stream, err = codes.Get(p, true); err != nil {
			return nil, err
		}
	}
	n.prepare(len(n.outputs))
	return n, nil
}

// prepare makes room for the arguments of calls.
func (n *native) prepare(others int) {
	n.constants = n.code.Constants(len(n.scalars))
	n.args = make([]unsafe.Pointer, 1+len(n.inputs)+others)
	n.args[0] = unsafe.Pointer(unsafe.SliceData(n.constants))
}

// streaming reports whether some output is written past the caches.
func (w *Worker) streaming() bool {
	return slices.ContainsFunc(w.targets, func(t Target) bool { return t.Base != nil && t.Stream })
}

// streams reports whether all outputs of the code are written past the caches.
func (w *Worker) streams(n *native) bool {
	return !slices.ContainsFunc(n.outputs, func(o nativeOutput) bool { return o.output < 0 || !w.targets[o.output].Stream })
}

// nativeProgram returns a program of the instructions that member selects, and the number that each
// value has in it. It notes in n where the operands and the outputs are. The values in also are
// operands too if they are not computed by the program. A value that other instructions need is an
// output as well.
func (w *Worker) nativeProgram(n *native, member func(v int) bool, also ...Value) (p *jit.Program, values []int) {
	p, values = &jit.Program{}, make([]int, len(w.program.instrs))
	instrs := w.program.instrs

	// Number the values as jit.Program does: inputs, scalars, operations.
	operands := w.operandsOf(member)
	for _, v := range also {
		operands[v] = operands[v] || !member(int(v))
	}

	for v, needed := range operands {
		if needed && !w.slots[v].scalar {
			values[v] = len(n.inputs)
			n.inputs, p.Inputs = append(n.inputs, v), append(p.Inputs, instrs[v].result)
		}
	}
	for v, needed := range operands {
		if needed && w.slots[v].scalar {
			values[v] = len(n.inputs) + len(n.scalars)
			n.scalars, p.Scalars = append(n.scalars, v), append(p.Scalars, instrs[v].result)
		}
	}

	for v := range instrs {
		if !member(v) {
			continue
		}
		i := &instrs[v]
		o := jit.Op{Op: i.op, Operand: i.operand, Result: i.result}
		for k, arg := range i.args[:i.numArgs()] {
			o.Args[k] = values[arg]
		}
		values[v] = len(n.inputs) + len(n.scalars) + len(p.Ops)
		p.Ops = append(p.Ops, o)
	}

	// Outputs of the whole program come first, then values that are read by instructions outside.
	for output, v := range w.program.outputs {
		if member(int(v)) {
			n.outputs = append(n.outputs, nativeOutput{output, int(v)})
		}
	}

	others := w.operandsOf(func(v int) bool { return w.computed(v) && !member(v) })
	for v := range instrs {
		if member(v) && others[v] && !slices.ContainsFunc(n.outputs, func(o nativeOutput) bool { return o.slot == v }) {
			n.outputs = append(n.outputs, nativeOutput{-1, v})
		}
	}

	for _, o := range n.outputs {
		p.Outputs = append(p.Outputs, values[o.slot])
	}

	return p, values
}

// operandsOf marks the values that some instructions use and none of them makes.
func (w *Worker) operandsOf(member func(v int) bool) []bool {
	needed := make([]bool, len(w.program.instrs))
	for v := range w.program.instrs {
		if !member(v) {
			continue
		}
		i := &w.program.instrs[v]
		for _, arg := range i.args[:i.numArgs()] {
			needed[arg] = needed[arg] || !member(int(arg))
		}
	}
	return needed
}

// run computes a block.
func (n *native) run(w *Worker, at []int, rows, cols int) {
	args := n.operands(w)

	// Write to the target itself if it is contiguous. All outputs are streamed or none, because one
	// program does only one of the two.
	stream, scattered := n.stream != nil, false

	for k, o := range n.outputs {
		if o.output < 0 {
			out := &w.slots[o.slot]
			out.ptr = w.memory(out)
			args[k] = out.ptr
			continue
		}
		out, t := &w.slots[o.slot], &w.targets[o.output]
		if t.Base != nil && direct(w.address(o.output, at), out, t.Inner, t.Outer, rows, cols) {
			args[k] = w.address(o.output, at)
			stream = stream && streams(args[k], rows*cols*out.elemSize)
		} else {
			args[k] = w.memory(out)
			scattered, stream = scattered || t.Base != nil, false
		}
		out.ptr = args[k]
	}

	code := n.code
	if stream {
		code = n.stream
	}

	if w.stopped() {
		return
	}

	code.Call(n.args, rows*cols)

	if scattered {
		n.scatter(w, at, rows, cols)
	}
}

// operands sets the constants and the addresses of the inputs, and returns the arguments behind
// them, which are for the outputs.
func (n *native) operands(w *Worker) []unsafe.Pointer {
	for k, slot := range n.scalars {
		s := &w.slots[slot]
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&n.constants[k])), 8), unsafe.Slice((*byte)(s.ptr), s.elemSize))
	}
	args := n.args[1:]
	for k, slot := range n.inputs {
		args[k] = w.slots[slot].ptr
	}
	return args[len(n.inputs):]
}

// scatter copies what was computed into registers to outputs that are not contiguous.
func (n *native) scatter(w *Worker, at []int, rows, cols int) {
	for _, o := range n.outputs {
		if o.output < 0 {
			continue
		}
		out, t := &w.slots[o.slot], &w.targets[o.output]
		if t.Base != nil && !direct(w.address(o.output, at), out, t.Inner, t.Outer, rows, cols) {
			scatter(w.address(o.output, at), w.memory(out), out.elemSize, t.Inner, t.Outer, rows, cols)
		}
	}
}

// Backend says what computes the elements, and why if it is not machine code.
func (w *Worker) Backend() string {
	if w.native != nil {
		return fmt.Sprintf("%d bytes of machine code for %s", w.native.code.Size(), jit.ISA())
	}
	if parts := w.partsBackend(); parts != "" {
		return parts
	}
	return "kernels: " + w.reason
}

// BlockElems returns the largest number of elements that Eval computes at once if no input has to
// be gathered. It is the program's number of elements, or more with machine code, which needs no
// registers.
func (w *Worker) BlockElems() int {
	if w.native == nil {
		return w.program.block
	}
	return wholeBytes / w.program.largest
}
