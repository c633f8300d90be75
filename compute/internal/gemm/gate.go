package gemm

import (
	"errors"
	"sync"
	"sync/atomic"
)

// errStopped ends chunks when another one has failed, or the context has ended.
var errStopped = errors.New("another chunk has failed")

// A gate makes chunks wait for earlier ones. Workers take chunks in order, so some worker is always
// busy with the chunks that others wait for. Phases take turns with two sets of panels.
type gate struct {
	mu      sync.Mutex
	changed sync.Cond
	packed  [2]int // chunks of packing that are done, in even and in odd phases
	summed  [2]int // chunks of multiplying, likewise
	sums    []int  // for each rectangle of C, the phases that are done with it
	stopped atomic.Bool
}

func newGate(rectangles int) *gate {
	g := &gate{sums: make([]int, rectangles)}
	g.changed.L = &g.mu
	return g
}

// wait returns when ready is true, which is called with the lock held.
func (g *gate) wait(ready func() bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !ready() {
		if g.stopped.Load() {
			return errStopped
		}
		g.changed.Wait()
	}
	return nil
}

// update changes the counts.
func (g *gate) update(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
	g.changed.Broadcast()
}
