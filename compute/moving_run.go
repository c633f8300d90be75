package compute

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/compute/internal/window"
	"github.com/tstore/tstore/dtype"
)

// memory implements bulk.
func (k *moving) memory(n *node, o *Options) int64 {
	b := newMoveBlocks(n.shape, k.axis, k.width)
	b.cut(true, false)
	return int64(o.Parallelism) * int64(b.elems()) * 8 * 6
}

// run implements bulk.
func (k *moving) run(w *bulkWork) (err error) {
	if need := w.plan.opts.bulkMemory(w.node); need > w.plan.opts.MemoryLimit {
		return fmt.Errorf("windows of %d elements take %s, the memory limit is %s: raise it", k.width, formatBytes(need), formatBytes(w.plan.opts.MemoryLimit))
	}
	x, err := pieces.Open(w.args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if x.NumElems == 0 {
		return nil
	}
	m := &mover{op: k.op, x: x, stop: w.watch()}
	used := &memory{storages: x.Storages(), bytes: x.Tensor.NumBytes() + w.dst.NumBytes()}
	defer used.close()
	if x.InPlace() {
		used.mapped(x.Tensor, x.Tensor.Layout(), false)
	}
	if m.out, err = used.results(w.dst, 1); err != nil {
		return err
	}
	m.to, m.past = w.dst.DType(), w.dst.NumBytes() >= streamBytes
	if k.single(x.DType) {
		return runMoves[float32](k, m, w, used)
	}
	return runMoves[float64](k, m, w, used)
}

// runMoves computes windows in T.
func runMoves[T float32 | float64](k *moving, m *mover, w *bulkWork, used *memory) error {
	t := dtype.Of[T]()
	packed := m.x.InPlace()
	there := packed && m.x.DType == t && m.to == t && pieces.IsAligned(m.out)
	m.moveBlocks = newMoveBlocks(w.args[0].Shape(), k.axis, k.width)
	m.cut(!packed, there && window.NewMover[T](k.op, k.width, m.stop).AtOnce(m.inner))
	m.share(k.op, w.workers())
	return w.exec(used, &moveJob[T]{m})
}

// A mover is one run of moving.
type mover struct {
	*moveBlocks
	op   window.Op
	x    *pieces.Operand
	out  []byte // packed elements of type to
	to   dtype.Type
	past bool // whether results are stored past the caches
	stop *atomic.Bool
}

// A moveJob computes windows in T, chunk by chunk.
type moveJob[T float32 | float64] struct{ *mover }

// NumChunks implements exec.Job.
func (j *moveJob[T]) NumChunks() int { return j.chunks() }

// Extent implements chunked, for the operand and the result.
func (j *moveJob[T]) Extent(operand, chunk int) (lo, hi int) {
	first, n := j.extent(chunk)
	size := j.x.DType.Size()
	if operand == 1 {
		size = j.to.Size()
	}
	return first * size, (first + n) * size
}
