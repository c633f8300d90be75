package gemm

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
)

// A batched job multiplies small matrices. A worker takes several at a time, and multiplies each
// alone.
type batched struct {
	*product
	perChunk int
}

// maxSmall is the number of products of two matrices up to which one worker multiplies them.
const maxSmall = 1 << 20

// isSmall reports whether one worker multiplies two of the matrices.
func (p *product) isSmall() bool {
	return p.work() <= maxSmall || p.work() <= p.micro.speed/8
}

func newBatched(p *product) *batched {
	each := p.work() + 16*(p.M*p.K+p.K*p.N+p.M*p.N) + 1000
	return &batched{p, max(1, 2*p.micro.speed/each)}
}

// NumChunks implements exec.Job.
func (j *batched) NumChunks() int { return ceil(j.count, j.perChunk) }

// Stop does nothing: no chunk waits for another.
func (j *batched) Stop() {}

// Unit is a chunk.
func (j *batched) Unit() int { return 1 }

// Skip does nothing: no chunk needs another.
func (j *batched) Skip(int) {}

// Grain returns the number of matrices of a chunk.
func (j *batched) Grain() int { return j.perChunk }

// Close does nothing.
func (j *batched) Close() error { return nil }

// NewWorker implements exec.Job.
func (j *batched) NewWorker() exec.Worker {
	rows, cols, kc := roundUp(j.M, j.micro.rows), roundUp(j.cols, j.micro.cols), min(j.run, j.deep)
	a, b := roundUp(rows*kc*j.size, 64), roundUp(cols*kc*j.size, 64)
	room := newBuffer(tileBytes + a + b + roundUp(j.scratch(), 64) + j.M*j.cols*j.size)
	at := unsafe.Pointer(unsafe.SliceData(room))
	w := &batchedWorker{batched: j, tile: at}
	w.panels.a = unsafe.Add(at, tileBytes)
	w.panels.b = unsafe.Add(w.panels.a, a)
	w.room = unsafe.Add(w.panels.b, b)
	w.wide = target{unsafe.Add(w.room, roundUp(j.scratch(), 64)), j.cols * j.size, j.size}
	return w
}

// A batchedWorker is the memory of one goroutine.
type batchedWorker struct {
	*batched
	panels     panels
	room, tile unsafe.Pointer
	wide       target
}

// Run implements exec.Worker.
func (w *batchedWorker) Run(chunk int) error {
	for i := chunk * w.perChunk; i < min((chunk+1)*w.perChunk, w.count); i++ {
		w.one(i)
	}
	return nil
}

// one computes a matrix.
func (w *batchedWorker) one(i int) {
	if w.deep == 0 {
		w.zero(i)
		return
	}

	c := w.C.matrix(w.Batch, i)
	to := target{c, w.C.Row, w.size}
	if w.final != nil {
		to = w.wide
	}

	// Each run of the inner dimension adds to what the runs before it have stored, so that its
	// panels fit in the cache.
	for from := 0; from < w.deep; from += w.run {
		kc := min(w.run, w.deep-from)
		w.packA(w.panels.a, w.A.matrix(w.Batch, i), 0, w.M, from, kc, w.room)
		w.packB(w.panels.b, w.B.matrix(w.Batch, i), 0, w.cols, from, kc, w.room)
		w.micro.multiply(to, w.panels.a, w.panels.b, w.M, w.cols, kc, from, w.reg, w.tile)
	}

	if w.final != nil {
		w.finish(to, c, w.M, w.cols)
	}
}
