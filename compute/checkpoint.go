package compute

import (
	"context"

	"github.com/tstore/tstore/compute/internal/pass"
)

// A Checkpoint is how far a plan has been run, so that another run, of another process too, can go on
// from there: see [Plan.RunFrom]. The zero Checkpoint is the beginning.
type Checkpoint struct {
	Plan  uint64 // tells plans apart
	Pass  int    // passes before this one are done
	Done  int    // of this pass: elements, or chunks of work
	Of    int    // how many there are
	Grain int    // what chunks depend on beside the plan, such as the tiles of a product
	State []byte // what chunks that are done have come to, and that is not among the results yet; may be nil
	Bytes int64  // of results that are done
}

// Marks say when a run tells how far it is, and whom. Both functions are called by the goroutine of
// RunFrom, while no other one works.
type Marks struct {
	// Span returns the number of bytes to be read and stored, about, until the next call of
	// Reached.
	Span func() int64
	// Reached is called when all that comes before at is done, and nothing behind it is needed any
	// more. Since the last call elements of these statements may have been stored. An error ends
	// the run, and is returned as it is. The caller may keep at.
	Reached func(at Checkpoint, statements []int) error
}

// RunFrom resumes at a checkpoint that an earlier run of an equal plan reported. The elements must be
// the same: the statements are equal, and their destinations hold what that run stored. RunFrom
// stores the rest, with the same bytes as Run. Results of earlier passes that no statement holds
// are computed again. A checkpoint of another plan means the beginning of the run. A state that can't be
// read means the beginning of its pass.
//
// Statements with a target must have a destination. Those that write in place must not read what
// they write.
func (p *Plan) RunFrom(ctx context.Context, at Checkpoint, marks Marks) error {
	err := p.passes.RunFrom(ctx, pass.Checkpoint(at), pass.Checkpoints{
		Span:    marks.Span,
		Reached: func(at pass.Checkpoint, statements []int) error { return marks.Reached(Checkpoint(at), statements) },
	})
	p.update()
	return err
}

// WorkBytes returns the bytes of the results. If the work takes longer, it returns the bytes of
// results that would take about as long: reductions have small results, and products of matrices
// take many operations.
func (p *Plan) WorkBytes() int64 { return p.passes.WorkBytes() }

// IsResumable reports whether there are places between the beginning and the end of a run from
// which less work remains than the whole. That is so if several passes make results, or if elements
// are computed where they are asked for. Elements of a result that is computed as a whole, such as
// running sums, are only copied.
func (p *Plan) IsResumable() bool { return p.passes.IsResumable() }
