package pass

// steps is work in chunks that another run can go on with, behind units that are done.
type steps struct {
	*Memory
	Chunked
	base, of int                   // the number of the first unit among those of the pass, and how many the pass has
	unit     int                   // chunks
	grain    int                   // of checkpoint
	save     func(done int) []byte // the state when so many units of the pass are done, and no other has begun; nil if there is none
}

// A state of more than largeState is saved when slowStates times its bytes have been gone through.
const (
	largeState = 1 << 20
	slowStates = 4
)

// inSteps reports whether the run tells how far it is in a pass.
func (r *run) inSteps(pr *passRun) bool { return r.marks != nil && r.marks.on && r.plan.inSteps(pr) }

// resumes returns the unit of a pass at which the run begins: 0 unless others are done and load
// takes over their state.
func (r *run) resumes(pr *passRun, of, grain int, load func(state []byte, done int) bool) int {
	if !r.inSteps(pr) {
		return 0
	}
	first := r.marks.first(r.pass, of, grain)
	if first == 0 || !load(r.marks.begin.State, first) {
		return 0
	}
	return first
}

// steps runs the chunks of a pass or of a part of it. In a run that reports progress, it starts at
// unit begin of the pass.
func (r *run) steps(pr *passRun, s *steps, begin int) error {
	if !r.inSteps(pr) {
		return r.Exec(s.Memory, s.Chunked)
	}

	// Units before begin are done.
	units := s.NumChunks() / s.unit
	next := max(begin-s.base, 0)
	r.done.Store(int64(next * s.unit))
	size, each := int64(0), s.Bytes/int64(max(units, 1))+1

	// As many units run at a time as the span between two checkpoints has room for.
	for next < units {
		end := units
		if n := (max(r.marks.Span(), slowStates*size) - r.marks.gone) / each; n < int64(units-next) {
			end = next + int(max(n, 1))
		}
		if err := r.execRange(s.Memory, s.Chunked, next*s.unit, end*s.unit); err != nil {
			return err
		}
		r.marks.gone += int64(end-next) * each
		next = end
		var err error
		if size, err = r.step(pr, s, s.base+next, size); err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

// step reports the units of the pass before done as finished, if it is time to. It returns the size
// of the state if that is large. before is the size of the last one.
func (r *run) step(pr *passRun, s *steps, done int, before int64) (size int64, err error) {
	k := r.marks
	if k.gone < max(k.Span(), slowStates*before) || done == s.of {
		return before, nil
	}

	// The state is asked for before its size is known: a large one is told less often.
	at := Checkpoint{Pass: r.pass, Done: done, Of: s.of, Grain: s.grain}
	if s.save != nil {
		at.State = s.save(done)
	}
	if n := int64(len(at.State)); n > largeState {
		size = n
	}
	if k.gone < slowStates*size {
		return size, nil
	}

	// The results of a part of the pass are estimated by its share.
	at.Bytes = k.bytes + int64(float64(r.plan.resultBytes(pr))*(float64(done)/float64(s.of)))
	return size, r.reached(at, pr)
}

// grain returns the units of a pass that the run begins within, as its checkpoint has them. It
// returns 0 if the pass may choose.
func (r *run) grain() int {
	if r.marks == nil || r.marks.begin.Pass != r.pass {
		return 0
	}
	return r.marks.begin.Grain
}
