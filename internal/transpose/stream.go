package transpose

// Matrices from streamBytes on are written past the caches, which would not keep them and would
// read each line of the destination before it is written. For smaller ones that costs more than it
// saves.
const streamBytes = 16 << 20

// lineBytes is the length of a cache line. Streaming stores write whole ones.
const lineBytes = 64

// streamHigh and streamWide are the rows, and the bytes of each, of the blocks in which a matrix is
// streamed: few enough rows for the hardware to see that each of them is read on and on, and two
// pages of each. On matrices of 256 MiB this takes 1.4 to 1.8 times as long as a plain copy for
// elements of 4 to 16 bytes, where squares of any size take 2 to 5 times.
const (
	streamHigh = 16
	streamWide = 8192
)

// canStream reports whether every row of the destination reaches the start of a cache line after a
// whole number of elements, the same for all of them.
func (b block) canStream() bool {
	return uintptr(b.dst)%uintptr(b.elemSize) == 0 && b.dstStride%lineBytes == 0
}

// streamed moves a matrix with streaming stores, and with others what is left around whole lines
// and tiles.
func (b block) streamed(kernels []kernel, rows, cols int) {
	k := kernels[0]

	// Streaming stores want whole lines: start at the first row of the source whose column of the
	// destination begins a line.
	head := int(-uintptr(b.dst)%lineBytes) / b.elemSize
	if rows < head+k.side || cols < k.side {
		b.blocks(kernels, rows, cols)
		return
	}

	b.blocks(kernels, head, cols)
	b, rows = b.at(head, 0), rows-head

	high, wide := max(k.side, streamHigh), max(k.side, streamWide/b.elemSize)
	for j := 0; j+k.side <= cols; j += wide {
		for i := 0; i+k.side <= rows; i += high {
			k.stream.call(b.at(i, j), min(high, rows-i)/k.side, min(wide, cols-j)/k.side)
		}
	}

	// What is left over moves by tiles that reach back to the edge.
	if over := rows % k.side; over > 0 {
		b.at(rows-over, 0).blocks(kernels, over, cols)
	}
	if over := cols % k.side; over > 0 {
		b.at(0, cols-k.side).blocks(kernels, rows, k.side)
	}
}
