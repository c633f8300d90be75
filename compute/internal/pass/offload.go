package pass

import (
	"cmp"
	"errors"

	"github.com/tstore/tstore/compute/internal/ptx"
)

// offload runs an element-wise pass on the device. done is false if there is no code for it, and
// nothing was done.
func (r *run) offload(pr *passRun, m *Memory) (done bool, err error) {
	loop, err := r.plan.opts.Engine.NewLoop(r.ctx, m.program, &m.nest, m.Operands, len(pr.leaves))
	if _, none := errors.AsType[*ptx.UnsupportedError](err); none && !m.isOnDevice() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, cmp.Or(r.Exec(m, loop), loop.Close())
}
