package compute

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// arrayWork is work on whole arrays, whose elements are in memory or in mapped files, in any layout: ranks, sorting, windows.
type arrayWork interface {
	// String says what is done, with all arguments that tell it apart from other work on the same operands.
	String() string
	// run stores the result.
	run(w *bulkWork) error
	// memory predicts the bytes that it takes beside the operands and the result.
	memory(n *graph.Node, l *graph.Limits) int64
}

// A wholeArrays is array work as a node has it, and as a pass runs it.
type wholeArrays struct{ arrayWork }

// Run implements pass.Worker.
func (a wholeArrays) Run(w *pass.Work) error {
	return a.arrayWork.run(&bulkWork{Work: w, node: w.Node, args: w.Args, dst: w.Dst})
}

// Memory implements bulk.
func (a wholeArrays) Memory(n *graph.Node, l *graph.Limits) int64 { return a.arrayWork.memory(n, l) }

// bulkWork is one run of array work.
type bulkWork struct {
	*pass.Work
	node *graph.Node
	args []*view.Tensor
	dst  *view.Tensor // packed
}

// eachOf runs the chunks of a job that touches operands and other storages, in any order.
func (w *bulkWork) eachOf(j exec.Job, others []*mmapstore.Storage, operands ...*operand) error {
	m := &pass.Memory{Storages: slices.Clone(others)}
	for _, x := range operands {
		m.Storages = append(m.Storages, x.storages()...)
		m.Bytes += x.tensor.NumBytes()
	}
	return w.Exec(m, &bulkJob{Job: j})
}

// each runs the chunks of a job that touches operands. extent says which elements of the first one, counted in its order, a
// chunk is about; nil if they can't be told.
func (w *bulkWork) each(j exec.Job, extent func(chunk int) (first, n int), operands ...*operand) error {
	m := &pass.Memory{}
	for _, x := range operands {
		m.Storages = append(m.Storages, x.storages()...)
		m.Bytes += x.tensor.NumBytes()
	}
	b := &bulkJob{Job: j, extent: extent}
	if len(operands) > 0 && extent != nil && operands[0].inner != nil {
		b.size = operands[0].dtype.Size()
		m.Mapped(operands[0].tensor, operands[0].tensor.Layout(), false)
	}
	return w.Exec(m, b)
}

// A bulkJob is a job that says which elements its chunks touch.
type bulkJob struct {
	exec.Job
	extent func(chunk int) (first, n int)
	size   int
}

// Extent implements chunked.
func (j *bulkJob) Extent(_, chunk int) (lo, hi int) {
	first, n := j.extent(chunk)
	return first * j.size, (first + n) * j.size
}

// chunkedBy is an exec.Job whose workers are functions.
type chunkedBy struct {
	chunks    int
	newWorker func() func(chunk int) error
}

// NumChunks implements exec.Job.
func (c chunkedBy) NumChunks() int { return c.chunks }

// NewWorker implements exec.Job.
func (c chunkedBy) NewWorker() exec.Worker { return workFunc(c.newWorker()) }

type workFunc func(chunk int) error

// Run implements exec.Worker.
func (f workFunc) Run(chunk int) error { return f(chunk) }

// inLanes returns a view of t whose last axes are those given, in their order, so that its elements in C order are lanes one
// after the other.
func inLanes(t *view.Tensor, axes []int) (*view.Tensor, error) {
	order := make([]int, 0, t.Rank())
	for axis := range t.Rank() {
		if !slices.Contains(axes, axis) {
			order = append(order, axis)
		}
	}
	return t.Permute(append(order, axes...)...)
}
