package pass

import (
	"cmp"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A tileFile is an operand in a mapped file that is followed tile by tile.
type tileFile struct {
	laid
	storage *mmapstore.Storage
	write   bool
}

// inTiles returns the tiles in which a pass is run that does not fit the memory and whose boxes
// touch the pages of some file here and there: each page would come and go once for every box. ok
// is false if boxes do as well.
func (r *run) inTiles(pr *passRun, targets []*view.Tensor) (t tiles, files []tileFile, ok bool) {
	total, size := pr.bytes(), 1
	for _, target := range targets {
		total += target.NumBytes()
		size = max(size, target.DType().Size())
	}
	limit := r.plan.opts.MemoryLimit
	if r.parts > 0 || total <= limit || len(pr.shape) == 0 {
		return tiles{}, nil, false
	}

	// Tiles serve passes whose boxes touch some file in many places. The box in the middle shows
	// whether they do.
	files = r.tileFiles(pr, targets)
	b := newBoxes(pr.shape, r.plan.pieceBytes()/size)
	operands, far := make([]laid, len(files)), false
	for i, f := range files {
		operands[i] = f.laid
		far = far || f.scattered(b.at(b.count/2), limit/8)
	}
	if !far {
		return tiles{}, nil, false
	}
	return newTiles(pr.shape, operands, max(exec.MinChunkBytes, min(limit/tileShare, maxTileBytes))), files, true
}

// tileFiles returns the operands of a pass that lie in files.
func (r *run) tileFiles(pr *passRun, targets []*view.Tensor) []tileFile {
	var files []tileFile
	for _, a := range pr.leaves {
		if t := r.tensorOf(a); t != nil && t.Storage().FileBacked() {
			files = append(files, tileFile{laid{a.layout, a.dtype.Size()}, t.Storage(), false})
		}
	}
	for _, t := range targets {
		if t.Storage().FileBacked() {
			files = append(files, tileFile{laid{t.Layout(), t.DType().Size()}, t.Storage(), true})
		}
	}
	return files
}

// fillTiles fills one tile of all targets after the other, from the band on that has element number
// first, and calls stored after each band with the number of elements up to its end. While a tile
// is written back, the next one is read.
func (r *run) fillTiles(pr *passRun, t tiles, files []tileFile, targets []*view.Tensor, first int, stored func(n int) error) error {
	defer func() { r.parts = 0 }()
	if first >= graph.NumElems(pr.shape) {
		return r.ctx.Err()
	}
	for _, f := range files {
		_ = f.storage.Advise(0, -1, mmapstore.Random) // a hint: what lies around a run belongs to other tiles
		defer func() { _ = f.storage.Advise(0, -1, mmapstore.Normal) }()
	}

	// Progress counts tiles.
	perBand := t.perBand()
	r.parts, r.bytes = t.bands.count*perBand, pr.bytes()
	for _, target := range targets {
		r.bytes += target.NumBytes()
	}

	// Bands are filled in order, so that what is before one is done.
	begin := t.bands.of(first) * perBand
	prefetch(files, t.at(begin))
	for i := begin; i < r.parts; i++ {
		r.part = i
		err := r.fillPart(pr, t.at(i), targets)
		if err == nil {
			err = r.leave(files, t, i)
		}
		if err == nil && (i+1)%perBand == 0 {
			err = stored(t.bands.first((i + 1) / perBand))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leave lets go of a tile that is done, and begins to read the next one.
func (r *run) leave(files []tileFile, t tiles, i int) error {
	ix := t.at(i)
	var err error
	for _, f := range files {
		if f.write {
			err = cmp.Or(err, f.around(ix, (*mmapstore.Storage).StartWriteback))
		} else {
			err = cmp.Or(err, f.around(ix, drop))
		}
	}

	// The next tile is read while the one before is written back.
	if err == nil && i+1 < r.parts {
		prefetch(files, t.at(i+1)) // after the drop, which takes all between the first byte of a tile and its last
	}
	for _, f := range files {
		if f.write {
			err = cmp.Or(err, f.around(ix, (*mmapstore.Storage).WaitWriteback), f.around(ix, drop))
		}
	}
	return err
}

func drop(st *mmapstore.Storage, off, n int64) error { return st.Advise(off, n, mmapstore.DontNeed) }

// around calls fn with the bytes from the first one of a tile to its last: no other tile is in
// memory.
func (f tileFile) around(ix view.Index, fn func(st *mmapstore.Storage, off, n int64) error) error {
	l, err := f.layout.Index(ix)
	if err != nil {
		return err
	}
	lo, hi := l.Bounds()
	return fn(f.storage, int64(lo)*int64(f.size), int64(hi-lo)*int64(f.size))
}

// prefetch begins to read the bytes of files that a tile touches. It ignores errors: the code that
// uses the bytes reports them.
func prefetch(files []tileFile, ix view.Index) {
	for _, f := range files {
		if f.write {
			continue
		}
		for off, n := range f.pieces(ix) {
			if f.storage.Advise(off, n, mmapstore.WillNeed) != nil {
				return
			}
		}
	}
}

// nearBytes is the largest gap between two runs that are read as one: a page.
const nearBytes = 4 << 10

// pieces yields the bytes of a tile. Runs that are near each other are one piece, including the
// bytes between them.
func (f tileFile) pieces(ix view.Index) func(yield func(off, n int64) bool) {
	return func(yield func(off, n int64) bool) {
		l, err := f.layout.Index(ix)
		if err != nil {
			return
		}

		// Runs that are near each other become one piece, from lo up to hi.
		size, lo, hi := f.size, 0, 0
		for run := range ascending(l).Runs() {
			step, many := run.Step, run.N
			if step == 1 || step*size <= nearBytes {
				step, many = (many-1)*step+1, 1
			} else {
				step = 1
			}

			for i := range many {
				from := (run.Start + i*run.Step) * size
				if hi > lo && from > hi+nearBytes {
					if !yield(int64(lo), int64(hi-lo)) {
						return
					}
					lo, hi = from, from
				}
				if hi == lo {
					lo = from
				}
				hi = max(hi, from+step*size)
			}
		}

		if hi > lo {
			yield(int64(lo), int64(hi-lo))
		}
	}
}

// ascending returns a layout of the same elements, each of them once, in the order of memory.
func ascending(l view.Layout) view.Layout {
	var back, order []int
	for axis := range l.Rank() {
		switch {
		case l.Stride(axis) == 0:
			l, _ = l.Narrow(axis, 0, 1) // tiles have elements
		case l.Stride(axis) < 0:
			back = append(back, axis)
		}
		order = append(order, axis)
	}

	// Axes that go backwards are turned, and then all are sorted by their strides.
	flipped, err := l.Flip(back...)
	if err != nil || len(back) == 0 {
		flipped = l
	}
	slices.SortStableFunc(order, func(a, b int) int { return flipped.Stride(b) - flipped.Stride(a) })
	sorted, err := flipped.Permute(order...)
	if err != nil {
		return flipped
	}
	return sorted
}
