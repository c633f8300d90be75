package scan

import "sync"

const (
	// bandBytes is the size of the rows of a group of columns that are gone through before the next
	// rows are.
	bandBytes = 8 << 20
	// groupColumns is the number of columns of a group at most. What is kept of each takes 16
	// bytes, of complex ones 32.
	groupColumns = 256 << 10
	// bandTiles is the number of tiles that a group is cut into, so that as many workers find work.
	bandTiles = 16
	// minTile is the number of columns of a tile at least.
	minTile = 128
)

// bands go through many columns side by side from the first row to the last, some rows at a time,
// so that memory is walked in its order: a worker takes some columns of some rows, and waits until
// the rows above are done. Groups of columns come one after another.
type bands struct {
	tilesOfGroup int
	mu           sync.Mutex
	moved        sync.Cond
	done         []int    // of each tile: bands that are done, of all lines
	carries      []*carry // of each tile, while it is gone through
	stopped      bool
}

// cutBands chooses the chunks for columns side by side.
func (s *Scan) cutBands(size int) {
	columns := min(s.width, groupColumns)
	tile := (columns/bandTiles + 63) / 64 * 64
	s.tile = min(max(tile, minTile), maxColumns)
	s.tiles = (s.width + s.tile - 1) / s.tile
	s.part = max(1, min(s.length, bandBytes/(columns*size)))
	if columns < s.width {
		s.part = 1 // as other groups lie between rows
	}
	s.parts = (s.length + s.part - 1) / s.part
	b := &bands{tilesOfGroup: (columns + s.tile - 1) / s.tile, done: make([]int, s.tiles), carries: make([]*carry, s.tiles)}
	b.moved.L = &b.mu
	s.bands = b
}

// place returns the tile and the part that a chunk is of the chunks of a line.
func (b *bands) place(chunk, parts, tiles int) (tile, part int) {
	group := chunk / (b.tilesOfGroup * parts)
	first := group * b.tilesOfGroup
	n := min(b.tilesOfGroup, tiles-first)
	chunk -= first * parts
	return first + chunk%n, chunk / n
}

// wait returns when a number of bands of a tile are done, with false if they will not be.
func (b *bands) wait(tile, bands int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.done[tile] != bands && !b.stopped {
		b.moved.Wait()
	}
	return !b.stopped
}

// finish notes that one more band of a tile is done.
func (b *bands) finish(tile int) {
	b.mu.Lock()
	b.done[tile]++
	b.mu.Unlock()
	b.moved.Broadcast()
}

// stop ends all waiting.
func (b *bands) stop() {
	b.mu.Lock()
	b.stopped = true
	b.mu.Unlock()
	b.moved.Broadcast()
}
