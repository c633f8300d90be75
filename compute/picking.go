package compute

import (
	"slices"

	"github.com/tstore/tstore/view"
)

// picking is the elements that arrays of indexes pick of an array, stretched to a shape first. Its operands are the array and
// then the arrays of indexes.
type picking struct {
	items view.Fancy
	at    []int // of the items, those that are arrays
	from  []int
	made  bool // whether an array of indexes is computed, and so was not checked before
}

// String implements bulk.
func (k *picking) String() string { return "pick [" + k.items.String() + "]" }

// pickBytes is the memory that one worker takes for places.
const pickBytes = 1 << 20

// memory implements bulk.
func (k *picking) memory(_ *node, o *Options) int64 { return int64(o.Parallelism) * pickBytes }

// run implements bulk: each worker picks some indexes of the first axis of the result at a time.
func (k *picking) run(w *bulkWork) error {
	src, err := w.args[0].BroadcastTo(k.from...)
	if err != nil {
		return err
	}
	items := slices.Clone(k.items)
	m := &memory{bytes: w.dst.NumBytes() + min(src.NumBytes(), w.dst.NumBytes()), elems: w.dst.NumElems()}
	for _, t := range append(slices.Clone(w.args), w.dst) {
		m.storages = append(m.storages, t.Storage())
	}
	for i, arg := range w.args[1:] {
		items[k.at[i]] = view.IntArray(arg)
		m.bytes += arg.NumBytes()
	}
	if k.made { // before anything is stored
		if err := items.Check(w.ctx, src.Layout()); err != nil {
			return err
		}
	}
	if w.dst.Rank() == 0 || m.elems == 0 {
		return view.Gather(w.ctx, w.dst, src, items)
	}
	m.mapped(w.dst, w.dst.Layout(), true)
	rows := w.dst.Shape()[0]
	row := m.elems / rows
	step := max(1, m.chunkElems(w.workers())/row)
	extent := func(chunk int) (first, n int) { return chunk * step, min(step, rows-chunk*step) }
	work := chunkedBy{chunks: (rows + step - 1) / step, newWorker: func() func(int) error {
		return func(chunk int) error {
			first, n := extent(chunk)
			dst, err := w.dst.Narrow(0, first, n)
			if err != nil {
				return err
			}
			return view.GatherPart(w.ctx, dst, src, items, first)
		}
	}}
	return w.exec(m, &bulkJob{Job: work, size: w.dst.DType().Size(), extent: func(chunk int) (first, n int) {
		first, n = extent(chunk)
		return first * row, n * row
	}})
}
