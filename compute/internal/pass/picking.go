package pass

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/view"
)

// pick stores the elements that arrays of indexes pick: each worker picks some indexes of the first
// axis of the result at a time.
func (w *Work) pick(k *graph.Picking) error {
	src, err := w.Args[0].BroadcastTo(k.From...)
	if err != nil {
		return err
	}

	// The indexes stand where they were when the program was bound, with their elements.
	items := slices.Clone(k.Items)
	m := &Memory{Bytes: w.Dst.NumBytes() + min(src.NumBytes(), w.Dst.NumBytes()), elems: w.Dst.NumElems()}
	for _, t := range append(slices.Clone(w.Args), w.Dst) {
		m.Storages = append(m.Storages, t.Storage())
	}
	for i, arg := range w.Args[1:] {
		items[k.At[i]] = view.IntArray(arg)
		m.Bytes += arg.NumBytes()
	}
	if k.Made { // before anything is stored
		if err := items.Check(w.ctx, src.Layout()); err != nil {
			return err
		}
	}
	if w.Dst.Rank() == 0 || m.elems == 0 {
		return view.Gather(w.ctx, w.Dst, src, items)
	}

	// Chunks are whole rows of the result.
	m.Mapped(w.Dst, w.Dst.Layout(), true)
	p := &pickJob{Work: w, src: src, items: items, rows: w.Dst.Shape()[0]}
	p.row = m.elems / p.rows
	p.step = max(1, m.chunkElems(w.Workers())/p.row)
	return w.Exec(m, p)
}

// A pickJob picks the rows of a result. It is an exec.Job, and all of its workers.
type pickJob struct {
	*Work
	src   *view.Tensor
	items view.Fancy
	rows  int
	row   int // elements of a row
	step  int // rows of a chunk
}

// NumChunks implements exec.Job.
func (p *pickJob) NumChunks() int { return (p.rows + p.step - 1) / p.step }

// NewWorker implements exec.Job.
func (p *pickJob) NewWorker() exec.Worker { return p }

// Run implements exec.Worker.
func (p *pickJob) Run(chunk int) error {
	first, n := p.part(chunk)
	dst, err := p.Dst.Narrow(0, first, n)
	if err != nil {
		return err
	}
	return view.GatherPart(p.ctx, dst, p.src, p.items, first)
}

// Extent implements chunked.
func (p *pickJob) Extent(_, chunk int) (lo, hi int) {
	first, n := p.part(chunk)
	bytes := p.row * p.Dst.DType().Size()
	return first * bytes, (first + n) * bytes
}

// part returns the rows of a chunk.
func (p *pickJob) part(chunk int) (first, n int) {
	first = chunk * p.step
	return first, min(p.step, p.rows-first)
}
