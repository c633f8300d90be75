package order

import (
	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
)

// shortLanes sorts lanes that are each sorted by one worker.
func shortLanes[E Item](s *sorter, load loader[E], store storer[E]) error {
	lanes := bulk.NewLanes(s.x, s.count, s.length)
	touched := &bulk.Touched{}
	touched.Reads(s.x, lanes.Extent)
	return s.run.Pass.Exec(exec.Chunks(lanes.Chunks(), func() func(int) error {
		w := newLaneSorter(s, lanes, load, store)
		return w.sort
	}), touched)
}

// A laneSorter sorts groups of lanes. It belongs to one goroutine.
type laneSorter[E Item] struct {
	*sorter
	lanes bulk.Lanes
	load  loader[E]
	store storer[E]
	rows  *RowSorter[E]
	buf   []byte
	out   []byte // the results of a group
	size  int    // bytes of a result
}

func newLaneSorter[E Item](s *sorter, lanes bulk.Lanes, load loader[E], store storer[E]) *laneSorter[E] {
	size := s.run.Dst.DType().Size()
	return &laneSorter[E]{
		sorter: s, lanes: lanes, load: load, store: store, size: size,
		rows: NewRowSorter[E](min(lanes.Group, s.count), s.length, s.First, low[E](s)),
		buf:  s.x.Buffer(lanes.Group * s.length),
		out:  pieces.AlignedBytes(lanes.Group * s.First * size),
	}
}

// sort sorts the lanes of a chunk, as many at a time as are sorted together.
func (w *laneSorter[E]) sort(chunk int) error {
	first, n := w.lanes.Extent(chunk)
	b, err := w.x.Fetch(w.buf, first, n)
	if err != nil {
		return err
	}
	lanes, from, room := n/w.length, len(b)/n, w.rows.Items()
	for lane := 0; lane < lanes; lane += w.rows.Together() {
		rows := min(w.rows.Together(), lanes-lane)
		items := room[:rows*w.length]

		// Turn elements into items, sort them, and turn the wanted ones into results.
		w.eachRow(len(items), func(at, n int) {
			w.load(w.sorter, items[at:at+n], b[(lane*w.length+at)*from:][:n*from], 0)
		})
		w.rows.Sort(room, rows)
		to := w.out[lane*w.First*w.size:]
		w.eachRow(len(items), func(at, n int) {
			wanted := n / w.length * w.First
			w.store(w.sorter, to[at/w.length*w.First*w.size:][:wanted*w.size], items[at:at+wanted])
		})
	}
	at, _ := w.lanes.Of(chunk)
	_, err = w.sorter.out.WriteAt(w.out[:lanes*w.First*w.size], int64(at*w.First*w.size))
	return err
}

// eachRow calls fn with rows of the elements of some lanes: with each by itself where they have
// indexes, or are not all wanted.
func (s *sorter) eachRow(n int, fn func(at, n int)) {
	step := n
	if s.Indexes || s.First < s.length {
		step = s.length
	}
	for at := 0; at < n; at += step {
		fn(at, step)
	}
}
