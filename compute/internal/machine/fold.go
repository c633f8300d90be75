package machine

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A Fold takes an output of a program into accumulators, converted to another type before that
// unless it is of that type.
type Fold struct {
	Op     kernel.FoldOp
	Output int
	As     dtype.Type
}

// FoldLanes returns how many accumulators a fold of elements of some type has: jit.FoldLanes.
var FoldLanes = jit.FoldLanes

// CompileFolds prepares Fold for some folds, and reports whether there is machine code for them.
func (w *Worker) CompileFolds(folds []Fold) bool {
	if !w.program.native || len(w.program.instrs) > maxNativeInstrs {
		return false
	}

	folded := make([]Value, len(folds))
	for i, f := range folds {
		folded[i] = w.program.outputs[f.Output]
		if w.slots[folded[i]].scalar {
			return false
		}
	}

	n := &native{}
	p, values := w.nativeProgram(n, w.computed, folded...)
	p.Outputs = nil

	for i, f := range folds {
		v := folded[i]
		at, from := values[v], w.program.instrs[v].result
		if from != f.As {
			p.Ops = append(p.Ops, jit.Op{Operand: from, Result: f.As, Args: [3]int{at}})
			at = len(p.Inputs) + len(p.Scalars) + len(p.Ops) - 1
		}
		p.Folds = append(p.Folds, jit.Fold{Op: f.Op, Value: at})
	}

	if len(p.Ops) == 0 {
		return false
	}

	code, err := codes.Get(p, w.program.elems >= nowNative/(1+len(p.Ops)))
	if err != nil {
		return false
	}

	n.code = code
	n.prepare(2 * len(folds))
	w.folding, w.folds = n, folds
	return true
}

// FoldBackend says what computes Fold.
func (w *Worker) FoldBackend() string {
	what := "adds up"
	if slices.ContainsFunc(w.folds, func(f Fold) bool { return f.Op != kernel.FoldSum }) {
		what = "reduces"
	}
	return fmt.Sprintf("%d bytes of machine code for %s, which %s as well", w.folding.code.Size(), jit.ISA(), what)
}

// Fold adds cols elements of one row of the outputs to the accumulators of the folds given to
// CompileFolds. cols is a multiple of FoldLanes and at most BlockElems. at holds the offset in
// bytes of the first element of each input. accumulators has two addresses for each fold: its
// accumulators, and their rounding errors, nil if these are not kept.
func (w *Worker) Fold(at []int, cols int, accumulators []unsafe.Pointer) {
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
	copy(w.folding.operands(w), accumulators)
	if !w.stopped() {
		w.folding.code.Call(w.folding.args, cols)
	}
}
