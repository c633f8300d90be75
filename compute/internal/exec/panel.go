package exec

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/internal/transpose"
)

const (
	// panelBytes is how much of each line across the rows of a panel is taken at once: a cache line, which is then
	// read once.
	panelBytes = 64
	// panelCols is the number of columns of a panel: enough for long rows, and few enough that a transposed panel
	// stays in the second cache.
	panelCols = 1024
	// minPanelCols is the number of columns below which rows are too short to be walked one by one.
	minPanelCols = 64
	// squareSide is the number of rows and columns of the squares that matrices are transposed in.
	squareSide = 256
	// stripBytes is what is taken of each row of a matrix that is transposed past the caches: two pages.
	stripBytes = 8 << 10
)

// panel transposes the inputs that are contiguous across the rows of a box, and evaluates the box row by row.
func (w *loopWorker) panel(b *plan.Box) error {
	l := w.loop
	if w.panels == nil {
		w.panels = make([][]byte, l.inputs)
	}
	for k, crossed := range l.crossed {
		if !crossed {
			continue
		}
		size := l.nest.ElemSizes[k]
		if w.panels[k] == nil {
			w.panels[k] = alignedBytes(panelBytes / l.smallest() * panelCols * size)
		}
		dst := unsafe.Pointer(unsafe.SliceData(w.panels[k]))
		transpose.Matrix(dst, w.sources[k].at(b.At[k]), b.Cols, b.Rows, b.Cols*size, l.nest.Inner(k), size)
		w.inputs[k].Base = dst
	}
	return w.rows(b)
}

// alignedBytes returns n bytes from a 64-byte boundary on.
func alignedBytes(n int) []byte {
	b := make([]byte, n+64)
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % 64)
	return b[(64-past)%64:][:n]
}
