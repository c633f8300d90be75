package compute

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
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

// String implements bulk.Work.
func (k *picking) String() string { return "pick [" + k.items.String() + "]" }

// pickBytes is the memory that one worker takes for places.
const pickBytes = 1 << 20

// Memory implements bulk.Work.
func (k *picking) Memory(_ []bulk.Array, room bulk.Room) int64 {
	return int64(room.Workers) * pickBytes
}

// Run implements bulk.Work: each worker picks some indexes of the first axis of the result at a time.
func (k *picking) Run(r *bulk.Run) error {
	src, err := r.Args[0].BroadcastTo(k.from...)
	if err != nil {
		return err
	}
	items := slices.Clone(k.items)
	for i, arg := range r.Args[1:] {
		items[k.at[i]] = view.IntArray(arg)
	}
	if k.made { // before anything is stored
		if err := items.Check(r.Context, src.Layout()); err != nil {
			return err
		}
	}
	elems := r.Dst.NumElems()
	if r.Dst.Rank() == 0 || elems == 0 {
		return view.Gather(r.Context, r.Dst, src, items)
	}

	// No more is read than is picked, and all indexes are.
	touched := &bulk.Touched{Bytes: min(src.NumBytes(), r.Dst.NumBytes())}
	for i, arg := range r.Args {
		touched.Storages = append(touched.Storages, arg.Storage())
		if i > 0 {
			touched.Bytes += arg.NumBytes()
		}
	}
	rows := r.Dst.Shape()[0]
	row := elems / rows
	step := max(1, exec.ChunkElems(touched.Bytes+r.Dst.NumBytes(), elems, r.Room.Workers)/row)
	part := func(chunk int) (first, n int) { return chunk * step, min(step, rows-chunk*step) }
	touched.Writes(r.Dst, func(chunk int) (first, n int) {
		first, n = part(chunk)
		return first * row, n * row
	})
	return r.Pass.Exec(exec.Chunks((rows+step-1)/step, func() func(int) error {
		return func(chunk int) error {
			first, n := part(chunk)
			dst, err := r.Dst.Narrow(0, first, n)
			if err != nil {
				return err
			}
			return view.GatherPart(r.Context, dst, src, items, first)
		}
	}), touched)
}
