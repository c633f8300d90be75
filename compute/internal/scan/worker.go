package scan

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
)

// A worker goes through chunks: some lines, or some lines side by side, from the start of a part to
// its end.
type worker struct {
	*Job
	machine *machine.Worker
	block   int   // elements
	at      []int // byte offset of each operand
	carry   carry
	sums    *carry // memory for carry
	wide    []uint64
	results []byte
}

func newWorker(j *Job) *worker {
	s := j.scan
	w := &worker{Job: j, block: s.spec.Program.SmallBlockElems(), at: make([]int, len(s.spec.Inputs)+1)}
	inputs := make([]machine.Input, len(s.spec.Inputs))
	for k, in := range s.spec.Inputs {
		inputs[k] = machine.Input{Base: in.Base, Fill: in.Fill, Inner: s.nest.Strides[k][s.col], Outer: s.outer(k)}
	}
	w.machine = s.spec.Program.NewWorker(inputs, nil)
	w.wide = make([]uint64, w.block*s.words)
	w.results = make([]byte, w.block*s.spec.Type.Size())
	w.sums = newCarry(s.tile * s.words)
	return w
}

// outer returns the stride of operand k from row to row of a block: along lines side by side.
func (s *Scan) outer(k int) int {
	if s.axis < 0 || s.axis == s.col {
		return 0
	}
	return s.nest.Strides[k][s.axis]
}

// Run implements exec.Worker.
func (w *worker) Run(chunk int) error {
	s := w.scan
	tile, part, first := w.place(chunk)
	if s.bands != nil {
		w.band(first, part, tile)
		return nil
	}
	for line := first; line < min(first+s.group, s.others); line++ {
		w.lines(line, part, tile*s.tile)
	}
	return nil
}

// band goes through a part of the lines of a tile, after those before it.
func (w *worker) band(line, part, tile int) {
	s, b := w.scan, w.scan.bands
	if !b.wait(tile, line*s.parts+part) {
		return
	}

	cols := min(s.tile, s.width-tile*s.tile)
	if part == 0 {
		b.carries[tile] = newCarry(cols * s.words)
		s.reset(b.carries[tile])
	}

	w.carry = *b.carries[tile]
	w.locate(line, part, tile*s.tile)
	w.across(min(s.part, s.length-part*s.part), cols)

	if part == s.parts-1 {
		b.carries[tile] = nil
	}

	b.finish(tile)
}

// lines goes through a part of one line, or of the lines of a tile side by side.
func (w *worker) lines(line, part, col int) {
	s := w.scan

	cols := min(s.tile, s.width-col)
	w.locate(line, part, col)

	first := (line*s.width + col) * s.words
	n := cols * s.words
	w.carry = carry{w.sums.sum[:n], w.sums.lost[:n]}

	// The second job starts a part of a long line with the total of those before it. The first job
	// starts afresh and stores the total of the part.
	if w.write && s.parts > 1 {
		copy(w.carry.sum, s.totals[part].sum[first:])
		copy(w.carry.lost, s.totals[part].lost[first:])
	} else {
		s.reset(&w.carry)
	}

	length := min(s.part, s.length-part*s.part)
	if s.axis == s.col {
		w.along(length)
	} else {
		w.across(length, cols)
	}

	if !w.write {
		copy(s.totals[part].sum[first:], w.carry.sum)
		copy(s.totals[part].lost[first:], w.carry.lost)
	}
}

// locate sets the offsets of all operands.
func (w *worker) locate(line, part, col int) {
	s := w.scan
	for k := range w.at {
		w.at[k] = s.nest.Start[k]
	}
	for axis := len(s.nest.Sizes) - 1; axis >= 0; axis-- {
		switch {
		case axis == s.axis:
			w.move(axis, part*s.part)
		case axis == s.col:
			w.move(axis, col)
		default:
			w.move(axis, line%s.nest.Sizes[axis])
			line /= s.nest.Sizes[axis]
		}
	}
}

func (w *worker) move(axis, by int) {
	for k := range w.at {
		w.at[k] += by * w.scan.nest.Strides[k][axis]
	}
}

// stopped reports whether the rest can be left out.
func (w *worker) stopped() bool {
	stop := w.scan.spec.Stop
	return stop != nil && stop.Load()
}

// along goes through n elements of one line.
func (w *worker) along(n int) {
	for i := 0; i < n && !w.stopped(); i += w.block {
		m := min(w.block, n-i)
		w.advance(1, m, w.carry)
		w.move(w.scan.col, m)
	}
}

// across goes through n rows of lines side by side.
func (w *worker) across(n, cols int) {
	s := w.scan
	width := min(cols, w.block)
	rows := max(1, w.block/width)

	for row := 0; row < n && !w.stopped(); row += rows {
		m := min(rows, n-row)
		for col := 0; col < cols; col += width {
			k := min(width, cols-col)
			from, to := col*s.words, (col+k)*s.words
			w.advance(m, k, carry{w.carry.sum[from:to], w.carry.lost[from:to]})
			w.move(s.col, k)
		}

		w.move(s.col, -cols)
		// Step back to the first column, and down to the next rows.
		if s.axis >= 0 {
			w.move(s.axis, m)
		}
	}
}

// advance goes through one block, whose lines run along its only row or down its columns.
func (w *worker) advance(rows, cols int, c carry) {
	s := w.scan

	w.machine.Eval(w.at, rows, cols)
	ptr, scalar := w.machine.Out(0)

	n := rows * cols
	wide := w.wide[:n*s.words]
	converted := n
	if scalar {
		converted = 1
	}
	kernel.Call(s.in, unsafe.Pointer(&wide[0]), ptr, nil, nil, converted)

	// A scalar result stands for every element of the block.
	for i := s.words; scalar && i < len(wide); i++ {
		wide[i] = wide[i-s.words]
	}

	s.step(wide, &c)
	if !w.write {
		return
	}

	kernel.Call(s.out, unsafe.Pointer(&w.results[0]), unsafe.Pointer(&wide[0]), nil, nil, n)
	out, size := len(w.at)-1, s.spec.Type.Size()
	for row := range rows {
		dst := unsafe.Add(s.spec.Out.Base, w.at[out]+row*s.outer(out))
		kernel.Scatter(dst, unsafe.Pointer(&w.results[row*cols*size]), size, s.nest.Strides[out][s.col], cols)
	}
}
