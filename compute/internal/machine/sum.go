package machine

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
)

// CompileSums prepares Sum for some outputs of the program, and reports whether there is machine code for that.
func (w *Worker) CompileSums(outputs []int) bool {
	if !w.program.native || len(w.program.instrs) > maxNativeInstrs {
		return false
	}
	n := &native{}
	p, values := w.nativeProgram(n, w.computed)
	if p.Outputs = nil; len(p.Ops) == 0 {
		return false
	}
	for _, output := range outputs {
		v := w.program.outputs[output]
		if w.slots[v].scalar {
			return false
		}
		p.Sums = append(p.Sums, values[v])
	}
	code, err := codes.Get(p, w.program.elems >= nowNative/(1+len(p.Ops)))
	if err != nil {
		return false
	}
	n.code = code
	n.prepare(2 * len(outputs))
	w.sums = n
	return true
}

// SumBackend says what computes Sum.
func (w *Worker) SumBackend() string {
	return fmt.Sprintf("%d bytes of machine code for %s, which adds up as well", w.sums.code.Size(), jit.ISA())
}

// SumLanes returns how many accumulators a sum that CompileSums takes has: jit.SumLanes.
var SumLanes = jit.SumLanes

// Sum adds cols elements of one row of the outputs that CompileSums was given to accumulators: a multiple of SumLanes, at most
// BlockElems. at holds the offset in bytes of the first element of each input. accumulators are two addresses for each output: of the sums,
// and of what they have lost by rounding, which float32 does not use.
func (w *Worker) Sum(at []int, cols int, accumulators []unsafe.Pointer) {
	if cols > w.room {
		w.grow(cols)
	}
	for i := range w.loads {
		w.load(&w.loads[i], at, 1, cols)
	}
	for i := range w.steps {
		if s := &w.steps[i]; s.part == nil && w.slots[s.slot].scalar {
			w.step(s, at, 1, cols)
		}
	}
	copy(w.sums.operands(w), accumulators)
	if stop := w.program.stop; stop == nil || !stop.Load() {
		w.sums.code.Call(w.sums.args, cols)
	}
}
