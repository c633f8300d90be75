package correlate

// A grid cuts results into tiles, row by row.
type grid struct{ of, tile [2]int }

// A tile is a part of the results, or of x.
type tile struct{ row, col, rows, cols int }

func (g grid) across() int { return (g.of[1] + g.tile[1] - 1) / g.tile[1] }

func (g grid) numTiles() int { return (g.of[0] + g.tile[0] - 1) / g.tile[0] * g.across() }

func (g grid) at(i int) tile {
	t := tile{row: i / g.across() * g.tile[0], col: i % g.across() * g.tile[1]}
	t.rows, t.cols = min(g.tile[0], g.of[0]-t.row), min(g.tile[1], g.of[1]-t.col)
	return t
}
