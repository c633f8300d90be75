package view

// tileSide is the edge of the tiles that transposing moves work in, and
// stripWidth the number of columns of a tile that are moved together. On
// 4096×4096 and 4000×4000 matrices tiles of 64 to 128 did best for every
// element size; strips make it 2 to 5 times faster than element by element.
const (
	tileSide   = 128
	stripWidth = 8
)

// tileAxis returns the outer axis that is closer together in the source than
// the inner axis is, or -1. Walking both in tiles then uses each cache line of
// the source whole, where row by row would use one element of it at a time.
func tileAxis(outer []moveAxis, inner moveAxis) int {
	best, bestStride := -1, abs(inner.src)
	for i, a := range outer {
		if a.src != 0 && abs(a.src) < bestStride {
			best, bestStride = i, abs(a.src)
		}
	}
	return best
}

// moveTiles moves the matrix of axes cross (rows) and inner (columns), tile by
// tile.
func moveTiles[W word](dst, src []W, d, s int, cross, inner moveAxis) {
	for i := 0; i < cross.n; i += tileSide {
		rows := cross
		rows.n = min(tileSide, cross.n-i)
		for j := 0; j < inner.n; j += tileSide {
			cols := inner
			cols.n = min(tileSide, inner.n-j)
			moveTile(dst, src, d+i*cross.dst+j*inner.dst, s+i*cross.src+j*inner.src, rows, cols)
		}
	}
}

// moveTile moves one tile: in strips where rows are contiguous in the source
// and columns in the destination, the rest row by row.
func moveTile[W word](dst, src []W, d, s int, rows, cols moveAxis) {
	if rows.src == 1 && cols.dst == 1 {
		for cols.n >= stripWidth {
			moveStrip(dst, src, d, s, rows, cols.src)
			d += stripWidth
			s += stripWidth * cols.src
			cols.n -= stripWidth
		}
	}
	if cols.n == 0 {
		return
	}
	for range rows.n {
		moveRow(dst, src, d, s, cols)
		d += rows.dst
		s += rows.src
	}
}

// moveStrip moves stripWidth columns, each contiguous in the source and step
// apart there, to contiguous groups in the rows of the destination.
func moveStrip[W word](dst, src []W, d, s int, rows moveAxis, step int) {
	n := rows.n
	s0 := src[s:][:n]
	s1 := src[s+step:][:n]
	s2 := src[s+2*step:][:n]
	s3 := src[s+3*step:][:n]
	s4 := src[s+4*step:][:n]
	s5 := src[s+5*step:][:n]
	s6 := src[s+6*step:][:n]
	s7 := src[s+7*step:][:n]
	for i := range n {
		group := dst[d : d+stripWidth : d+stripWidth]
		group[0] = s0[i]
		group[1] = s1[i]
		group[2] = s2[i]
		group[3] = s3[i]
		group[4] = s4[i]
		group[5] = s5[i]
		group[6] = s6[i]
		group[7] = s7[i]
		d += rows.dst
	}
}
