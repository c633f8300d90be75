package order

import (
	"slices"
	"sync"

	"github.com/tstore/tstore/compute/internal/exec"
)

// A Source is packed elements of one type that goroutines read in pieces.
type Source interface {
	// Buffer returns memory for Fetch of n elements, if it needs any.
	Buffer(n int) []byte
	// Fetch returns n elements from number first on, aligned: in buf, or in other memory that is
	// read under guard only.
	Fetch(buf []byte, first, n int) ([]byte, error)
}

// A Lane is the elements of a source among which ranks are found.
type Lane struct {
	Source   Source
	Coding   Coding
	First, N int  // elements
	MaxKept  int  // keys that may be kept in memory at once; 0 for a million
	InOrder  bool // chunks can only be read from the first on, so that nothing is sampled
}

// A Runner runs a job. Its chunks are of ChunkElems elements of a lane if reads is set.
type Runner func(j exec.Job, reads bool) error

// ChunkElems is the number of elements that a worker reads at a time.
const ChunkElems = 1 << 16

const (
	digitBits = 16      // that are counted in one pass
	someKept  = 1 << 20 // keys that are kept instead of being counted once more, if the lane does not say how many may
	maxSlots  = 32      // leading parts of keys whose next digits are counted in one pass
)

// Select returns the keys at some positions of the sorted elements of a lane. at returns the
// positions, in ascending order, for a number of NaNs, which come last. Select first calls at with
// estimates of that number, and then with the number itself. If at returns no positions for some
// number of NaNs, it returns none for a higher one.
//
// The elements are read once if a sample of them shows about where the positions are. Otherwise
// digits of keys are counted: in one pass for up to 16 bits of keys, usually in two for more, and
// in the worst case in one pass for each 16 bits.
func Select(l Lane, at func(numNaN int) []int, run Runner) (keys []uint64, err error) {
	if l.Coding.Bits() > digitBits && l.N >= minSampled && !l.InOrder {
		sampled := bySample[uint32]
		if l.Coding.Wide() {
			sampled = bySample[uint64]
		}
		if keys, ok, err := sampled(l, at, run); ok || err != nil {
			return keys, err
		}
	}
	return byDigits(l, at, run)
}

// byDigits is Select by counting digits.
func byDigits(l Lane, at func(numNaN int) []int, run Runner) (keys []uint64, err error) {
	bits := l.Coding.Bits()
	first := &counting{lane: l, shift: uint(max(0, bits-digitBits))}
	if err := run(first, true); err != nil {
		return nil, err
	}
	counts, nan := first.total(1)
	positions := at(nan)
	s := &search{lane: l, run: run, keys: make([]uint64, len(positions))}
	open, err := s.descend(counts, 0, first.shift, positions, 0)
	for err == nil && len(open) > 0 {
		open, err = s.refine(open)
	}
	return s.keys, err
}

// A search is a Select behind its first pass.
type search struct {
	lane Lane
	run  Runner
	keys []uint64
}

// An opening is positions whose keys begin alike.
type opening struct {
	prefix    uint64 // the bits of the keys from shift on
	shift     uint
	positions []int // among the keys that begin so
	result    int   // which of the keys that are looked for the first one is
	count     int   // of keys that begin so
}

// descend adds the next digit to the prefix of each position, by the counts of the keys with that
// prefix. A position is done once its whole key is known. descend returns the others.
func (s *search) descend(counts []uint64, prefix uint64, shift uint, positions []int, result int) (open []*opening, err error) {
	sum, digit := 0, 0

	for i, p := range positions {
		for digit < len(counts) && sum+int(counts[digit]) <= p {
			sum += int(counts[digit])
			digit++
		}
		if digit == len(counts) {
			return nil, errChanged
		}

		key := prefix<<digitBits | uint64(digit)
		if shift == 0 {
			s.keys[result+i] = key
			continue
		}

		if len(open) == 0 || open[len(open)-1].prefix != key {
			open = append(open, &opening{prefix: key, shift: shift, result: result + i, count: int(counts[digit])})
		}
		last := open[len(open)-1]
		last.positions = append(last.positions, p-sum)
	}

	return open, nil
}

// refine looks at the elements once more. Openings are all of one shift.
func (s *search) refine(open []*opening) (next []*opening, err error) {
	// Openings whose elements fit in memory together are collected. If these are all that one pass
	// could count, there is no counting to do.
	total, kept := 0, 0
	for ; kept < len(open) && total+open[kept].count <= s.lane.maxKept(); kept++ {
		total += open[kept].count
	}
	few := min(len(open), maxSlots)
	if kept >= few {
		return open[kept:], s.collect(open[:kept])
	}

	now, later := open[:few], open[few:]
	shift := now[0].shift
	c := &counting{lane: s.lane, shift: shift - digitBits, open: now}
	if err := s.run(c, true); err != nil {
		return nil, err
	}

	counts, _ := c.total(len(now))
	for i, o := range now {
		found, err := s.descend(counts[i<<digitBits:(i+1)<<digitBits], o.prefix, c.shift, o.positions, o.result)
		if err != nil {
			return nil, err
		}
		next = append(next, found...)
	}

	for len(next) > 0 && len(later) > 0 { // one shift at a time
		if next, err = s.refine(next); err != nil {
			return nil, err
		}
	}
	return append(next, later...), nil
}

// collect gathers the keys of openings and chooses among them.
func (s *search) collect(open []*opening) error {
	g := &gathering{lane: s.lane, open: open, found: make([][]uint64, len(open))}
	if err := s.run(g, true); err != nil {
		return err
	}
	for i, o := range open {
		if len(g.found[i]) <= o.positions[len(o.positions)-1] {
			return errChanged
		}
		Choose(g.found[i], o.positions)
		for k, p := range o.positions {
			s.keys[o.result+k] = g.found[i][p]
		}
	}
	return nil
}

// A gathering collects the keys of openings. It is an exec.Job.
type gathering struct {
	lane  Lane
	open  []*opening
	mu    sync.Mutex
	found [][]uint64
}

// NumChunks implements exec.Job.
func (g *gathering) NumChunks() int { return g.lane.chunks() }

// NewWorker implements exec.Job.
func (g *gathering) NewWorker() exec.Worker {
	return &gatherer{gathering: g, reader: g.lane.reader(), slots: slotsOf(g.open, g.lane.Coding.Bits())}
}

type gatherer struct {
	*gathering
	*reader
	slots *slots
	kept  []uint64
}

// Run implements exec.Worker.
func (w *gatherer) Run(chunk int) error {
	keys, err := w.read(chunk)
	if err != nil {
		return err
	}

	w.kept = w.kept[:0]
	for _, k := range keys {
		if w.slots.first[k>>w.slots.top&(1<<digitBits-1)] {
			w.kept = append(w.kept, k)
		}
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.kept {
		if i, ok := w.slots.find(k); ok {
			w.found[i] = append(w.found[i], k)
		}
	}
	return nil
}

// slots tell which opening a key belongs to.
type slots struct {
	first    [1 << digitBits]bool // whether a key whose leading bits these are may belong to one
	top      uint
	shift    uint
	prefixes []uint64
}

func slotsOf(open []*opening, bits int) *slots {
	s := &slots{top: uint(bits - digitBits), shift: open[0].shift}
	for _, o := range open {
		s.prefixes = append(s.prefixes, o.prefix)
		s.first[o.prefix<<s.shift>>s.top] = true
	}
	return s
}

func (s *slots) find(key uint64) (i int, ok bool) {
	return slices.BinarySearch(s.prefixes, key>>s.shift)
}

// maxKept returns the number of keys that may be kept in memory.
func (l Lane) maxKept() int {
	if l.MaxKept > 0 {
		return l.MaxKept
	}
	return someKept
}

func (l Lane) chunks() int { return (l.N + ChunkElems - 1) / ChunkElems }

// A reader reads the keys of a lane.
type reader struct {
	lane Lane
	buf  []byte
	keys []uint64
}

func (l Lane) reader() *reader {
	return &reader{lane: l, buf: l.Source.Buffer(ChunkElems), keys: make([]uint64, min(l.N, ChunkElems))}
}

func (r *reader) read(chunk int) ([]uint64, error) {
	b, err := r.fetch(chunk)
	if err != nil {
		return nil, err
	}
	keys := r.keys[:len(b)/r.lane.Coding.dtype.Size()]
	Encode(r.lane.Coding, keys, b)
	return keys, nil
}

func (r *reader) fetch(chunk int) ([]byte, error) {
	first := chunk * ChunkElems
	return r.lane.Source.Fetch(r.buf, r.lane.First+first, min(ChunkElems, r.lane.N-first))
}
