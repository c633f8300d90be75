package offload

import (
	"context"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/reduce"
)

// residentFolds is how many elements a launch folds at most if all inputs are on the device.
const residentFolds = 32 << 20

// segmentElems is how many elements there are at least for each segment that a slot has room for.
const segmentElems = 64

// A Reduction is the job of a reduce.Engine whose elements a device folds. It must be closed.
type Reduction struct {
	*reduce.Engine
	ctx     context.Context
	offload *Engine
	code    *code
	folding *reduce.Folding
	words   int    // of the table of segments, for each
	staged  []bool // of the inputs of the program, those that go through staging memory
	piece   int    // elements, for which a slot has segments and accumulators at most
	room    reduce.FoldRoom
	inputs  []place // of the program
	sums    []place // of the accumulators of each fold, behind which are those of what they have lost
	tables  [2]place
	crew
}

// NewReduction returns the job of a reduce.Engine. It ends with ctx. NewReduction returns a
// *ptx.UnsupportedError if there is no code for it, and a *device.MemoryError if there is not enough
// memory.
func (e *Engine) NewReduction(ctx context.Context, job *reduce.Engine) (*Reduction, error) {
	folding, layouts, err := lowerFolds(job)
	if err != nil {
		return nil, err
	}
	r := &Reduction{Engine: job, ctx: ctx, offload: e, folding: folding, words: layouts.SegmentWords()}
	for k := range folding.Inputs {
		r.staged = append(r.staged, folding.Lying == nil || !slices.Contains(folding.Lying.Inputs, k))
	}
	if r.code, err = e.foldCode(folding, layouts); err != nil {
		return nil, err
	}

	// Each slot has room for a share of all elements.
	widest := 1
	for _, t := range folding.Program.Inputs {
		widest = max(widest, t.Size())
	}
	most := pieceBytes / widest
	if r.piece = most; !slices.Contains(r.staged, true) {
		most = residentFolds
	}
	least := max(folding.Least, leastBytes/widest)
	elems := exec.ChunkSize(folding.Elems, least, max(least, most), e.slots)
	slots := min(e.slots, max(job.NumChunks(), 1))
	taken, err := e.equip(slots, elems, least, r.cut)
	if err != nil {
		return nil, err
	}
	r.begin(taken)
	return r, nil
}

// cut places what a slot has for about elems elements, and returns the room that it needs.
func (r *Reduction) cut(elems int) room {
	f := r.folding
	elems = (elems + ptx.SegmentGrain - 1) / ptx.SegmentGrain * ptx.SegmentGrain
	lanes := r.share(elems)

	var all room
	up := func(n, size int) place {
		p := place{memory: all.up, stage: all.up, size: size}
		all.up += (n*size + grain - 1) / grain * grain
		return p
	}
	r.inputs, r.sums = r.inputs[:0], r.sums[:0]
	for k, t := range f.Program.Inputs {
		if r.staged[k] {
			r.inputs = append(r.inputs, up(elems, t.Size()))
		} else {
			r.inputs = append(r.inputs, place{})
		}
	}
	r.tables = [2]place{up(r.room.Boxes, boxBytes), up(r.room.Segments, r.words*wordBytes)}

	// What comes back lies as it went.
	first := all.up
	for k, fold := range f.Folds {
		r.sums = append(r.sums, up(lanes(k), fold.Sum), up(lanes(k), fold.Lost))
	}
	all.down = all.up - first
	return all
}

// share decides what a slot has room for beside elements, and returns how many lanes each fold has
// then. Accumulators take at most a quarter of the bytes of elements, but for the least that there
// must be.
func (r *Reduction) share(elems int) (lanes func(fold int) int) {
	f := r.folding
	bytes, own, box, piece := 0, 0, 0, min(elems, r.piece)
	for _, t := range f.Program.Inputs {
		bytes += piece * t.Size()
	}
	for _, fold := range f.Folds {
		own += fold.Sum + fold.Lost
		box += fold.Lanes * (fold.Sum + fold.Lost)
	}
	few := max(1, piece/segmentElems)
	r.room = reduce.FoldRoom{Elems: elems, Boxes: few, Segments: few, Grain: ptx.SegmentGrain}
	if f.PerLane {
		r.room.Lanes = max(f.Least, bytes/4/own)
		return func(int) int { return r.room.Lanes }
	}
	r.room.Boxes = max(1, min(few, bytes/4/box))
	return func(fold int) int { return r.room.Boxes * f.Folds[fold].Lanes }
}

// NewWorker implements exec.Job. At most Workers of them may be there at once.
func (r *Reduction) NewWorker() exec.Worker {
	f := &folder{reduction: r, slot: r.hire()}
	f.checker = newFoldChecker(f)
	return r.NewPacker(r.folding, f, r.room)
}

// Close gives the slots back.
func (r *Reduction) Close() error {
	err := r.offload.give(r.slots)
	r.begin(nil)
	return r.offload.atEnd(err)
}
