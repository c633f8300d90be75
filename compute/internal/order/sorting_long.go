package order

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
)

// longLane sorts one lane by all workers.
func longLane[E Item](s *sorter, lane int, load loader[E], store storer[E]) (err error) {
	room := &scratch{pass: s.run.Pass}
	defer func() { err = errors.Join(err, room.release()) }()

	size := int64(ItemBytes[E]())
	l := Long[E]{
		Lane:     Lane{Source: s.x, Coding: s.keyed, First: lane * s.length, N: s.length},
		Low:      low[E](s),
		Load:     func(items []E, elems []byte, first int) { load(s, items, elems, first) },
		MaxItems: maxItems(s.run.Room, int(size)),
		NewEmit:  func() func(at int, items []E) error { return newEmitter(s, lane, store) },

		// Runs of items that do not fit in memory go to scratch space, in the order of their
		// numbers.
		Scratch: func(items int) ([]E, error) {
			b, err := room.make(int64(items) * size)
			if err != nil || len(b) == 0 {
				return nil, err
			}
			return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), items), nil
		},
		Spilled: func(first, n int) error { return room.spill(int64(first)*size, int64(n)*size) },
		Soon:    func(first, n int) { room.soon(int64(first)*size, int64(n)*size) },

		// All jobs read the lane or the runs; the last one stores the result from its first element
		// to the last.
		Run: func(j exec.Job, reads bool) error {
			touched := &bulk.Touched{Storages: slices.Clone(room.storages)}
			touched.Reads(s.x, nil)
			return s.exec(j, touched)
		},
		Merge: func(j exec.Job, items int) error {
			touched := &bulk.Touched{Storages: slices.Clone(room.storages), Bytes: s.x.Tensor.NumBytes()}
			extent := func(chunk int) (first, n int) {
				first = min(chunk*items, s.First)
				return lane*s.First + first, min(items, s.First-first)
			}
			if !s.into.Layout().IsContiguous() {
				extent = nil
			}
			touched.Writes(s.into, extent)
			return s.exec(j, touched)
		},
	}

	return l.Sort()
}

// newEmitter returns a function for one worker that stores sorted items from a position of a lane
// on, as far as they are wanted.
func newEmitter[E Item](s *sorter, lane int, store storer[E]) func(at int, items []E) error {
	size := s.run.Dst.DType().Size()
	out := pieces.AlignedBytes(ChunkElems * size)
	return func(at int, items []E) error {
		items = items[:min(len(items), max(0, s.First-at))]
		for ; len(items) > 0; at += ChunkElems {
			n := min(len(items), ChunkElems)
			store(s, out[:n*size], items[:n])
			if _, err := s.out.WriteAt(out[:n*size], int64(lane*s.First+at)*int64(size)); err != nil {
				return err
			}
			items = items[n:]
		}
		return nil
	}
}

// exec runs one of several jobs.
func (s *sorter) exec(j exec.Job, touched *bulk.Touched) error {
	s.run.Pass.Begin()
	return s.run.Pass.Exec(j, touched)
}
