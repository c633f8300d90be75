package reduce

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
)

// folds holds what reductions do to elements that are not complex, where that is one fold.
var folds = map[Op]kernel.FoldOp{
	Sum: kernel.FoldSum, Mean: kernel.FoldSum, Any: kernel.FoldSum, All: kernel.FoldSum, CountNonzero: kernel.FoldSum,
	SumSquares: kernel.FoldSumSquares, Norm: kernel.FoldSumSquares, Prod: kernel.FoldProd,
	Min: kernel.FoldMin, Max: kernel.FoldMax, FMin: kernel.FoldFMin, FMax: kernel.FoldFMax,
}

// fold returns what a machine may do for z, if it can.
func (z *reducer) fold() (f machine.Fold, ok bool) {
	op, ok := folds[z.Op]
	f = machine.Fold{Op: op, Output: z.Value, As: register(z.Type)}
	switch z.Op {
	case Any, All, CountNonzero:
		f.As = dtype.Bool
	case Mean, SumSquares, Norm:
		f.As = inexact(f.As)
	}
	return f, ok && z.Mask < 0 && z.lanes == machine.FoldLanes(op, f.As)
}

// folds lists the folds that a machine may do itself, for all reductions: those of long rows, with
// as many lanes each. It returns none if the machine can't do one of the reductions.
func (e *Engine) folds() []machine.Fold {
	a := e.axes
	if e.direct || !e.packed() || a.kept[a.col] || a.unit >= 0 {
		return nil
	}
	var all []machine.Fold
	for _, z := range e.reducers {
		f, ok := z.fold()
		if !ok || z.lanes != e.reducers[0].lanes {
			return nil
		}
		all = append(all, f)
	}
	return all
}

// fuse makes the machine reduce elements as it computes them, where it can.
func (w *worker) fuse() {
	if all := w.engine.folds(); len(all) > 0 && w.machine.CompileFolds(all) {
		w.fused = make([]unsafe.Pointer, 0, 2*len(all))
	}
}

// Backend says what computes elements and reduces them at once, "" if that is done in two steps.
func (e *Engine) Backend() string {
	w, ok := e.NewWorker().(*worker)
	if !ok || w.fused == nil {
		return ""
	}
	return w.machine.FoldBackend()
}

// takeLanes takes as many of the cols elements at w.at as fill all lanes into those of the results
// from number first on, and returns how many these are.
func (w *worker) takeLanes(first, cols int) int {
	lanes := w.engine.reducers[0].lanes
	cols -= cols % lanes
	w.fused = w.fused[:0]
	for i := range w.engine.reducers {
		s := w.opened(i, first, 1, lanes).state
		w.fused = append(w.fused, at(s.x, 0), at(s.y, 0))
	}
	if cols > 0 {
		w.machine.Fold(w.at, cols, w.fused)
	}
	return cols
}
