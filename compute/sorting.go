package compute

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// sorting is the sorted elements of lanes, or their indexes: all of them, or the first ones.
type sorting struct {
	name       string
	axes       []int // that are a lane together
	indexes    bool
	descending bool
	first      int // how many of a lane are wanted
	keyed      order.Coding
	wide       bool // elements are complex128, which have keys of 128 bits and no Coding
}

// keys notes how elements of a type are turned into keys.
func (k *sorting) keys(t dtype.Type) {
	k.keyed, _ = order.CodingOf(t)
	k.wide = t == dtype.Complex128
}

// String implements bulk.
func (k *sorting) String() string {
	text := fmt.Sprintf("%s, axes %v", k.name, k.axes)
	if k.descending {
		text += ", descending"
	}
	return fmt.Sprintf("%s, the first %d", text, k.first)
}

// maxSortLane is the number of elements of a lane up to which one worker sorts it.
const maxSortLane = 1 << 18

// itemBytes returns the size of what is sorted for an element.
func (k *sorting) itemBytes() int {
	switch {
	case k.wide && k.indexes:
		return 24
	case k.wide || k.indexes && k.keyed.Wide():
		return 16
	case k.indexes || k.keyed.Wide():
		return 8
	}
	return 4
}

// memory implements bulk.
func (k *sorting) memory(n *node, o *Options) int64 {
	length, item := laneLength(n.args[0].shape, k.axes), int64(k.itemBytes())
	if length <= maxSortLane {
		return int64(o.Parallelism) * int64(max(length, laneChunk)) * (2*item + 8)
	}
	if k.isTop(length, o) {
		return int64(o.Parallelism)*(1<<20) + int64(length/keptShare)*8 + int64(k.first)*topBytes
	}
	return min(int64(length)*item, int64(maxItems(o, int(item)))*item) + int64(o.Parallelism)*(8<<20)
}

// maxItems returns how many items of a size are sorted in memory at once.
func maxItems(o *Options, size int) int {
	return max(maxSortLane, int(o.MemoryLimit/int64(4*size)))
}

// laneLength returns the number of elements of a lane along some axes.
func laneLength(shape, axes []int) int {
	n := 1
	for _, axis := range axes {
		n *= shape[axis]
	}
	return n
}

// run implements bulk.
func (k *sorting) run(w *bulkWork) (err error) {
	seen, err := inLanes(w.args[0], k.axes)
	if err != nil {
		return err
	}
	into := w.dst
	if into.Rank() == seen.Rank() {
		if into, err = inLanes(into, k.axes); err != nil {
			return err
		}
	}
	x, err := pieces.Open(seen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	length := laneLength(w.args[0].Shape(), k.axes)
	if length == 0 || k.first == 0 || x.NumElems == 0 {
		return nil
	}
	s := &sorter{sorting: k, work: w, x: x, into: into, out: into.Writer(), length: length, count: x.NumElems / length}
	switch {
	case k.wide && k.indexes:
		return sortLanes(s, loadWidePairs, storeWidePairs)
	case k.wide:
		return sortLanes(s, loadWide, storeWide)
	case k.indexes && k.keyed.Wide():
		return sortLanes(s, loadPairs, storePairs)
	case k.indexes:
		return sortLanes(s, loadPacked, storePacked)
	case k.keyed.Wide():
		return sortLanes(s, loadKeys[uint64], storeKeys[uint64])
	default:
		return sortLanes(s, loadKeys[uint32], storeKeys[uint32])
	}
}

// A sorter is one run of a sorting: count lanes of length elements each.
type sorter struct {
	*sorting
	work          *bulkWork
	x             *pieces.Operand
	into          *view.Tensor // lanes one after the other
	out           *view.Writer
	count, length int
}

// A loader makes items of packed elements, whose first one has a number in its lane.
type loader[E order.Item] func(k *sorting, items []E, elems []byte, first int)

// A storer makes elements, or indexes, of items.
type storer[E order.Item] func(k *sorting, out []byte, items []E)

func loadKeys[K order.Key](k *sorting, items []K, elems []byte, _ int) {
	order.Encode(k.keyed, items, elems)
	if k.descending {
		for i := range items {
			items[i] = ^items[i]
		}
	}
}

func storeKeys[K order.Key](k *sorting, out []byte, items []K) {
	if k.descending {
		for i := range items {
			items[i] = ^items[i]
		}
	}
	order.Decode(k.keyed, out, items)
}

// loadPacked puts keys of at most 32 bits over indexes.
func loadPacked(k *sorting, items []uint64, elems []byte, first int) {
	order.EncodeEqual(k.keyed, items, elems)
	flip := uint64(0)
	if k.descending {
		flip = 1<<32 - 1
	}
	for i, key := range items {
		items[i] = (key^flip)<<32 | uint64(first+i)
	}
}

func storePacked(_ *sorting, out []byte, items []uint64) {
	to := pieces.As[int64](out)
	for i, e := range items {
		to[i] = int64(uint32(e))
	}
}

func loadPairs(k *sorting, items []order.Pair, elems []byte, first int) {
	var keys [512]uint64
	size, flip := k.keyed.Bits()/8, uint64(0)
	if k.descending {
		flip--
	}
	for at := 0; at < len(items); at += len(keys) {
		n := min(len(keys), len(items)-at)
		order.EncodeEqual(k.keyed, keys[:n], elems[at*size:(at+n)*size])
		for i, key := range keys[:n] {
			items[at+i] = order.Pair{Key: key ^ flip, Index: uint64(first + at + i)}
		}
	}
}

func storePairs(_ *sorting, out []byte, items []order.Pair) {
	to := pieces.As[int64](out)
	for i, e := range items {
		to[i] = int64(e.Index)
	}
}

func loadWide(k *sorting, items []order.Wide, elems []byte, _ int) {
	order.EncodeWide(items, elems, false)
	k.turn(items)
}

func storeWide(k *sorting, out []byte, items []order.Wide) {
	k.turn(items)
	order.DecodeWide(out, items)
}

// turn turns the order of keys around if they are to descend.
func (k *sorting) turn(items []order.Wide) {
	if !k.descending {
		return
	}
	for i, e := range items {
		items[i] = order.Wide{Key: ^e.Key, Low: ^e.Low}
	}
}

func loadWidePairs(k *sorting, items []order.WidePair, elems []byte, first int) {
	var keys [256]order.Wide
	for at := 0; at < len(items); at += len(keys) {
		n := min(len(keys), len(items)-at)
		order.EncodeWide(keys[:n], elems[16*at:16*(at+n)], true)
		k.turn(keys[:n])
		for i, key := range keys[:n] {
			items[at+i] = order.WidePair{Key: key.Key, Low: key.Low, Index: uint64(first + at + i)}
		}
	}
}

func storeWidePairs(_ *sorting, out []byte, items []order.WidePair) {
	to := pieces.As[int64](out)
	for i, e := range items {
		to[i] = int64(e.Index)
	}
}

// low returns the bits of items that are no key.
func low[E order.Item](k *sorting) uint {
	if k.indexes && order.ItemBytes[E]() == 8 {
		return 32
	}
	return 0
}

// sortLanes sorts all lanes.
func sortLanes[E order.Item](s *sorter, load loader[E], store storer[E]) error {
	if s.length <= maxSortLane {
		return shortLanes(s, load, store)
	}
	if s.sorting.isTop(s.length, &s.work.plan.opts) {
		return s.topLanes()
	}
	if order.ItemBytes[E]() == 8 && s.indexes && s.length > 1<<32 {
		return fmt.Errorf("lanes of %d elements: expected %d at most", s.length, 1<<32)
	}
	for lane := range s.count {
		if err := longLane(s, lane, load, store); err != nil {
			return err
		}
	}
	return nil
}

// shortLanes sorts lanes that are each sorted by one worker.
func shortLanes[E order.Item](s *sorter, load loader[E], store storer[E]) error {
	group := max(1, laneChunk/s.length)
	if !s.x.InPlace() && s.count > 1 {
		group = max(group, fewLanes)
	}
	chunks, size := (s.count+group-1)/group, s.work.dst.DType().Size()
	extent := func(chunk int) (first, n int) {
		return chunk * group * s.length, min(group, s.count-chunk*group) * s.length
	}
	return s.work.each(chunkedBy{chunks, func() func(int) error {
		buf, out := s.x.Buffer(group*s.length), pieces.AlignedBytes(group*s.first*size)
		sorter := order.NewRowSorter[E](min(group, s.count), s.length, s.first, low[E](s.sorting))
		room := sorter.Items()
		return func(chunk int) error {
			first, n := extent(chunk)
			b, err := s.x.Fetch(buf, first, n)
			if err != nil {
				return err
			}
			lanes, from := n/s.length, len(b)/n
			for lane := 0; lane < lanes; lane += sorter.Together() {
				rows := min(sorter.Together(), lanes-lane)
				items := room[:rows*s.length]
				s.rows(len(items), func(at, n int) { load(s.sorting, items[at:at+n], b[(lane*s.length+at)*from:][:n*from], 0) })
				sorter.Sort(room, rows)
				to := out[lane*s.first*size:]
				s.rows(len(items), func(at, n int) {
					wanted := n / s.length * s.first
					store(s.sorting, to[at/s.length*s.first*size:][:wanted*size], items[at:at+wanted])
				})
			}
			_, err = s.out.WriteAt(out[:lanes*s.first*size], int64(chunk*group*s.first*size))
			return err
		}
	}}, extent, s.x)
}

// rows calls fn with rows of the elements of some lanes: with each by itself where they have indexes, or are not all wanted.
func (s *sorter) rows(n int, fn func(at, n int)) {
	step := n
	if s.indexes || s.first < s.length {
		step = s.length
	}
	for at := 0; at < n; at += step {
		fn(at, step)
	}
}

// longLane sorts one lane by all workers.
func longLane[E order.Item](s *sorter, lane int, load loader[E], store storer[E]) (err error) {
	size, room := s.work.dst.DType().Size(), &scratch{work: s.work}
	defer func() { err = errors.Join(err, room.release()) }()
	l := order.Long[E]{
		Lane:     order.Lane{Source: s.x, Coding: s.keyed, First: lane * s.length, N: s.length},
		Low:      low[E](s.sorting),
		Load:     func(items []E, elems []byte, first int) { load(s.sorting, items, elems, first) },
		MaxItems: maxItems(&s.work.plan.opts, order.ItemBytes[E]()),
		NewEmit: func() func(at int, items []E) error {
			out := pieces.AlignedBytes(order.ChunkElems * size)
			return func(at int, items []E) error {
				items = items[:min(len(items), max(0, s.first-at))]
				for ; len(items) > 0; at += order.ChunkElems {
					n := min(len(items), order.ChunkElems)
					store(s.sorting, out[:n*size], items[:n])
					if _, err := s.out.WriteAt(out[:n*size], int64(lane*s.first+at)*int64(size)); err != nil {
						return err
					}
					items = items[n:]
				}
				return nil
			}
		},
		Run: func(j exec.Job, reads bool) error {
			s.work.begin(s.work.pass)
			return s.work.eachOf(j, room.storages, s.x)
		},
		Scratch: func(items int) ([]E, error) {
			b, err := room.make(int64(items) * int64(order.ItemBytes[E]()))
			if err != nil || len(b) == 0 {
				return nil, err
			}
			return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), items), nil
		},
		Spilled: func(first, n int) error {
			return room.spill(int64(first)*int64(order.ItemBytes[E]()), int64(n)*int64(order.ItemBytes[E]()))
		},
		Soon: func(first, n int) {
			room.soon(int64(first)*int64(order.ItemBytes[E]()), int64(n)*int64(order.ItemBytes[E]()))
		},
		Merge: func(j exec.Job, items int) error {
			s.work.begin(s.work.pass)
			return s.exec(j, room.storages, func(chunk int) (first, n int) {
				first = min(chunk*items, s.first)
				return lane*s.first + first, min(items, s.first-first)
			})
		},
	}
	return l.Sort()
}

// exec runs a job that reads storages and stores elements whose places in the result extent says, which are written out behind it.
func (s *sorter) exec(j exec.Job, storages []*mmapstore.Storage, extent func(chunk int) (first, n int)) error {
	m := &memory{storages: append(slices.Clone(storages), s.into.Storage()), bytes: s.x.Tensor.NumBytes() + s.into.NumBytes()}
	if s.into.Layout().IsContiguous() {
		m.mapped(s.into, s.into.Layout(), true)
	}
	return s.work.exec(m, &bulkJob{Job: j, extent: extent, size: s.into.DType().Size()})
}

// scratch is room for what does not stay in memory, where temporary elements go.
type scratch struct {
	work     *bulkWork
	storages []*mmapstore.Storage
	pins     []mmapstore.Pin
	spilled  [2]int64 // the bytes of the last room that are being written out
}

// make returns room that is touched under the guard of storages.
func (s *scratch) make(bytes int64) ([]byte, error) {
	st, err := s.work.plan.opts.room(bytes)
	if err != nil {
		return nil, fmt.Errorf("make room for %d bytes: %w", bytes, err)
	}
	pin, err := st.Pin()
	if err != nil {
		return nil, errors.Join(err, st.Release())
	}
	s.storages, s.pins = append(s.storages, st), append(s.pins, pin)
	return pin.Bytes(), nil
}

// spill starts to write out bytes of the last room, and waits until those before are: at most two of such parts are in memory only.
func (s *scratch) spill(off, n int64) error {
	st := s.storages[len(s.storages)-1]
	err := st.StartWriteback(off, n)
	if err == nil && s.spilled[1] > 0 {
		err = st.WaitWriteback(s.spilled[0], s.spilled[1])
	}
	s.spilled = [2]int64{off, n}
	return err
}

// soon reads bytes of the last room ahead, if they lie in a file. Errors are left to those who touch the bytes.
func (s *scratch) soon(off, n int64) {
	if st := s.storages[len(s.storages)-1]; st.FileBacked() {
		_ = st.Advise(off, n, mmapstore.WillNeed)
	}
}

func (s *scratch) release() error {
	var errs []error
	for i, st := range s.storages {
		s.pins[i].Unpin()
		errs = append(errs, st.Release())
	}
	return errors.Join(errs...)
}

// sortedType returns the type of what a sorting makes of elements of type t.
func (k *sorting) sortedType(t dtype.Type) dtype.Type {
	if k.indexes {
		return dtype.Int64
	}
	return t
}
