package pass

import "github.com/tstore/tstore/view"

// TileRuns returns the tiles of an array that take at most so many bytes, and the bytes of the
// shortest run in them of each of the layouts of its operands.
func TileRuns(layouts []view.Layout, size int, most int64) (tile, runs []int) {
	var operands []laid
	for _, l := range layouts {
		operands = append(operands, laid{l, size})
	}
	shape := layouts[0].Shape()
	t := newTiles(shape, operands, most)
	for _, o := range operands {
		_, run := o.grows(shape, t.tile)
		runs = append(runs, run)
	}
	return t.tile, runs
}

// TilePieces returns how often each byte of a file is read ahead for all tiles.
func TilePieces(l view.Layout, size int, most int64) []int {
	_, hi := l.Bounds()
	read := make([]int, hi*size)
	c, _ := view.NewLayout(l.Shape()...)
	t := newTiles(l.Shape(), []laid{{l, size}, {c, size}}, most)
	for i := range t.bands.count * t.perBand() {
		for off, n := range (tileFile{laid: laid{l, size}}).pieces(t.at(i)) {
			for at := range n {
				read[off+at]++
			}
		}
	}
	return read
}
