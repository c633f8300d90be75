package exec

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
)

// A feed gives the elements that a loop computes to functions, instead of writing them.
type feed struct {
	elemSize int
	taker    func() func(b []byte) error
}

// NewFeed returns the loop of a program with one output, which passes its elements, of elemSize
// bytes each, to functions instead of writing them. taker makes one function for each worker. A
// function gets packed, aligned elements in any order, and must not change or keep them.
func NewFeed(p *machine.Program, nest *plan.Nest, inputs []Operand, elems, elemSize int, taker func() func(b []byte) error) *Loop {
	l := NewLoop(p, nest, inputs, len(inputs), elems)
	l.feed = &feed{elemSize, taker}
	return l
}

// give hands over n elements that the machine has just computed. The first error becomes the error
// of the chunk.
func (w *loopWorker) give(n int) {
	size := w.loop.feed.elemSize
	ptr, scalar := w.machine.Out(0)
	if scalar {
		if w.repeated == nil {
			w.repeated = make([]uint64, (w.loop.program.BlockElems()*size+7)/8)
		}
		to := unsafe.Pointer(unsafe.SliceData(w.repeated))
		kernel.Gather(to, ptr, size, 0, n)
		ptr = to
	}
	if err := w.take(unsafe.Slice((*byte)(ptr), n*size)); w.failed == nil {
		w.failed = err
	}
}
