package offload

import (
	"encoding/binary"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/reduce"
)

// What the table of a ptx.FoldKernel has for each box, and each number of a table.
const (
	boxBytes  = 32
	wordBytes = 8
)

// A folder folds elements in a slot. It is a reduce.Folder.
type folder struct {
	reduction *Reduction
	slot      *slot
	work      *reduce.FoldWork
	words     []uint64 // of a segment
	checker   *foldChecker
}

// Input implements reduce.Folder.
func (f *folder) Input(k int) []byte {
	p := f.reduction.inputs[k]
	return f.slot.up[p.stage:][:f.reduction.room.Elems*p.size]
}

// Before implements reduce.Folder.
func (f *folder) Before(fold int) (sums, lost []byte) {
	p := f.reduction.sums[2*fold:]
	return f.slot.up[p[0].stage:], f.slot.up[p[1].stage:]
}

// After implements reduce.Folder.
func (f *folder) After(fold int) (sums, lost []byte) {
	p, first := f.reduction.sums[2*fold:], f.reduction.sums[0].stage
	return f.slot.down[p[0].stage-first:], f.slot.down[p[1].stage-first:]
}

// Fold implements reduce.Folder.
func (f *folder) Fold(w *reduce.FoldWork) error {
	f.work = w
	f.write()
	if err := f.slot.perform(f.reduction.ctx, f.upload, f.launch, f.download); err != nil {
		return &Failure{fmt.Sprintf("%d elements", w.Elems), err}
	}
	return f.checker.check()
}

// write fills the tables.
func (f *folder) write() {
	boxes, segments := f.slot.up[f.reduction.tables[0].stage:], f.slot.up[f.reduction.tables[1].stage:]
	at := 0
	for b, box := range f.work.Boxes {
		first := b
		if f.reduction.folding.PerLane {
			first = box.First
		}
		for k, n := range []int{at, at + len(box.Segments), first, box.Lanes} {
			binary.LittleEndian.PutUint64(boxes[b*boxBytes+k*wordBytes:], uint64(n))
		}
		for i := range box.Segments {
			f.writeSegment(segments[at*f.reduction.words*wordBytes:], &box.Segments[i])
			at++
		}
	}
}

// writeSegment writes what the table has of a segment.
func (f *folder) writeSegment(to []byte, s *reduce.Segment) {
	words := append(f.words[:0], uint64(s.First), uint64(s.End))
	if lying := f.reduction.folding.Lying; lying != nil {
		words = append(words, uint64(s.Cols), uint64(s.Row), uint64(s.Col))
		words = append(words, f.work.Addresses[s.At:][:len(lying.Inputs)]...)
	}
	for k, n := range words {
		binary.LittleEndian.PutUint64(to[k*wordBytes:], n)
	}
	f.words = words
}

// address returns where the slot has something on the device.
func (f *folder) address(p place) uint64 { return f.slot.memory + uint64(p.memory) }

// sumBytes returns how many bytes the boxes have at one of the places of accumulators.
func (f *folder) sumBytes(i int) int {
	lanes := f.work.Lanes
	if folding := f.reduction.folding; !folding.PerLane {
		lanes = len(f.work.Boxes) * folding.Folds[i/2].Lanes
	}
	return lanes * f.reduction.sums[i].size
}

// upload has all copied that is there.
func (f *folder) upload(q device.Queue) error {
	copied := func(p place, n int) error {
		if n == 0 {
			return nil
		}
		return q.Upload(f.address(p), f.slot.up[p.stage:][:n])
	}
	for _, p := range f.reduction.inputs { // of which those on the device have no size
		if err := copied(p, f.work.Elems*p.size); err != nil {
			return err
		}
	}
	for i, n := range []int{len(f.work.Boxes) * boxBytes, f.work.Segments * f.reduction.words * wordBytes} {
		if err := copied(f.reduction.tables[i], n); err != nil {
			return err
		}
	}
	for i, p := range f.reduction.sums {
		if err := copied(p, f.sumBytes(i)); err != nil {
			return err
		}
	}
	return nil
}

// launch runs the program. Its parameters are those of a ptx.FoldKernel.
func (f *folder) launch(q device.Queue) error {
	r := f.reduction
	var params []uint64
	for _, p := range r.inputs {
		params = append(params, f.address(p))
	}
	params = appendScalars(params, r.folding.Constants)
	for k, fold := range r.folding.Folds {
		params = append(params, f.address(r.sums[2*k]), f.address(r.sums[2*k+1]))
		if !r.folding.PerLane {
			params = append(params, uint64(fold.Lanes))
		}
	}
	params = append(params, f.address(r.tables[0]), f.address(r.tables[1]))
	params = append(params, coordinateParams(r.folding.Lying)...)

	most := 1
	for _, box := range f.work.Boxes {
		most = max(most, box.Lanes)
	}
	grid := [3]int{len(f.work.Boxes), (most + ptx.BlockThreads - 1) / ptx.BlockThreads, 1}
	return q.Launch(r.code.module, &device.Launch{Entry: ptx.Entry, Grid: grid, Block: [3]int{ptx.BlockThreads, 1, 1}, Params: params})
}

// download has the accumulators copied.
func (f *folder) download(q device.Queue) error {
	first := f.reduction.sums[0].stage
	for i, p := range f.reduction.sums {
		n := f.sumBytes(i)
		if n == 0 {
			continue
		}
		if err := q.Download(f.slot.down[p.stage-first:][:n], f.address(p)); err != nil {
			return err
		}
	}
	return nil
}

// Release implements reduce.Folder. The slot is then another worker's.
func (f *folder) Release() { f.reduction.dismiss(f.slot) }
