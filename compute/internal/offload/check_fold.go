package offload

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// checkElems is how many elements of a box the CPU computes at once.
const checkElems = 1024

// A foldChecker folds boxes on the CPU as well, and compares their accumulators with those of the
// device.
type foldChecker struct {
	*folder
	scalars [][]byte
	folds   []checkedFold
	inputs  [][]byte // some elements of each, which are read once: staging memory is slow to read
}

// A checkedFold is a fold of the program on the CPU.
type checkedFold struct {
	op         kernel.FoldOp
	value      int
	elem       dtype.Type // of the value, or of its parts
	parts      int
	acc        dtype.Type // of the accumulators
	sums, lost []byte     // of a box
}

// newFoldChecker returns the checker of a folder; nil if nothing is checked, as where the CPU can't
// read what is folded on the device.
func newFoldChecker(f *folder) *foldChecker {
	if f.reduction.offload.CheckShare <= 0 || f.reduction.folding.Lying != nil {
		return nil
	}
	c := &foldChecker{folder: f}
	p := f.reduction.folding.Program
	for _, s := range f.reduction.folding.Constants {
		b := aligned(s.Type().Size())
		s.Store(b)
		c.scalars = append(c.scalars, b)
	}
	for _, t := range p.Inputs {
		c.inputs = append(c.inputs, aligned(checkElems*t.Size()))
	}
	for _, fold := range p.Folds {
		t := p.TypeOf(fold.Value)
		c.folds = append(c.folds, checkedFold{op: fold.Op, value: fold.Value, elem: t.Part(), parts: t.Size() / t.Part().Size(), acc: fold.Op.Accumulator(t)})
	}
	return c
}

// check compares boxes that the device has folded, those of the share. c may be nil.
func (c *foldChecker) check() error {
	if c == nil {
		return nil
	}
	for b := range c.work.Boxes {
		if !c.reduction.offload.draws() {
			continue
		}
		if err := c.box(b); err != nil {
			return err
		}
	}
	return nil
}

// box folds the segments of a box, from the accumulators on that the device began with.
func (c *foldChecker) box(b int) error {
	box := &c.work.Boxes[b]
	for k := range c.folds {
		f := &c.folds[k]
		size := c.reduction.folding.Folds[k]
		first, lanes := c.lanes(b, k)
		sums, lost := c.Before(k)
		f.sums, f.lost = aligned(lanes*size.Sum), aligned(lanes*size.Lost)
		copy(f.sums, sums[first*size.Sum:])
		copy(f.lost, lost[first*size.Lost:])
	}

	for _, s := range box.Segments {
		for first := s.First; first < s.End; first += checkElems {
			if err := c.reduction.ctx.Err(); err != nil {
				return err
			}
			c.take(b, s, first, min(checkElems, s.End-first))
		}
	}

	for k := range c.folds {
		if err := c.compare(b, k); err != nil {
			return err
		}
	}
	return nil
}

// lanes returns the lanes of a box for a fold, and the number of the first of them.
func (c *foldChecker) lanes(b, fold int) (first, lanes int) {
	if box := &c.work.Boxes[b]; c.reduction.folding.PerLane {
		return box.First, box.Lanes
	}
	lanes = c.reduction.folding.Folds[fold].Lanes
	return b * lanes, lanes
}

// take computes some elements of a segment, and folds them.
func (c *foldChecker) take(b int, s reduce.Segment, first, n int) {
	p := c.reduction.folding.Program
	inputs := make([][]byte, len(p.Inputs))
	for k, at := range c.reduction.inputs {
		inputs[k] = c.inputs[k][:n*at.size]
		copy(inputs[k], c.slot.up[at.stage+first*at.size:])
	}
	values := p.Values(inputs, c.scalars, n)
	for k := range c.folds {
		_, lanes := c.lanes(b, k)
		c.folds[k].take(values[c.folds[k].value], (first-s.First)%lanes, lanes, n)
	}
}

// take folds n elements, of which the first goes to some lane, and the others to those behind it, in
// turn.
func (f *checkedFold) take(values []byte, lane, lanes, n int) {
	elem, acc := f.parts*f.elem.Size(), f.parts*f.acc.Size()
	for at := 0; at < n; lane = 0 {
		rows, cols := 1, min(lanes-lane, n-at)
		if lane == 0 {
			rows = max(1, (n-at)/lanes)
		}
		var lost unsafe.Pointer
		if len(f.lost) > 0 {
			lost = unsafe.Pointer(&f.lost[lane*f.parts*8])
		}
		kernel.CallFold(kernel.LookupFold(f.op, f.elem), unsafe.Pointer(&f.sums[lane*acc]), lost,
			unsafe.Pointer(&values[at*elem]), lanes*elem, rows, cols*f.parts)
		at += rows * cols
	}
}

// compare compares the accumulators of a fold of a box.
func (c *foldChecker) compare(b, fold int) error {
	f, size := &c.folds[fold], c.reduction.folding.Folds[fold]
	first, _ := c.lanes(b, fold)
	sums, lost := c.After(fold)
	where := func(what string) func(i int) string {
		return func(i int) string {
			return fmt.Sprintf("%s %d of fold %d, in box %d of %d,", what, i+1, fold+1, b+1, len(c.work.Boxes))
		}
	}
	e := c.reduction.offload
	if err := e.compare(f.acc, sums[first*size.Sum:][:len(f.sums)], f.sums, where("accumulator")); err != nil {
		return err
	}
	return e.compare(dtype.Float64, lost[first*size.Lost:][:len(f.lost)], f.lost, where("what was lost by accumulator"))
}
