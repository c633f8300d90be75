package order

import (
	"errors"
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/dtype"
)

// errChanged is the error of elements that are others than when they were counted.
var errChanged = errors.New("elements have changed while they were read")

// A counting counts how often each digit of keys occurs: of all, or of those that begin as openings
// do. It is an exec.Job.
type counting struct {
	lane    Lane
	shift   uint
	open    []*opening // nil for all keys
	workers []*counter
}

// NumChunks implements exec.Job.
func (c *counting) NumChunks() int { return c.lane.chunks() }

// NewWorker implements exec.Job.
func (c *counting) NewWorker() exec.Worker {
	w := &counter{counting: c, reader: c.lane.reader(), counts: make([]uint32, max(1, len(c.open))<<digitBits)}
	if c.open != nil {
		w.slots = slotsOf(c.open, c.lane.Coding.Bits())
	}
	c.workers = append(c.workers, w)
	return w
}

// total adds up the counts of n tables of the workers, and the NaNs they have met.
func (c *counting) total(n int) (counts []uint64, nan int) {
	counts = make([]uint64, n<<digitBits)
	for _, w := range c.workers {
		w.flush()
		for i, v := range w.sums {
			counts[i] += v
		}
		nan += w.nan
	}
	return counts, nan
}

// A counter is the part of a counting that one goroutine does.
type counter struct {
	*counting
	*reader
	slots  *slots
	counts []uint32
	sums   []uint64
	left   int // elements until counts may overflow
	nan    int
}

// Run implements exec.Worker.
func (w *counter) Run(chunk int) error {
	// The counts have 32 bits: add them to the totals before they can overflow.
	if w.left < ChunkElems {
		w.flush()
	}
	w.left -= ChunkElems

	if w.slots != nil {
		return w.countSome(chunk)
	}

	b, err := w.fetch(chunk)
	if err != nil {
		return err
	}

	c, counts := w.counting.lane.Coding, (*[1 << digitBits]uint32)(w.counts)
	switch {
	case c.dtype == dtype.Complex64 || c.dtype == dtype.Bool:
		keys := w.keys[:len(b)/c.dtype.Size()]
		Encode(c, keys, b)
		for _, k := range keys {
			counts[k>>w.shift&(1<<digitBits-1)]++
			if c.IsNaN(k) {
				w.nan++
			}
		}
	case c.dtype.Size() == 1:
		w.nan += count(c, counts, words[uint8](b), w.shift)
	case c.dtype.Size() == 2:
		w.nan += count(c, counts, words[uint16](b), w.shift)
	case c.dtype.Size() == 4:
		w.nan += count(c, counts, words[uint32](b), w.shift)
	default:
		w.nan += count(c, counts, words[uint64](b), w.shift)
	}

	return nil
}

// flush moves the counts to the sums.
func (w *counter) flush() {
	if w.sums == nil {
		w.sums = make([]uint64, len(w.counts))
	}
	for i, n := range w.counts {
		w.sums[i] += uint64(n)
	}
	clear(w.counts)
	w.left = math.MaxUint32
}

// count counts the digits of all elements, and returns how many are NaN.
func count[R raw](c Coding, counts *[1 << digitBits]uint32, elems []R, shift uint) (nan int) {
	top, flip, sign, offset := 8*unsafe.Sizeof(*new(R))-1, R(c.flip), R(c.sign), R(c.offset)
	last := R(c.nan - 1)
	if !c.hasNaN() {
		last = ^R(0)
	}
	for _, r := range elems {
		k := (r ^ (-(r>>top)&flip | sign)) - offset
		counts[uint16(k>>shift)]++
		if k > last {
			nan++
		}
	}
	return nan
}

// countSome counts the digits of keys that begin as openings do.
func (w *counter) countSome(chunk int) error {
	keys, err := w.read(chunk)
	if err != nil {
		return err
	}
	s := w.slots
	for _, k := range keys {
		if !s.first[k>>s.top&(1<<digitBits-1)] {
			continue
		}
		if i, ok := s.find(k); ok {
			w.counts[i<<digitBits|int(k>>w.shift)&(1<<digitBits-1)]++
		}
	}
	return nil
}
