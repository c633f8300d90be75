package reduce

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/machine"
)

// adds reports whether all reductions are sums of long rows whose elements a machine may add to their lanes itself.
func (e *Engine) adds() bool {
	a := e.axes
	if e.direct || !e.packed() || a.kept[a.col] || a.unit >= 0 {
		return false
	}
	for _, z := range e.reducers {
		if z.Op != Sum && z.Op != Mean || z.Mask >= 0 || len(z.steps) > 0 {
			return false
		}
		if lanes := machine.SumLanes(register(z.Type)); lanes == 0 || lanes != z.lanes || lanes != e.reducers[0].lanes {
			return false
		}
	}
	return true
}

// fuse makes the machine add elements up as it computes them, where it can.
func (w *worker) fuse() {
	if !w.engine.adds() {
		return
	}
	values := make([]int, len(w.engine.reducers))
	for i, z := range w.engine.reducers {
		values[i] = z.Value
	}
	if w.machine.CompileSums(values) {
		w.sums = make([]unsafe.Pointer, 0, 2*len(values))
	}
}

// Backend says what computes elements and adds them up at once, "" if that is done in two steps.
func (e *Engine) Backend() string {
	w, ok := e.NewWorker().(*worker)
	if !ok || w.sums == nil {
		return ""
	}
	return w.machine.SumBackend()
}

// addUp adds as many of the cols elements at w.at as fill all lanes to those of the results from number first on, and returns how
// many these are.
func (w *worker) addUp(first, cols int) int {
	lanes := w.engine.reducers[0].lanes
	cols -= cols % lanes
	w.sums = w.sums[:0]
	for i := range w.engine.reducers {
		s := w.opened(i, first, 1, lanes).state
		w.sums = append(w.sums, at(s.x, 0), at(s.y, 0))
	}
	if cols > 0 {
		w.machine.Sum(w.at, cols, w.sums)
	}
	return cols
}
