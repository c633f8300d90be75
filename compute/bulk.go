package compute

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A bulk is work on whole arrays, whose elements are in memory or in mapped files, in any layout: ranks, sorting, windows.
type bulk interface {
	// String says what is done, with all arguments that tell it apart from other work on the same operands.
	String() string
	// run stores the result.
	run(w *bulkWork) error
	// memory predicts the bytes that it takes beside the operands and the result.
	memory(n *node, o *Options) int64
}

// bulkNode returns the node of some work.
func (b *binder) bulkNode(n node) *node {
	n.kind = nodeBulk
	return b.add(n, n.bulk.String()+shapeKey(n.shape))
}

// isWhole reports whether n is computed of elements in memory, without a program.
func (n *node) isWhole() bool {
	return n.kind == nodeBulk || n.kind == nodeMatmul || n.isCount() && !n.isFed()
}

// bulkWork is one run of a bulk.
type bulkWork struct {
	*run
	task *job
	node *node
	args []*view.Tensor
	dst  *view.Tensor // packed
}

// bulk runs a bulk and keeps the result.
func (r *run) bulk(j *job) error {
	n := j.keeps[0]
	w := &bulkWork{run: r, task: j, node: n}
	for _, a := range n.args {
		t := r.memoryOf(a)
		if t == nil {
			return fmt.Errorf("BUG: compute: an operand of %v that no pass has kept", n.bulk)
		}
		w.args = append(w.args, t)
	}
	var err error
	if w.dst, err = r.keep(n); err != nil {
		return err
	}
	r.few = r.plan.opts.workersFor(n)
	defer func() { r.few = 0 }()
	return n.bulk.run(w)
}

// workersFor returns how many workers a bulk may have: as many as the memory limit has room for, but one at least.
func (o *Options) workersFor(n *node) int {
	few := *o
	for few.Parallelism > 1 && n.bulk.memory(n, &few) > o.MemoryLimit {
		few.Parallelism--
	}
	return few.Parallelism
}

// bulkMemory predicts the bytes that a bulk takes with the workers it may have.
func (o *Options) bulkMemory(n *node) int64 {
	few := *o
	few.Parallelism = o.workersFor(n)
	return n.bulk.memory(n, &few)
}

// eachOf runs the chunks of a job that touches operands and other storages, in any order.
func (w *bulkWork) eachOf(j exec.Job, others []*mmapstore.Storage, operands ...*pieces.Operand) error {
	m := &memory{storages: slices.Clone(others)}
	for _, x := range operands {
		m.storages = append(m.storages, x.Storages()...)
		m.bytes += x.Tensor.NumBytes()
	}
	return w.exec(m, &bulkJob{Job: j})
}

// each runs the chunks of a job that touches operands. extent says which elements of the first one, counted in its order, a
// chunk is about; nil if they can't be told.
func (w *bulkWork) each(j exec.Job, extent func(chunk int) (first, n int), operands ...*pieces.Operand) error {
	m := &memory{}
	for _, x := range operands {
		m.storages = append(m.storages, x.Storages()...)
		m.bytes += x.Tensor.NumBytes()
	}
	b := &bulkJob{Job: j, extent: extent}
	if len(operands) > 0 && extent != nil && operands[0].InPlace() {
		b.size = operands[0].DType.Size()
		m.mapped(operands[0].Tensor, operands[0].Tensor.Layout(), false)
	}
	return w.exec(m, b)
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
