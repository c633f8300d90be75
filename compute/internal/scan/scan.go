package scan

import (
	"fmt"
	"sync/atomic"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// A Spec says what a Scan computes.
type Spec struct {
	Op      reduce.Op        // Sum or Prod
	Type    dtype.Type       // of the results
	Shape   []int            // of the elements and of the results
	Axis    int              // along which results run, not negative
	Program *machine.Program // whose output 0 is the elements
	Element dtype.Type       // the type of that output
	Inputs  []exec.Operand   // of the program
	Layouts []plan.Operand   // of the inputs, on the axes of Shape
	Stop    *atomic.Bool     // when set, what is not done is left out; may be nil
	Out     exec.Operand     // where the results go; it overlaps no input, or is the only one, element for element
	OutAt   plan.Operand     // its layout
}

const (
	// partBytes is the size of the parts of long lines, and of groups of short ones.
	partBytes = 4 << 20
	// columnBytes is the size of the parts of few columns side by side: larger, so that columns are
	// cut less often.
	columnBytes = 32 << 20
	// fewColumns is the number of columns up to which they are cut into parts, as long lines are.
	fewColumns = 256
	// maxColumns is the number of columns side by side at most.
	maxColumns = 8192
)

// A Scan computes running sums or products.
type Scan struct {
	spec   Spec
	nest   plan.Nest
	axis   int // of the nest: the one along which results run, -1 if it has one element
	col    int // of the nest: columns of blocks, along which lines run or lie side by side
	words  int // of an accumulator
	wide   dtype.Type
	in     kernel.Func // elements to accumulators
	out    kernel.Func // accumulators to results
	step   running
	length int // elements of a line
	part   int // elements of a part of a line
	parts  int
	others int // lines, or bundles of lines side by side
	group  int // of them in a chunk
	width  int // lines of a bundle
	tile   int // lines of a bundle that are gone through together
	tiles  int
	bands  *bands // of many columns side by side, otherwise nil

	// totals hold the total of each part, and after adding them up the start value of each part.
	// For each line there are words sums and as many rounding errors.
	totals []*carry
	added  bool // whether they are added up
}

// New returns the Scan of a Spec.
func New(spec Spec) (*Scan, error) {
	if spec.Op != reduce.Sum && spec.Op != reduce.Prod {
		return nil, fmt.Errorf("no running %v: only sum and prod", spec.Op)
	}
	s := &Scan{spec: spec, axis: -1}
	s.wide = accumulator(spec.Type)
	s.words = s.wide.Size() / 8
	s.in, s.out = kernel.Convert(spec.Element, s.wide), kernel.Convert(s.wide, spec.Type)
	s.step = runningOf(spec.Op, s.wide)
	marker := plan.Operand{Strides: make([]int, len(spec.Shape)), ElemSize: 1}
	marker.Strides[spec.Axis] = 1
	operands := append(append([]plan.Operand(nil), spec.Layouts...), spec.OutAt, marker)
	s.nest = plan.New(spec.Shape, operands, -1)
	s.cut()
	return s, nil
}

// accumulator returns the type that results are computed in.
func accumulator(t dtype.Type) dtype.Type {
	switch t.Kind() {
	case dtype.KindComplex:
		return dtype.Complex128
	case dtype.KindFloat:
		return dtype.Float64
	}
	return dtype.Int64 // also for unsigned ones, whose sums and products have the same bits
}

// cut chooses the chunks.
func (s *Scan) cut() {
	n := &s.nest

	s.col = len(n.Sizes) - 1
	// The last operand is a marker that has a stride along the scanned axis alone.
	for axis, stride := range n.Strides[len(n.Strides)-1] {
		if stride != 0 && n.Sizes[axis] != 1 {
			s.axis = axis
		}
	}

	s.length, s.width, s.others = 1, 1, n.NumElems()
	if s.axis >= 0 {
		s.length = n.Sizes[s.axis]
	}
	if s.axis != s.col {
		s.width = n.Sizes[s.col]
	}
	s.others /= max(1, s.length*s.width)

	size := max(s.spec.Element.Size(), s.spec.Type.Size())
	s.tile, s.part, s.group = 1, max(1, min(s.length, partBytes/size)), 1

	switch {
	case s.axis != s.col && s.length > 1 && s.width > fewColumns && s.length*s.width*size > bandBytes:
		s.cutBands(size)
		return
	case s.axis != s.col:
		s.tile = max(1, min(s.width, maxColumns))
		s.part = max(1, min(s.length, columnBytes/size/s.tile))
	}

	s.tiles = (s.width + s.tile - 1) / s.tile
	s.parts = (s.length + s.part - 1) / s.part
	if s.parts == 1 && s.tiles == 1 {
		s.group = max(1, partBytes/(size*max(1, s.length*s.width)))
	}

	if s.parts > 1 {
		s.totals = make([]*carry, s.parts)
		for i := range s.totals {
			s.totals[i] = newCarry(s.others * s.width * s.words)
		}
	}
}

// Jobs returns what has to run, one after another.
func (s *Scan) Jobs() []*Job {
	if s.nest.NumElems() == 0 {
		return nil
	}
	if s.parts == 1 || s.bands != nil {
		return []*Job{{scan: s, parts: s.parts, write: true}}
	}
	return []*Job{{scan: s, parts: s.parts - 1}, {scan: s, parts: s.parts, write: true}}
}

// addUp replaces the total of each part by the total of the parts before it, with which the part
// starts.
func (s *Scan) addUp() {
	before := newCarry(s.others * s.width * s.words)
	s.reset(before)
	for _, part := range s.totals {
		total := part.clone()
		copy(part.sum, before.sum)
		copy(part.lost, before.lost)
		s.continued(before, total)
	}
}

// A Job finds the totals of the first parts of a Scan, or writes the results of all.
type Job struct {
	scan  *Scan
	parts int
	write bool
}

// NumChunks implements exec.Job.
func (j *Job) NumChunks() int {
	s := j.scan
	return (s.others + s.group - 1) / s.group * j.parts * s.tiles
}

// Extent returns the bytes [lo, hi) that hold all elements of an operand in a chunk, counted from
// its Base: of an input, or, after these, of the results. There may be others between them.
func (j *Job) Extent(operand, chunk int) (lo, hi int) {
	s := j.scan
	tile, part, first := j.place(chunk)
	for line := first; line < min(first+s.group, s.others); line++ {
		from, to := s.extent(operand, line, part, tile*s.tile)
		if line == first || from < lo {
			lo = from
		}
		if line == first || to > hi {
			hi = to
		}
	}
	return lo, hi
}

// place returns the tile and the part that a chunk is, and its first line.
func (j *Job) place(chunk int) (tile, part, line int) {
	s := j.scan
	if s.bands != nil {
		n := j.parts * s.tiles
		tile, part = s.bands.place(chunk%n, j.parts, s.tiles)
		return tile, part, chunk / n
	}
	tile, chunk = chunk%s.tiles, chunk/s.tiles
	return tile, chunk % j.parts, chunk / j.parts * s.group
}

// extent returns the extent of a part of one line, or of lines side by side from column col on.
func (s *Scan) extent(operand, line, part, col int) (lo, hi int) {
	strides := s.nest.Strides[operand]
	lo = s.nest.Start[operand]
	hi = lo + s.nest.ElemSizes[operand]
	for axis := len(strides) - 1; axis >= 0; axis-- {
		first, n := line%s.nest.Sizes[axis], 1
		switch axis {
		case s.axis:
			first, n = part*s.part, min(s.part, s.length-part*s.part)
		case s.col:
			first, n = col, min(s.tile, s.width-col)
		default:
			line /= s.nest.Sizes[axis]
		}

		from, to := first*strides[axis], (first+n-1)*strides[axis]
		lo, hi = lo+min(from, to), hi+max(from, to)
	}

	return lo, hi
}

// Stop implements exec.Stopper.
func (j *Job) Stop() {
	if b := j.scan.bands; b != nil {
		b.stop()
	}
}

// NewWorker implements exec.Job. A worker allocates the registers of the program and two more, and
// what two words for each of at most 8,192 lines take.
func (j *Job) NewWorker() exec.Worker {
	if s := j.scan; j.write && s.totals != nil && !s.added {
		s.addUp()
		s.added = true
	}
	return newWorker(j)
}
