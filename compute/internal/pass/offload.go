package pass

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/reduce"
)

// offload runs an element-wise pass on the device. done is false if there is no code for it, and
// nothing was done.
func (r *run) offload(pr *passRun, m *Memory) (done bool, err error) {
	loop, err := r.plan.opts.Engine.NewLoop(r.ctx, m.program, &m.nest, m.Operands, len(pr.leaves))
	if _, none := errors.AsType[*ptx.UnsupportedError](err); none {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, errors.Join(r.Exec(m, loop), loop.Close())
}

// offloadFolds runs a pass that reduces on the device, from a unit on. done is false if there is no
// code for it, and nothing was done.
func (r *run) offloadFolds(pr *passRun, s *steps, engine *reduce.Engine, begin int) (done bool, err error) {
	job, err := r.plan.opts.Engine.NewReduction(r.ctx, engine)
	if _, none := errors.AsType[*ptx.UnsupportedError](err); none {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.Chunked = job
	return true, errors.Join(r.steps(pr, s, begin), job.Close())
}
