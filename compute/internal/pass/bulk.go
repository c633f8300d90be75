package pass

import (
	"sync/atomic"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/mmapstore"
)

// WholeArrays is work on whole arrays, in the form that nodes hold and passes run.
type WholeArrays struct{ bulk.Work }

// Memory implements graph.Bulk.
func (a WholeArrays) Memory(n *graph.Node, l *graph.Limits) int64 {
	return a.Work.Memory(ArraysOf(n), bulk.Room{Workers: l.Parallelism, Memory: l.MemoryLimit})
}

// ArraysOf returns what is known of the operands of n.
func ArraysOf(n *graph.Node) []bulk.Array {
	all := make([]bulk.Array, len(n.Args))
	for i, a := range n.Args {
		all[i] = bulk.Array{DType: a.DType, Shape: a.Shape}
	}
	return all
}

// Run implements Worker.
func (a WholeArrays) Run(w *Work) error {
	room := bulk.Room{Workers: w.Workers(), Memory: w.Limits().MemoryLimit}
	return a.Work.Run(&bulk.Run{Context: w.Context(), Args: w.Args, Dst: w.Dst, Room: room, Pass: bulkPass{w}})
}

// A bulkPass runs the jobs of work on whole arrays. It implements bulk.Pass.
type bulkPass struct{ work *Work }

// Exec implements bulk.Pass.
func (p bulkPass) Exec(j exec.Job, t *bulk.Touched) error {
	m := &Memory{Storages: t.Storages, Bytes: t.Bytes}
	for _, part := range t.Parts {
		m.Mapped(part.Tensor, part.Tensor.Layout(), part.Write)
		m.Operands = append(m.Operands, exec.Operand{})
	}
	return p.work.Exec(m, &bulkJob{Job: j, touched: t})
}

// Begin implements bulk.Pass.
func (p bulkPass) Begin() { p.work.Restart() }

// Stopped implements bulk.Pass.
func (p bulkPass) Stopped() *atomic.Bool { return p.work.Watch() }

// Scratch implements bulk.Pass.
func (p bulkPass) Scratch(bytes int64) (*mmapstore.Storage, error) {
	return p.work.Limits().Room(bytes)
}

// A bulkJob is a job that says which bytes its chunks touch.
type bulkJob struct {
	exec.Job
	touched *bulk.Touched
}

// Extent says which bytes of a part a chunk touches.
func (j *bulkJob) Extent(part, chunk int) (lo, hi int) { return j.touched.Parts[part].Bounds(chunk) }
