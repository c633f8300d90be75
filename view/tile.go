package view

import (
	"unsafe"

	"github.com/tstore/tstore/internal/transpose"
)

// tileSide is the edge of the tiles that transposing moves work in where rows or columns are
// strided on both sides.
const tileSide = 128

// tileAxis returns the outer axis that is closer together in the source than the inner axis is, or
// -1. Walking both in tiles then uses each cache line of the source whole, where row by row would
// use one element of it at a time.
func tileAxis(outer []moveAxis, inner moveAxis) int {
	best, bestStride := -1, abs(inner.src)
	for i, a := range outer {
		if a.src != 0 && abs(a.src) < bestStride {
			best, bestStride = i, abs(a.src)
		}
	}
	return best
}

// moveTiles moves the matrix of axes cross (rows) and inner (columns): whole where its columns are
// contiguous in the destination and its rows, one way or the other, in the source, and otherwise
// tile by tile.
func moveTiles[W word](dst, src []W, d, s int, cross, inner moveAxis) {
	if inner.dst == 1 && abs(cross.src) == 1 {
		moveTransposed(dst, src, d, s, cross, inner)
		return
	}
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

// moveTransposed moves a matrix whose rows become columns. Its corners are checked here and not
// each element.
func moveTransposed[W word](dst, src []W, d, s int, cross, inner moveAxis) {
	if cross.src < 0 {
		d += (cross.n - 1) * cross.dst
		s += (cross.n - 1) * cross.src
		cross.dst, cross.src = -cross.dst, -cross.src
	}
	_, _ = dst[d+(cross.n-1)*cross.dst], dst[d+inner.n-1]
	_, _ = dst[d+(cross.n-1)*cross.dst+inner.n-1], src[s+cross.n-1]
	_, _ = src[s+(inner.n-1)*inner.src], src[s+(inner.n-1)*inner.src+cross.n-1]
	var w W
	transpose.Matrix(unsafe.Pointer(&dst[d]), unsafe.Pointer(&src[s]),
		inner.n, cross.n, cross.dst*len(w), inner.src*len(w), len(w))
}

// moveTile moves one tile row by row.
func moveTile[W word](dst, src []W, d, s int, rows, cols moveAxis) {
	for range rows.n {
		moveRow(dst, src, d, s, cols)
		d += rows.dst
		s += rows.src
	}
}
