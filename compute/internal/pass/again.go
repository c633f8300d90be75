package pass

import (
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/view"
)

// A repeated is a small pass with all that it was run with. To bind it anew takes longer than the
// elements do.
type repeated struct {
	*exec.Loop
	worker  exec.Worker
	memory  *Memory // whose pins have been given back
	targets []*view.Tensor
}

// NewWorker implements exec.Job. It returns the same worker each time, as there is one at a time.
func (p *repeated) NewWorker() exec.Worker { return p.worker }

// isRepeatable reports whether a bound pass can be kept for later runs: it is the whole plan, one
// worker does it, and nothing can end it early.
func (r *run) isRepeatable(m *Memory) bool {
	return m.Bytes <= aloneBytes && r.unwatch == nil && r.marks == nil && r.parts == 0 && len(r.plan.passes) == 1
}

// repeat runs a pass as it was run before. done is false if that is not possible, since elements
// have moved.
func (r *run) repeat(p *repeated, targets []*view.Tensor) (done bool, err error) {
	if !slices.Equal(p.targets, targets) {
		return false, nil
	}

	// Every operand is pinned again, and must be where it was.
	pins, pinned := p.memory.pins, 0
	defer func() {
		for _, pin := range pins[:pinned] {
			pin.Unpin()
		}
	}()
	for i, old := range pins {
		if pins[i], err = old.Again(); err != nil {
			pins[i] = old
			return false, err
		}
		pinned++
		if unsafe.SliceData(pins[i].Bytes()) != unsafe.SliceData(old.Bytes()) {
			return false, nil
		}
	}
	return true, exec.Run(r.ctx, p, exec.Options{Parallelism: 1, Storages: p.memory.Storages})
}
