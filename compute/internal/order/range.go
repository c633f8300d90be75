package order

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// inRange returns the elements of a lane that have some keys, in the order that they are in;
// errTooMany if there are more than limit.
func (t Top) inRange(l Lane, r keyRange, limit int, reads bool) ([]Pair, error) {
	if r.low > r.high {
		return nil, nil
	}
	g := &ranging{lane: l, keys: r, limit: limit, equal: t.Indexes, found: make([][]Pair, l.chunks())}
	g.sieveCoding = l.Coding
	if l.Coding.dtype.Size() < 4 || l.Coding.dtype == dtype.Complex64 {
		g.sieveCoding = plain[uint64]()
	}
	g.sieve, g.bounds, g.all = g.sieveCoding.within(r)
	if err := t.Run(g, reads); err != nil {
		return nil, err
	}
	return slices.Concat(g.found...), nil
}

// within returns the sieve that keeps the keys of a range. If there is none, all is set: hardly a
// key is beside it.
func (c Coding) within(r keyRange) (s kernel.Sieve, b kernel.SieveBounds, all bool) {
	s, offset := c.sieve()
	// The lowest key is turned to the one behind the lowest signed integer, as far as both wrap
	// around.
	top := (c.highest() >> 1) + 1
	b = kernel.SieveBounds{Offset: offset + r.low - 1, Low: top, High: top + (r.high - r.low) + 2, Last: top - 1}
	return s, b, r.high-r.low > c.highest()-2
}

// A ranging gathers the elements of a lane that have some keys. It is an exec.Job.
type ranging struct {
	lane        Lane
	keys        keyRange
	sieveCoding Coding // of what is sieved: elements, or their keys
	sieve       kernel.Sieve
	bounds      kernel.SieveBounds
	all         bool // nothing is sieved
	limit       int
	equal       bool
	kept        atomic.Int64
	found       [][]Pair // of each chunk
}

// NumChunks implements exec.Job.
func (r *ranging) NumChunks() int { return r.lane.chunks() }

// NewWorker implements exec.Job.
func (r *ranging) NewWorker() exec.Worker {
	return &ranger{ranging: r, reader: r.lane.reader(), index: make([]uint32, ChunkElems+kernel.SieveRoom)}
}

type ranger struct {
	*ranging
	*reader
	index []uint32
	elems []uint64 // room for elements that are found
}

// Run implements exec.Worker.
func (w *ranger) Run(chunk int) error {
	b, err := w.fetch(chunk)
	if err != nil {
		return err
	}
	index := w.sift(b)
	if len(index) == 0 {
		return nil
	}
	if w.kept.Add(int64(len(index))) > int64(w.limit) {
		return errTooMany
	}
	w.found[chunk] = w.pairs(b, index, chunk*ChunkElems)
	return nil
}

// sift returns the indexes of the elements of a chunk that have the keys.
func (w *ranger) sift(b []byte) []uint32 {
	coding := w.ranging.lane.Coding
	n := len(b) / coding.dtype.Size()
	// The sieve reads elements of its own coding in place. Others are encoded first.
	from := b
	if w.all || w.sieveCoding != coding {
		Encode(coding, w.reader.keys[:n], b)
		from = bytesOf(w.reader.keys[:n])
	}

	if !w.all {
		var counts kernel.SieveCounts
		return w.index[:w.sieve.Run(w.index, unsafe.Pointer(unsafe.SliceData(from)), n, &w.bounds, &counts)]
	}

	index := w.index[:0]
	for i, k := range w.reader.keys[:n] {
		if k >= w.ranging.keys.low && k <= w.ranging.keys.high {
			index = append(index, uint32(i))
		}
	}
	return index
}

// pairs returns the pairs of the elements of some indexes of a chunk.
func (w *ranger) pairs(b []byte, index []uint32, first int) []Pair {
	coding := w.ranging.lane.Coding
	size := coding.dtype.Size()
	if len(w.elems) < len(index) {
		w.elems = make([]uint64, len(index))
	}

	elems, keys := bytesOf(w.elems), make([]uint64, len(index))
	for i, at := range index {
		copy(elems[i*size:(i+1)*size], b[int(at)*size:])
	}

	if w.equal {
		EncodeEqual(coding, keys, elems[:len(index)*size])
	} else {
		Encode(coding, keys, elems[:len(index)*size])
	}

	pairs := make([]Pair, len(index))
	for i, key := range keys {
		pairs[i] = Pair{key, uint64(first + int(index[i]))}
	}
	return pairs
}
