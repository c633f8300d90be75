package ptxvm

import (
	"context"
	"fmt"
	"slices"
)

// warpSize is how many threads run in step.
const warpSize = 32

// A Launch says over what an entry runs, and on what.
type Launch struct {
	Grid   [3]int   // blocks along x, y and z
	Block  [3]int   // threads of each
	Shared int      // bytes of shared memory beside those that the text declares
	Params []uint64 // the bits of each, in the low ones
}

// Launch runs an entry to its end. It returns an Error for what a thread did wrong, and the error
// of ctx soon after that is done; then memory holds what was written so far.
func (m *Module) Launch(ctx context.Context, name string, l *Launch) error {
	if err := m.Check(name, l); err != nil {
		return err
	}

	g := newGrid(ctx, m, m.entries[name], l)
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := range l.Grid[0] {
				if err := g.run([3]int{x, y, z}); err != nil {
					return fmt.Errorf("launch %s: %w", name, err)
				}
			}
		}
	}
	return nil
}

// Check returns the error of a Launch that runs no thread, as its entry or devices do not allow it.
func (m *Module) Check(name string, l *Launch) error {
	e := m.entries[name]
	if e == nil {
		return fmt.Errorf("the module has no entry %q", name)
	}
	if err := e.check(l); err != nil {
		return fmt.Errorf("launch %s: %w", name, err)
	}
	return nil
}

func (e *entry) check(l *Launch) error {
	threads := 1
	for axis, most := range [3]int{maxThreads, maxThreads, 64} {
		if n := l.Block[axis]; n < 1 || n > most {
			return fmt.Errorf("a block of %v threads: want 1 to %d along each axis", l.Block, most)
		}
		threads *= l.Block[axis]
	}
	if threads > e.maxThreads {
		return fmt.Errorf("a block of %d threads: want %d at most", threads, e.maxThreads)
	}

	for axis, most := range [3]int{1<<31 - 1, 1<<16 - 1, 1<<16 - 1} {
		if n := l.Grid[axis]; n < 1 || n > most {
			return fmt.Errorf("a grid of %v blocks: want 1 to %d along axis %d", l.Grid, most, axis)
		}
	}

	if l.Shared < 0 || l.Shared+e.shared > maxDynamic {
		return fmt.Errorf("%d bytes of shared memory beside %d: want %d at most", l.Shared, e.shared, maxDynamic)
	}
	if len(l.Params) != len(e.params) {
		return fmt.Errorf("%d parameters, want %d", len(l.Params), len(e.params))
	}
	return nil
}

// A grid runs the blocks of a launch, one after the other.
type grid struct {
	ctx    context.Context
	module *Module
	entry  *entry
	launch *Launch
	block  [3]int    // the one that runs
	warps  []*warp   // those that run from barrier to barrier
	shared [2]shared // what the text declares, and what the launch adds
	epoch  uint32    // counts barriers, over all blocks
}

func newGrid(ctx context.Context, m *Module, e *entry, l *Launch) *grid {
	g := &grid{ctx: ctx, module: m, entry: e, launch: l}
	g.shared[0], g.shared[1] = newShared(e.shared), newShared(l.Shared)

	// Without barriers, one warp can run after the other, in the same registers.
	for first := 0; first < g.threads(); first += warpSize {
		if g.warps = append(g.warps, newWarp(g)); !e.waits() {
			break
		}
	}
	return g
}

// waits reports whether an entry has barriers.
func (e *entry) waits() bool {
	return slices.ContainsFunc(e.code, func(in instr) bool { return in.op.form == waits })
}

// threads returns the number of threads of a block.
func (g *grid) threads() int { return g.launch.Block[0] * g.launch.Block[1] * g.launch.Block[2] }

// run runs one block, unless the launch is to end.
func (g *grid) run(block [3]int) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	g.block = block
	g.epoch++
	for i := range g.shared {
		g.shared[i].begin(g.epoch)
	}
	for first := 0; first < g.threads(); first += warpSize * len(g.warps) {
		for i, w := range g.warps {
			w.begin(first + warpSize*i)
		}
		if err := g.runWarps(); err != nil {
			return err
		}
	}
	return nil
}

// runWarps runs warps to their end, from barrier to barrier.
func (g *grid) runWarps() error {
	for {
		waiting := 0
		for _, w := range g.warps {
			if err := w.run(); err != nil {
				return err
			}
			if w.waits {
				waiting++
			}
		}
		if waiting == 0 {
			return nil
		}
		if err := g.pass(waiting); err != nil {
			return err
		}
	}
}

// pass lets all threads pass the barrier that they wait at.
func (g *grid) pass(waiting int) error {
	at := -1
	for _, w := range g.warps {
		switch {
		case !w.waits:
			continue
		case waiting < len(g.warps):
			return w.fail(w.groups[0].mask, "a barrier that other threads never reach")
		case at >= 0 && w.groups[0].pc != at:
			return w.fail(w.groups[0].mask, "a barrier where other threads wait at another one")
		}
		at = w.groups[0].pc
	}

	for _, w := range g.warps {
		w.waits = false
		w.groups[0].pc++
	}
	g.epoch++
	return nil
}
