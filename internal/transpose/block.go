package transpose

import "unsafe"

// A kernel is machine code that transposes rowTiles × colTiles adjacent tiles of side × side
// elements. The tiles of a column follow each other in dst. It touches nothing beyond the tiles.
type kernel struct {
	side   int
	tiles  tileFunc
	stream tileFunc // writes past the caches, to addresses that are multiples of 64; may be nil
}

type tileFunc func(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int)

// callBytes bounds what one call of machine code moves, so that a garbage collection never waits
// long.
const callBytes = 1 << 20

// call calls machine code. It has a stack frame, whose entry is where the scheduler can stop a loop
// over kernels.
//
//go:noinline
func (f tileFunc) call(b block, rowTiles, colTiles int) {
	f((*byte)(b.dst), (*byte)(b.src), b.dstStride, b.srcStride, rowTiles, colTiles)
}

// A block is two places, of the first element of a matrix and of that of its transpose.
type block struct {
	dst, src                       unsafe.Pointer
	dstStride, srcStride, elemSize int
}

// at returns the places of row i and column j of the source.
func (b block) at(i, j int) block {
	b.dst = unsafe.Add(b.dst, j*b.dstStride+i*b.elemSize)
	b.src = unsafe.Add(b.src, i*b.srcStride+j*b.elemSize)
	return b
}

// transpose moves rows × cols elements with the largest tiles that fit, of the kernels in falling
// order, and without any in portable code. What is left beside whole tiles is covered by tiles that
// reach back over elements already moved.
func (b block) transpose(kernels []kernel, rows, cols int) {
	for _, k := range kernels {
		if k.side > rows || k.side > cols {
			continue
		}

		rowTiles, colTiles := rows/k.side, cols/k.side
		b.tiles(k, rowTiles, colTiles)

		// Cover what is left with tiles that end at the edge: first the rows below, then the
		// columns to the right, then the corner.
		overRows, overCols := rows > rowTiles*k.side, cols > colTiles*k.side
		if overRows {
			b.at(rows-k.side, 0).tiles(k, 1, colTiles)
		}
		if overCols {
			b.at(0, cols-k.side).tiles(k, rowTiles, 1)
		}
		if overRows && overCols {
			b.at(rows-k.side, cols-k.side).tiles(k, 1, 1)
		}

		return
	}

	b.portable(rows, cols)
}

// tiles moves whole tiles in calls of at most callBytes.
func (b block) tiles(k kernel, rowTiles, colTiles int) {
	most := callBytes / (k.side * k.side * b.elemSize)
	for i := 0; i < rowTiles; i += most {
		n := min(most, rowTiles-i)
		for j := 0; j < colTiles; j += most / n {
			k.tiles.call(b.at(i*k.side, j*k.side), n, min(most/n, colTiles-j))
		}
	}
}

// blocks moves a matrix of any size, in blocks of which all pages stay in the translation buffers.
func (b block) blocks(kernels []kernel, rows, cols int) {
	const dstBytes, srcBytes = 256, 2048 // of a row of a block in either matrix; found by trial
	high, wide := max(dstBytes/b.elemSize, 64), srcBytes/b.elemSize
	for j := 0; j < cols; j += wide {
		for i := 0; i < rows; i += high {
			b.at(i, j).transpose(kernels, min(high, rows-i), min(wide, cols-j))
		}
	}
}
