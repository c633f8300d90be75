package exec

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/internal/transpose"
)

const (
	// panelBytes is the length of each line, across the rows of a panel, that is taken at once.
	// panelCols is the number of its columns. Both are large enough for the hardware to see a
	// sequential read, and small enough that a transposed panel is still in the caches when it is
	// used. They were found by trial on matrices of 1 GiB.
	panelBytes = 1024
	panelCols  = 2048
	// lineBytes is the length of a cache line: what is transposed at once of each line across the
	// rows of a panel.
	lineBytes = 64
	// minPanelCols is the number of columns below which rows are too short to be walked one by one.
	minPanelCols = 64
	// squareSide is the number of rows and columns of the squares that matrices are transposed in.
	squareSide = 256
	// stripBytes is the length taken of each row of a matrix that is transposed past the caches:
	// two pages.
	stripBytes = 8 << 10
)

// panel transposes the inputs that are contiguous across the rows of a box, and evaluates the box
// row by row.
func (w *loopWorker) panel(b *plan.Box) error {
	l := w.loop

	if w.panels == nil {
		w.panels = make([][]byte, l.inputs)
	}

	for k, crossed := range l.crossed {
		if !crossed {
			continue
		}

		// The panel of an input is made once per worker and used again for every box.
		size := l.nest.ElemSizes[k]
		if w.panels[k] == nil {
			w.panels[k] = alignedBytes(panelBytes / l.smallest() * panelStride(panelCols, size))
		}

		// Fill one cache line of each row of the panel at a time.
		dst, src := unsafe.Pointer(unsafe.SliceData(w.panels[k])), w.sources[k].At(b.At[k])
		line, inner := lineBytes/size, l.nest.Inner(k)
		for col := 0; col < b.Cols; col += line {
			transpose.Block(unsafe.Add(dst, col*size), unsafe.Add(src, col*inner), min(line, b.Cols-col), b.Rows, panelStride(b.Cols, size), inner, size)
		}
		w.inputs[k].Base = dst
	}

	return w.rows(b)
}

// panelStride returns the bytes between the rows of a transposed panel. It is a cache line more
// than the columns take, so that the lines of a column are not all in one set of the cache.
func panelStride(cols, size int) int { return cols*size + lineBytes }

// alignedBytes returns n bytes from a 64-byte boundary on.
func alignedBytes(n int) []byte {
	b := make([]byte, n+64)
	past := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % 64)
	return b[(64-past)%64:][:n]
}
