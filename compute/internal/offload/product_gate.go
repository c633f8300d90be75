package offload

import (
	"errors"
	"sync"
	"sync/atomic"
)

// errStopped ends chunks when another one has failed, or the context has ended.
var errStopped = errors.New("another chunk has failed")

// A gate has the chunks of a product wait for earlier ones. Workers take chunks in order, so some
// worker is always busy with the chunks that others wait for. Tiles take turns with the buffers.
type gate struct {
	panels, strips int // of a tile
	stopped        atomic.Bool
	mu             struct {
		sync.Mutex
		changed  sync.Cond
		launched []int // for each buffer, the panels that have been added to its tiles
		stored   []int // and the strips of them that have been stored
	}
}

// newGate returns the gate of a product whose first tiles are done.
func newGate(c *cutting, tiles int) *gate {
	g := &gate{panels: c.panels, strips: c.strips}
	g.mu.changed.L = &g.mu
	for buffer := range c.buffers {
		rounds := (tiles + c.buffers - 1 - buffer) / c.buffers
		g.mu.launched = append(g.mu.launched, rounds*c.panels)
		g.mu.stored = append(g.mu.stored, rounds*c.strips)
	}
	return g
}

// turn returns the buffer of a tile, and how many tiles had it before.
func (g *gate) turn(tile int) (buffer, round int) {
	n := len(g.mu.launched)
	return tile % n, tile / n
}

// waitLaunch waits until a panel may be added to its tile: the panels before it are there, and what
// was in the buffer before is stored.
func (g *gate) waitLaunch(tile, panel int) error {
	buffer, round := g.turn(tile)
	return g.wait(func() bool {
		return g.mu.stored[buffer] >= round*g.strips && g.mu.launched[buffer] >= round*g.panels+panel
	})
}

// waitTile waits until all panels have been added to a tile.
func (g *gate) waitTile(tile int) error {
	buffer, round := g.turn(tile)
	return g.wait(func() bool { return g.mu.launched[buffer] >= (round+1)*g.panels })
}

func (g *gate) wait(ready func() bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !ready() {
		if g.stopped.Load() {
			return errStopped
		}
		g.mu.changed.Wait()
	}
	return nil
}

// launched says that a panel has been added to a tile.
func (g *gate) launched(tile int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	buffer, _ := g.turn(tile)
	g.mu.launched[buffer]++
	g.mu.changed.Broadcast()
}

// stored says that a strip of a tile has been stored. It reports whether it was the last one.
func (g *gate) stored(tile int) (last bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	buffer, round := g.turn(tile)
	g.mu.stored[buffer]++
	g.mu.changed.Broadcast()
	return g.mu.stored[buffer] == (round+1)*g.strips
}

// stop has all that wait return.
func (g *gate) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped.Store(true)
	g.mu.changed.Broadcast()
}
