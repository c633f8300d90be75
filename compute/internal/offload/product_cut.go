package offload

import (
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/ptx"
)

// A cutting is how a product is cut. C is cut into tiles, one after another; the sums of a tile are
// cut into panels of whole runs, and the tile into strips of rows, which come back. Everything
// counts numbers, as gemm.Panels does.
type cutting struct {
	m, n, k, matrices int
	size              int // bytes of a number
	run               int // numbers of k that are added up before the sum is rounded into C
	unitRows          int // what the widths of panels of A are multiples of
	unitCols          int // and of B

	rows, cols  int // of a tile
	down, aside int // tiles of a matrix
	buffers     int // tiles that the device has at once

	long, panels  int // steps of a panel, and the panels of a tile
	depth         int // steps that are staged at once
	strip, strips int // rows of a strip, and the strips of a tile

	group int // tiles of a unit of work
	lead  int // panels of a tile that come before the strips of the tile before it
}

const (
	// mostEdge is the most rows and columns of a tile, and leastEdge the fewest of a large one.
	mostEdge  = 16 << 10
	leastEdge = 128
	// leastDepth is the least number of steps that are staged at once.
	leastDepth = 8
	// pageBytes is the size of most pages.
	pageBytes = 4 << 10
	// bufferBytes is what more than two tiles on the device may take.
	bufferBytes = 16 << 20
	// mostGroup is the most tiles of a unit.
	mostGroup = 8
)

func newCutting(p *gemm.Panels) cutting {
	c := cutting{matrices: p.Count(), size: p.Type().Size(), run: gemm.RunLength(p.Type())}
	c.m, c.n, c.k = p.Size()
	c.unitRows, c.unitCols = ptx.Tile(p.Type())
	return c
}

// sides returns the rows and columns of tiles that have edge of either at most, and are about equal.
func (c *cutting) sides(edge int) (rows, cols int) {
	side := func(all, unit int) int { return roundUp(ceil(all, ceil(all, edge)), unit) }
	return side(c.m, c.unitRows), side(c.n, c.unitCols)
}

// set cuts the product into tiles of some rows and columns, for slots that have some bytes of
// staging memory each.
func (c *cutting) set(rows, cols, slots int, staging int64) {
	c.rows, c.cols = rows, cols
	c.down, c.aside = ceil(c.m, rows), ceil(c.n, cols)
	c.buffers = min(c.tiles(), max(2, min(slots, bufferBytes/c.tileBytes())))

	// Whole runs make a panel, which is multiplied by one launch: as many as a tile has room for.
	c.long = min(c.k, c.run*max(1, min(pieceBytes, c.tileBytes())/(c.run*c.stepBytes())))
	c.panels = ceil(c.k, c.long)

	// A third of the staging memory is for what comes back.
	share := int(min(staging, 3*pieceBytes))
	c.strip = min(max(share/3/(cols*c.size), 1), rows)
	c.strips = ceil(rows, c.strip)
	depth := (share - c.strip*cols*c.size) / c.stepBytes() / leastDepth * leastDepth
	c.depth = min(max(depth, leastDepth), c.long)

	c.group, c.lead = ceil(c.tiles(), ceil(c.tiles(), mostGroup)), min(slots, c.panels)
}

// unit returns the number of chunks of a unit.
func (c *cutting) unit() int { return c.group * (c.panels + c.strips) }

// place returns the tile of a chunk, and its panel, or, behind the panels, its strip. Within a unit,
// the strips of a tile come among the panels of the next one: the device has something to do while
// they are stored. The last unit may have tiles that are not there.
func (c *cutting) place(chunk int) (tile, part int) {
	tile = chunk / c.unit() * c.group
	last := tile + c.group - 1
	if chunk %= c.unit(); chunk < c.panels {
		return tile, chunk
	}

	// Each of the next stretches has the strips of a tile and the panels of the one behind it.
	chunk -= c.panels
	tile, chunk = tile+chunk/(c.panels+c.strips), chunk%(c.panels+c.strips)
	if tile == last {
		return tile, c.panels + chunk
	}
	if chunk < c.lead {
		return tile + 1, chunk
	}

	// Behind the lead both are spread evenly.
	chunk -= c.lead
	all := c.panels - c.lead + c.strips
	before, strips := chunk*c.strips/all, (chunk+1)*c.strips/all
	if strips > before {
		return tile, c.panels + before
	}
	return tile + 1, c.lead + chunk - before
}

// tiles returns the number of tiles.
func (c *cutting) tiles() int { return c.matrices * c.down * c.aside }

// busy returns how many slots can be busy at once.
func (c *cutting) busy() int { return c.buffers * max(c.panels, c.strips) }

// tileBytes is what a tile takes on the device, and stepBytes what a step of both operands does.
func (c *cutting) tileBytes() int { return c.rows * c.cols * c.size }
func (c *cutting) stepBytes() int { return (c.rows + c.cols) * c.size }

// room returns what a slot needs: a panel of both operands on the device, and as much of it and of
// a tile in staging memory as goes there at once.
func (c *cutting) room() room {
	r := room{up: c.depth * c.stepBytes(), down: c.strip * c.cols * c.size}
	r.more = c.long*c.stepBytes() - r.bytes()
	return r
}

// bytes returns what the product takes on the device with some slots.
func (c *cutting) bytes(slots int) int64 {
	return int64(c.buffers)*int64(c.tileBytes()) + int64(slots)*int64(c.room().onDevice())
}

// tile returns a tile by its number.
func (c *cutting) tile(number int) gemm.Part {
	var t gemm.Part
	t.Row = number % c.down * c.rows
	t.Rows = min(c.rows, c.m-t.Row)
	number /= c.down
	t.Col = number % c.aside * c.cols
	t.Cols = min(c.cols, c.n-t.Col)
	t.Batch = number / c.aside
	return t
}

// panel returns a panel by its number among those of all tiles.
func (c *cutting) panel(number int) gemm.Part {
	t := c.tile(number / c.panels)
	t.From = number % c.panels * c.long
	t.Long = min(c.long, c.k-t.From)
	return t
}

// widths returns how many numbers the panels of a tile have for each step.
func (c *cutting) widths(t gemm.Part) (a, b int) {
	return roundUp(t.Rows, c.unitRows), roundUp(t.Cols, c.unitCols)
}

// roundUp returns the smallest multiple of m that is n or more.
func roundUp(n, m int) int { return ceil(n, m) * m }

// ceil returns n/m, rounded up.
func ceil(n, m int) int { return (n + m - 1) / m }
