package order

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A Sorting is the sorted elements of lanes, or their indexes: all of them, or the first ones. It
// is bulk.Work.
type Sorting struct {
	Name       string
	Axes       []int // that are a lane together
	Indexes    bool
	Descending bool
	First      int // how many of a lane are wanted
}

// String implements bulk.Work.
func (k *Sorting) String() string {
	text := fmt.Sprintf("%s, axes %v", k.Name, k.Axes)
	if k.Descending {
		text += ", descending"
	}
	return fmt.Sprintf("%s, the first %d", text, k.First)
}

// maxSortLane is the number of elements of a lane up to which one worker sorts it.
const maxSortLane = 1 << 18

// itemBytes returns the size of what is sorted for an element of type t.
func (k *Sorting) itemBytes(t dtype.Type) int {
	keyed, wide := keysOf(t)
	switch {
	case wide && k.Indexes:
		return 24
	case wide || k.Indexes && keyed.Wide():
		return 16
	case k.Indexes || keyed.Wide():
		return 8
	}
	return 4
}

// keysOf returns how elements of type t become keys: by a coding, or as wide keys for complex128.
func keysOf(t dtype.Type) (keyed Coding, wide bool) {
	keyed, _ = CodingOf(t)
	return keyed, t == dtype.Complex128
}

// Memory implements bulk.Work.
func (k *Sorting) Memory(args []bulk.Array, room bulk.Room) int64 {
	x := args[0]
	length, item := bulk.LaneLength(x.Shape, k.Axes), int64(k.itemBytes(x.DType))
	if length <= maxSortLane {
		return int64(room.Workers) * int64(max(length, bulk.LaneChunk)) * (2*item + 8)
	}
	if k.isTop(x.DType, length, room) {
		return int64(room.Workers)*(1<<20) + int64(length/keptShare)*8 + int64(k.First)*topBytes
	}
	return min(int64(length)*item, int64(maxItems(room, int(item)))*item) + int64(room.Workers)*(8<<20)
}

// maxItems returns how many items of a size are sorted in memory at once.
func maxItems(room bulk.Room, size int) int {
	return max(maxSortLane, int(room.Memory/int64(4*size)))
}

// Run implements bulk.Work.
func (k *Sorting) Run(r *bulk.Run) (err error) {
	// Elements are read, and stored, lane by lane.
	seen, err := bulk.InLanes(r.Args[0], k.Axes)
	if err != nil {
		return err
	}
	into := r.Dst
	if into.Rank() == seen.Rank() {
		if into, err = bulk.InLanes(into, k.Axes); err != nil {
			return err
		}
	}

	x, err := pieces.Open(seen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()

	length := bulk.LaneLength(r.Args[0].Shape(), k.Axes)
	if length == 0 || k.First == 0 || x.NumElems == 0 {
		return nil
	}

	// What is sorted depends on the size of keys, and on whether indexes go with them.
	s := &sorter{Sorting: k, run: r, x: x, into: into, out: into.Writer(), length: length, count: x.NumElems / length}
	s.keyed, s.wide = keysOf(x.DType)
	switch {
	case s.wide && k.Indexes:
		return sortLanes(s, loadWidePairs, storeWidePairs)
	case s.wide:
		return sortLanes(s, loadWide, storeWide)
	case k.Indexes && s.keyed.Wide():
		return sortLanes(s, loadPairs, storePairs)
	case k.Indexes:
		return sortLanes(s, loadPacked, storePacked)
	case s.keyed.Wide():
		return sortLanes(s, loadKeys[uint64], storeKeys[uint64])
	default:
		return sortLanes(s, loadKeys[uint32], storeKeys[uint32])
	}
}

// A sorter is one run of a Sorting: count lanes of length elements each.
type sorter struct {
	*Sorting
	run           *bulk.Run
	keyed         Coding
	wide          bool // elements are complex128, which have keys of 128 bits and no Coding
	x             *pieces.Operand
	into          *view.Tensor // lanes one after the other
	out           *view.Writer
	count, length int
}

// sortLanes sorts all lanes.
func sortLanes[E Item](s *sorter, load loader[E], store storer[E]) error {
	if s.length <= maxSortLane {
		return shortLanes(s, load, store)
	}
	if s.isTop(s.x.DType, s.length, s.run.Room) {
		return s.topLanes()
	}
	if ItemBytes[E]() == 8 && s.Indexes && s.length > 1<<32 {
		return fmt.Errorf("lanes of %d elements: expected %d at most", s.length, 1<<32)
	}
	for lane := range s.count {
		if err := longLane(s, lane, load, store); err != nil {
			return err
		}
	}
	return nil
}
