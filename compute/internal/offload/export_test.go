package offload

// A Gate is the gate of a product, with the order of its chunks.
type Gate struct {
	*gate
	cutting
}

// NewGate returns the gate of a product whose first tiles are done.
func NewGate(panels, strips, buffers, group, lead, done int) Gate {
	c := cutting{panels: panels, strips: strips, buffers: buffers, group: group, lead: min(lead, panels)}
	return Gate{newGate(&c, done), c}
}

// Place is place.
func (g Gate) Place(chunk int) (tile, part int) { return g.place(chunk) }

// Unit is unit.
func (g Gate) Unit() int { return g.unit() }

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
