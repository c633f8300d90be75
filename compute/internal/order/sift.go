package order

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// errTooMany ends a sifting that keeps more keys than it may.
var errTooMany = errors.New("too many elements between two bounds")

// siftElems is the number of elements that all brackets look at while they are in the first cache
// or the second.
const siftElems = 8 << 10

// A sifting counts the elements of a lane beside the bounds of brackets, and keeps the keys of
// those between. It is an exec.Job.
type sifting[K Key] struct {
	lane     Lane
	brackets []bracket[K]
	bounds   []kernel.SieveBounds
	sieve    kernel.Sieve
	kept     atomic.Int64
	workers  []*sifter[K]
}

func newSifting[K Key](l Lane, brackets []bracket[K]) *sifting[K] {
	s := &sifting[K]{lane: l, brackets: brackets}
	var offset uint64
	s.sieve, offset = l.Coding.sieve()
	top := ^(^K(0) >> 1)
	for _, b := range brackets {
		s.bounds = append(s.bounds, kernel.SieveBounds{
			Offset: offset, Low: uint64(b.low ^ top), High: uint64(b.high ^ top), Last: uint64(K(l.Coding.last()) ^ top),
		})
	}
	return s
}

// NumChunks implements exec.Job.
func (s *sifting[K]) NumChunks() int { return s.lane.chunks() }

// NewWorker implements exec.Job.
func (s *sifting[K]) NewWorker() exec.Worker {
	w := &sifter[K]{
		sifting: s, reader: s.lane.reader(), index: make([]uint32, siftElems+kernel.SieveRoom), elems: make([]uint64, siftElems),
		counts: make([]kernel.SieveCounts, len(s.brackets)), kept: make([][]K, len(s.brackets)),
	}
	s.workers = append(s.workers, w)
	return w
}

// A sifter is the part of a sifting that one goroutine does.
type sifter[K Key] struct {
	*sifting[K]
	*reader
	index  []uint32
	elems  []uint64 // room for elements that are kept
	counts []kernel.SieveCounts
	kept   [][]K
}

// Run implements exec.Worker.
func (w *sifter[K]) Run(chunk int) error {
	b, c, err := w.sieved(chunk)
	if err != nil {
		return err
	}

	size, now := c.dtype.Size(), 0
	for len(b) > 0 {
		n := min(len(b)/size, siftElems)
		for i := range w.bounds {
			kept := w.sieve.Run(w.index, unsafe.Pointer(unsafe.SliceData(b)), n, &w.bounds[i], &w.counts[i])
			w.kept[i] = append(w.kept[i], make([]K, kept)...)
			Encode(c, w.kept[i][len(w.kept[i])-kept:], w.pick(b, size, w.index[:kept]))
			now += kept
		}
		b = b[n*size:]
	}

	// Give up as soon as all workers together keep too many.
	if w.sifting.kept.Add(int64(now)) > int64(w.sifting.lane.maxKept()) {
		return errTooMany
	}
	return nil
}

// sieved returns the elements of a chunk as a sieve takes them, and their coding.
func (r *reader) sieved(chunk int) (b []byte, c Coding, err error) {
	if c = r.lane.Coding; c.dtype != dtype.Complex64 {
		b, err = r.fetch(chunk)
		return b, c, err
	}
	keys, err := r.read(chunk)
	return bytesOf(keys), plain[uint64](), err
}

// pick returns the elements of some indexes.
func (w *sifter[K]) pick(b []byte, size int, index []uint32) []byte {
	if size == 4 {
		return pick(words[uint32](bytesOf(w.elems)), words[uint32](b), index)
	}
	return pick(w.elems, words[uint64](b), index)
}

func pick[R raw](to, from []R, index []uint32) []byte {
	to = to[:len(index)]
	for i, at := range index {
		to[i] = from[at]
	}
	return bytesOf(to)
}

// sections returns the sections of the sorted elements that are known, and how many elements are
// NaN.
func (s *sifting[K]) sections() (sections []section[K], nan int) {
	for i, b := range s.brackets {
		var c kernel.SieveCounts
		var kept [][]K
		inside := 0
		for _, w := range s.workers {
			c.Add(w.counts[i])
			kept = append(kept, w.kept[i])
			inside += len(w.kept[i])
		}

		nan = c.AboveLast
		n := s.lane.N
		sections = append(sections,
			section[K]{first: c.BelowLow, n: n - c.BelowLow - c.AboveLow, key: b.low},
			section[K]{first: n - c.AboveLow, n: inside, kept: kept},
			section[K]{first: c.BelowHigh, n: n - c.BelowHigh - c.AboveHigh, key: b.high})
	}
	return sections, nan
}

// sieve returns the sieve of elements of a coding, and its offset.
func (c Coding) sieve() (s kernel.Sieve, offset uint64) {
	switch c.dtype.Kind() {
	case dtype.KindFloat:
		return kernel.SieveOf(c.dtype.Size(), true), c.offset
	case dtype.KindInt:
		return kernel.SieveOf(c.dtype.Size(), false), 0
	}
	return kernel.SieveOf(c.dtype.Size(), false), 1 << (8*c.dtype.Size() - 1)
}

// last returns the highest key of an element that is no NaN.
func (c Coding) last() uint64 {
	if c.hasNaN() {
		return c.nan - 1
	}
	return ^uint64(0)
}

// plain returns the coding of keys as elements.
func plain[K Key]() Coding {
	c, _ := CodingOf(dtype.Of[K]())
	return c
}

// laneOf returns keys as a lane.
func laneOf[K Key](keys []K) Lane {
	return Lane{Source: held[K](keys), Coding: plain[K](), N: len(keys), MaxKept: len(keys) / 2}
}

// held is keys in memory. It is a Source.
type held[K Key] []K

// Buffer implements Source.
func (held[K]) Buffer(int) []byte { return nil }

// Fetch implements Source.
func (s held[K]) Fetch(_ []byte, first, n int) ([]byte, error) {
	return bytesOf(s[first : first+n]), nil
}

// bytesOf is x seen as bytes.
func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}
