package count

import (
	"context"
	"sync"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A tally gives all elements of an operand to functions that count them, in chunks. It is an
// exec.Job.
type tally struct {
	operand *pieces.Operand
	// newCounter returns a function for one goroutine, which gets packed, aligned elements.
	newCounter func() func(b []byte) error
	// serial says that one function gets all chunks, in order.
	serial bool
	only   *serialWorker
}

// NumChunks implements exec.Job.
func (t *tally) NumChunks() int {
	return (t.operand.NumElems + pieces.ChunkElems - 1) / pieces.ChunkElems
}

// NewWorker implements exec.Job.
func (t *tally) NewWorker() exec.Worker {
	if t.only != nil {
		return t.only
	}
	w := &tallyWorker{t, t.operand.Buffer(pieces.ChunkElems), t.newCounter()}
	if t.serial {
		t.only = &serialWorker{worker: w}
		return t.only
	}
	return w
}

type tallyWorker struct {
	*tally
	buf   []byte
	count func(b []byte) error
}

// Run implements exec.Worker.
func (w *tallyWorker) Run(chunk int) error {
	first := chunk * pieces.ChunkElems
	b, err := w.operand.Fetch(w.buf, first, min(pieces.ChunkElems, w.operand.NumElems-first))
	if err != nil {
		return err
	}
	return w.count(b)
}

// A serialWorker is shared by goroutines, which take turns and work on the chunks in order
// whichever they were given.
type serialWorker struct {
	mu     sync.Mutex
	next   int
	worker *tallyWorker
}

// Run implements exec.Worker.
func (w *serialWorker) Run(int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	return w.worker.Run(w.next - 1)
}

// running returns what runs a tally over a tensor outside of a pass.
func running(ctx context.Context, l *graph.Limits, x *view.Tensor) func(*tally) error {
	return func(t *tally) error {
		return exec.Run(ctx, t, exec.Options{Parallelism: l.Parallelism, Storages: []*mmapstore.Storage{x.Storage()}})
	}
}

// maxTallyBins is the number of counts up to which each worker has its own.
const maxTallyBins = 1 << 20

// A tallyTable is the counts of all workers.
type tallyTable struct{ parts []*[]int64 }

// add returns the counts of a new worker.
func (t *tallyTable) add(numBins int) *[]int64 {
	part := make([]int64, numBins)
	t.parts = append(t.parts, &part)
	return &part
}

// total adds up the counts of the workers, some of which may have fewer. It returns at least
// atLeast counts.
func (t *tallyTable) total(atLeast int) []int64 {
	var sum []int64
	for _, part := range t.parts {
		longer, shorter := sum, *part
		if len(longer) < len(shorter) {
			longer, shorter = shorter, longer
		}
		for i, n := range shorter {
			longer[i] += n
		}
		sum = longer
	}
	if sum == nil {
		sum = make([]int64, atLeast)
	}
	return sum
}

// Extent returns the bytes of the operand that a chunk touches, and those between them, counted
// from its first element.
func (t *tally) Extent(_, chunk int) (lo, hi int) {
	x := t.operand.Tensor
	size := x.DType().Size()
	if x.Layout().IsContiguous() {
		first := chunk * pieces.ChunkElems
		return first * size, min(first+pieces.ChunkElems, x.NumElems()) * size
	}
	lo, hi = x.Layout().Bounds()
	return (lo - x.Offset()) * size, (hi - x.Offset()) * size
}
