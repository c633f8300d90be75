package compute

import (
	"fmt"
	"sync/atomic"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/mmapstore"
)

// bulkNode returns the node of some work on whole arrays.
func (b *binder) bulkNode(n node) *node {
	n.kind = nodeBulk
	return b.add(n, n.bulk.String()+shapeKey(n.shape))
}

// isWhole reports whether n is computed of elements in memory, without a program.
func (n *node) isWhole() bool {
	return n.kind == nodeBulk || n.kind == nodeMatmul || n.isCount() && !n.isFed()
}

// arrays returns what is known of the operands of n.
func (n *node) arrays() []bulk.Array {
	all := make([]bulk.Array, len(n.args))
	for i, a := range n.args {
		all[i] = bulk.Array{DType: a.dtype, Shape: a.shape}
	}
	return all
}

// A bulkPass is the pass of some work on whole arrays, which runs its jobs. It implements bulk.Pass.
type bulkPass struct {
	*run
	task *job
	node *node
}

// bulk runs work on whole arrays and keeps the result.
func (r *run) bulk(j *job) error {
	n := j.keeps[0]
	w := &bulk.Run{Context: r.ctx, Pass: &bulkPass{run: r, task: j, node: n}}
	for _, a := range n.args {
		t := r.memoryOf(a)
		if t == nil {
			return fmt.Errorf("BUG: compute: an operand of %v that no pass has kept", n.bulk)
		}
		w.Args = append(w.Args, t)
	}
	var err error
	if w.Dst, err = r.keep(n); err != nil {
		return err
	}
	w.Room = r.plan.opts.bulkRoom(n)
	r.few = w.Room.Workers
	defer func() { r.few = 0 }()
	return n.bulk.Run(w)
}

// bulkRoom returns the room that work on whole arrays may take: as many workers as the memory limit has room for, but one at
// least.
func (o *Options) bulkRoom(n *node) bulk.Room {
	args, room := n.arrays(), bulk.Room{Workers: o.Parallelism, Memory: o.MemoryLimit}
	for room.Workers > 1 && n.bulk.Memory(args, room) > o.MemoryLimit {
		room.Workers--
	}
	return room
}

// bulkMemory predicts the bytes that work on whole arrays takes with the workers it may have.
func (o *Options) bulkMemory(n *node) int64 { return n.bulk.Memory(n.arrays(), o.bulkRoom(n)) }

// Exec implements bulk.Pass.
func (p *bulkPass) Exec(j exec.Job, t *bulk.Touched) error {
	m := &memory{storages: t.Storages, bytes: t.Bytes}
	for _, part := range t.Parts {
		m.mapped(part.Tensor, part.Tensor.Layout(), part.Write)
		m.operands = append(m.operands, exec.Operand{})
	}
	return p.exec(m, &bulkJob{Job: j, touched: t})
}

// Begin implements bulk.Pass.
func (p *bulkPass) Begin() { p.begin(p.pass) }

// Stopped implements bulk.Pass.
func (p *bulkPass) Stopped() *atomic.Bool { return p.watch() }

// Scratch implements bulk.Pass.
func (p *bulkPass) Scratch(bytes int64) (*mmapstore.Storage, error) { return p.plan.opts.room(bytes) }

// A bulkJob is a job that says which bytes its chunks touch.
type bulkJob struct {
	exec.Job
	touched *bulk.Touched
}

// Extent implements chunked.
func (j *bulkJob) Extent(part, chunk int) (lo, hi int) { return j.touched.Parts[part].Bounds(chunk) }
