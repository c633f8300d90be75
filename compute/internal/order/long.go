package order

import (
	"math/bits"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
)

// A Long sorts the elements of one lane by all workers: in memory, or, if there are too many, as
// sorted runs in scratch space that are then merged. Elements that agree stay in their order.
type Long[E Item] struct {
	Lane Lane
	Low  uint // bits of items below it are no part of the key
	// Load makes items of packed elements. first is the index of the first one in the lane.
	Load func(items []E, elems []byte, first int)
	// NewEmit returns a function for one worker that takes the sorted items from position at on.
	// Positions come in any order.
	NewEmit func() func(at int, items []E) error
	// Run runs a job. Its chunks are of elements if reads is set.
	Run func(j exec.Job, reads bool) error
	// MaxItems is the most items that are sorted in memory at once, in room for as many, or twice
	// as many if their leading digits hardly differ.
	MaxItems int
	// Scratch makes room for the runs, one after the other.
	Scratch func(items int) ([]E, error)
	// Spilled is called when items of that room, from a number on, are a sorted run, which can be
	// written out; may be nil.
	Spilled func(first, n int) error
	// Soon is called, by several goroutines at once, with items of that room that will be read; may
	// be nil.
	Soon func(first, n int)
	// Merge runs the job that merges runs: chunk i emits the items from position i·items on, as
	// many or what is left. nil is Run.
	Merge func(j exec.Job, items int) error
}

const (
	partItems  = 1 << 19 // that a worker parts at a time
	giantItems = 1 << 20 // a part of more of them is sorted by all workers
)

// Sort sorts the lane.
func (l *Long[E]) Sort() error {
	if l.Lane.N <= l.MaxItems {
		return l.sort(l.lane(0, l.Lane.N), l.NewEmit)
	}
	runs, err := l.runs()
	if err != nil {
		return err
	}
	return l.merge(runs)
}

// items are the elements to be sorted. read returns those from number first on, for one worker,
// until its next call.
type items[E Item] struct {
	n     int
	read  func() func(first, n int) ([]E, error)
	reads bool // they are made of elements
}

// lane returns the elements from number start on as items.
func (l *Long[E]) lane(start, n int) items[E] {
	return items[E]{n: n, reads: true, read: func() func(first, n int) ([]E, error) {
		buf, room := l.Lane.Source.Buffer(ChunkElems), make([]E, min(n, ChunkElems))
		return func(first, n int) ([]E, error) {
			b, err := l.Lane.Source.Fetch(buf, l.Lane.First+start+first, n)
			if err != nil {
				return nil, err
			}
			l.Load(room[:n], b, start+first)
			return room[:n], nil
		}
	}}
}

// stored returns items that are in memory.
func stored[E Item](x []E) items[E] {
	return items[E]{n: len(x), read: func() func(first, n int) ([]E, error) {
		return func(first, n int) ([]E, error) { return x[first : first+n], nil }
	}}
}

// A job of parts: fn is called with the items of each chunk of a part, one after the other.
type parting[E Item] struct {
	items[E]
	part int // items
	fn   func(part int, items []E)
}

// NumChunks implements exec.Job.
func (p *parting[E]) NumChunks() int { return (p.n + p.part - 1) / p.part }

// NewWorker implements exec.Job.
func (p *parting[E]) NewWorker() exec.Worker { return &partWorker[E]{p, p.read()} }

type partWorker[E Item] struct {
	*parting[E]
	next func(first, n int) ([]E, error)
}

// Run implements exec.Worker.
func (w *partWorker[E]) Run(part int) error {
	first := part * w.part
	for end := min(first+w.part, w.n); first < end; first += ChunkElems {
		x, err := w.next(first, min(ChunkElems, end-first))
		if err != nil {
			return err
		}
		w.fn(part, x)
	}
	return nil
}

// sort sorts items into the functions that newEmit makes. It is a radix sort from the top: it
// distributes the items by their leading digit and then sorts each part.
func (l *Long[E]) sort(x items[E], newEmit func() func(at int, items []E) error) error {
	parts := (x.n + partItems - 1) / partItems
	each := func(fn func(part int, items []E)) error {
		return l.Run(&parting[E]{x, partItems, fn}, x.reads)
	}

	// Find the bits in which items differ. The leading digit starts at the highest of them.
	ors, ands := make([]uint64, parts), make([]uint64, parts)
	for i := range ands {
		ands[i] = ^uint64(0)
	}
	if err := each(func(part int, x []E) {
		or, and := bitsOf(x)
		ors[part] |= or
		ands[part] &= and
	}); err != nil {
		return err
	}

	or, and := uint64(0), ^uint64(0)
	for i := range ors {
		or, and = or|ors[i], and&ands[i]
	}
	high := max(l.Low, uint(bits.Len64(or&^and)))
	shift := max(l.Low, high-min(high, partBits))

	// Count the digits, and from the counts derive where the items of each worker and digit go.
	counts := make([][1 << partBits]uint32, parts)
	if err := each(func(part int, x []E) { countDigits(x, shift, &counts[part]) }); err != nil {
		return err
	}
	starts, ends := startsOf(counts)

	room := make([]E, x.n)
	if err := each(func(part int, x []E) { scatter(x, room, shift, &starts[part]) }); err != nil {
		return err
	}

	// The items are read twice. If they changed in between, the counts no longer hold.
	if !allMoved(counts, starts) {
		return errChanged
	}

	return l.sortParts(room, ends, newEmit)
}

// startsOf returns where the items of each part go, digit by digit, and where all items of a digit
// end.
func startsOf(counts [][1 << partBits]uint32) (starts [][1 << partBits]int, ends *[1 << partBits]int) {
	starts, ends = make([][1 << partBits]int, len(counts)), new([1 << partBits]int)
	sum := 0
	for d := range ends {
		for part := range counts {
			starts[part][d] = sum
			sum += int(counts[part][d])
		}
		ends[d] = sum
	}
	return starts, ends
}

// allMoved reports whether as many items have been moved of each part as were counted there.
func allMoved(counts [][1 << partBits]uint32, now [][1 << partBits]int) bool {
	sum := 0
	for d := range 1 << partBits {
		for part := range counts {
			if sum += int(counts[part][d]); now[part][d] != sum {
				return false
			}
		}
	}
	return true
}

func countDigits[E Item](x []E, shift uint, counts *[1 << partBits]uint32) {
	for i := range x {
		counts[word(&x[i])>>shift&(1<<partBits-1)]++
	}
}

// scatter moves items to the places of their digits. Places beyond room, which items that have
// changed may have, are left out.
func scatter[E Item](x, room []E, shift uint, at *[1 << partBits]int) {
	for i := range x {
		d := word(&x[i]) >> shift & (1<<partBits - 1)
		if p := at[d]; p < len(room) {
			room[p] = x[i]
		}
		at[d]++
	}
}

// sortParts sorts the parts, which end where last says. One worker sorts each part, but all workers
// share a giant one.
func (l *Long[E]) sortParts(x []E, last *[1 << partBits]int, newEmit func() func(at int, items []E) error) error {
	part := func(d int) (lo, hi int) {
		if d > 0 {
			lo = last[d-1]
		}
		return lo, last[d]
	}

	// Small parts first, all side by side.
	err := l.Run(exec.Chunks(len(last), func() func(d int) error {
		emit := newEmit()
		var room []E
		return func(d int) error {
			lo, hi := part(d)
			if hi == lo || hi-lo > giantItems {
				return nil
			}
			if hi-lo > len(room) {
				room = make([]E, hi-lo)
			}
			Sort(x[lo:hi], room[:hi-lo], l.Low, false)
			return emit(lo, x[lo:hi])
		}
	}), false)
	if err != nil {
		return err
	}

	// Then the giants, one after the other.
	for d := range last {
		lo, hi := part(d)
		if hi-lo <= giantItems {
			continue
		}

		// sort counts a giant's positions from 0: move them to its place.
		moved := func() func(at int, items []E) error {
			emit := newEmit()
			return func(at int, items []E) error { return emit(lo+at, items) }
		}
		if err := l.sortGiant(x[lo:hi], moved); err != nil {
			return err
		}
	}
	return nil
}

// sortGiant sorts items with the same leading digit.
func (l *Long[E]) sortGiant(x []E, newEmit func() func(at int, items []E) error) error {
	if spread(x)>>l.Low != 0 {
		return l.sort(stored(x), newEmit)
	}

	// The keys are equal from Low on: the low words decide.
	if isWide[E]() && !sameLow(x) {
		swapWords(x)
		return l.sort(stored(x), func() func(at int, items []E) error {
			emit := newEmit()
			return func(at int, items []E) error {
				swapWords(items)
				return emit(at, items)
			}
		})
	}

	// All items are equal, and so in order already.
	return l.Run(exec.Chunks((len(x)+partItems-1)/partItems, func() func(part int) error {
		emit := newEmit()
		return func(part int) error {
			return emit(part*partItems, x[part*partItems:min(len(x), (part+1)*partItems)])
		}
	}), false)
}

// bitsOf returns the bits that any and all items have.
func bitsOf[E Item](x []E) (or, and uint64) {
	and = ^uint64(0)
	for i := range x {
		w := word(&x[i])
		or |= w
		and &= w
	}
	return or, and
}

// ItemBytes returns the size of an item.
func ItemBytes[E Item]() int { return int(unsafe.Sizeof(*new(E))) }
