package offload

import "github.com/tstore/tstore/compute/internal/exec"

// A mark is how far a chunk is.
type mark uint8

const (
	unstored mark = iota
	storing
	stored
)

// A Rest is the job of a Loop on the CPU, but for chunks that are stored. It has all chunks of the
// Loop: first those that are stored, and then, in order, those that are to be run.
type Rest struct {
	*exec.Loop
	order  []int
	stored int
}

// Rest returns what is left of the chunks when the device has failed. Elements that are stored are
// not computed again: they may be what they were computed from. ok is false if a chunk is stored in
// part. No worker may be there.
func (l *Loop) Rest() (rest *Rest, ok bool) {
	rest = &Rest{Loop: exec.NewLoopOver(l.program, l.nest, l.all, l.read, l.chunks)}
	var left []int
	for chunk, m := range l.marks {
		switch m {
		case storing:
			return nil, false
		case stored:
			rest.order = append(rest.order, chunk)
		default:
			left = append(left, chunk)
		}
	}
	rest.stored = len(rest.order)
	rest.order = append(rest.order, left...)
	return rest, true
}

// Stored returns how many chunks are stored.
func (r *Rest) Stored() int { return r.stored }

// Extent returns the bytes of an operand that a chunk touches, as Loop.Extent does.
func (r *Rest) Extent(operand, chunk int) (lo, hi int) { return r.Loop.Extent(operand, r.order[chunk]) }

// NewWorker implements exec.Job.
func (r *Rest) NewWorker() exec.Worker { return &restWorker{r.Loop.NewWorker(), r.order} }

type restWorker struct {
	exec.Worker
	order []int
}

// Run implements exec.Worker.
func (w *restWorker) Run(chunk int) error { return w.Worker.Run(w.order[chunk]) }

// Release implements exec.Releaser.
func (w *restWorker) Release() {
	if r, ok := w.Worker.(exec.Releaser); ok {
		r.Release()
	}
}
