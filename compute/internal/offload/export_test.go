package offload

// A Gate is the gate of a product.
type Gate struct{ *gate }

// NewGate returns the gate of a product whose first tiles are done.
func NewGate(panels, strips, buffers, done int) Gate {
	return Gate{newGate(&cutting{panels: panels, strips: strips, buffers: buffers}, done)}
}

// WaitLaunch is waitLaunch.
func (g Gate) WaitLaunch(tile, panel int) error { return g.waitLaunch(tile, panel) }

// WaitTile is waitTile.
func (g Gate) WaitTile(tile int) error { return g.waitTile(tile) }

// Launched is launched.
func (g Gate) Launched(tile int) { g.launched(tile) }

// Stored is stored.
func (g Gate) Stored(tile int) (last bool) { return g.stored(tile) }

// Stop is stop.
func (g Gate) Stop() { g.stop() }

// Instructions counts those of a thread in the text of PTX.
var Instructions = instructions
