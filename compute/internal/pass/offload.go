package pass

import (
	"cmp"
	"errors"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/reduce"
)

// engine returns what computes on the device, if that is to compute what comes next; else nil. What is
// on the device, the device computes.
func (r *run) engine(m *Memory) *offload.Engine {
	if r.chooses() && !m.onDevice && (r.choice == nil || !r.choice.Device()) {
		return nil
	}
	return r.plan.opts.Engine
}

// chooses reports whether the CPU may do what the device can.
func (r *run) chooses() bool { return r.plan.opts.Engine != nil && r.plan.opts.Engine.Auto != nil }

// offload runs an element-wise pass on the device. done is false if the CPU is to do it, and nothing
// was done.
func (r *run) offload(e *offload.Engine, pr *passRun, m *Memory) (done bool, err error) {
	loop, err := e.NewLoop(r.ctx, m.program, &m.nest, m.Operands, len(pr.leaves))
	if err != nil {
		return false, r.unloaded(m, err)
	}
	err = r.Exec(m, loop)
	if r.goesOn(m, err) {
		err = r.finish(m, loop, err)
	}
	return true, cmp.Or(err, loop.Close())
}

// goesOn reports whether err is of a device that the CPU can do without, which is not used any more
// then.
func (r *run) goesOn(m *Memory, err error) bool {
	failure, ok := errors.AsType[*offload.Failure](err)
	if !ok || !r.chooses() || m.onDevice || r.ctx.Err() != nil {
		return false
	}
	r.plan.opts.Engine.Fail(failure)
	return true
}

// A refusal is the error of a device that did not take a job, of which nothing was done.
type refusal struct{ error }

// Unwrap returns what the device says.
func (r *refusal) Unwrap() error { return r.error }

// unloaded returns why there is no job of the device, unless the CPU can do the pass: where there is
// no code for it, and, if the CPU was a choice, where the device has no room or fails.
func (r *run) unloaded(m *Memory, err error) error {
	_, none := errors.AsType[*ptx.UnsupportedError](err)
	_, full := errors.AsType[*device.MemoryError](err)
	switch {
	case m.onDevice:
		return &refusal{err}
	case none:
		return nil
	case !r.chooses() || r.ctx.Err() != nil:
		return &refusal{err}
	case full:
		r.choice.Refuse(err)
	default:
		r.plan.opts.Engine.Fail(err)
	}
	return nil
}

// finish has the CPU compute the chunks of a loop that are not stored, as the device has failed.
func (r *run) finish(m *Memory, loop *offload.Loop, failure error) error {
	rest, ok := loop.Rest()
	if !ok {
		return failure // a page of the destination has failed, too
	}
	r.done.Store(int64(rest.Stored()))
	return r.execRange(m, rest, rest.Stored(), rest.NumChunks())
}

// offloadFolds runs a pass that reduces on the device, from a unit on. done is false if the CPU is to
// do it, and nothing was done.
func (r *run) offloadFolds(e *offload.Engine, pr *passRun, s *steps, engine *reduce.Engine, begin int) (done bool, err error) {
	job, err := e.NewReduction(r.ctx, engine)
	if err != nil {
		return false, r.unloaded(s.Memory, err)
	}
	s.Chunked = job
	return true, cmp.Or(r.steps(pr, s, begin), job.Close())
}
