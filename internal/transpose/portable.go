package transpose

import "unsafe"

// portable is transpose in Go.
func (b block) portable(rows, cols int) {
	switch b.elemSize {
	case 1:
		transposeWords[[1]byte](b, rows, cols)
	case 2:
		transposeWords[[2]byte](b, rows, cols)
	case 4:
		transposeWords[[4]byte](b, rows, cols)
	case 8:
		transposeWords[[8]byte](b, rows, cols)
	case 16:
		transposeWords[[16]byte](b, rows, cols)
	}
}

// A word is the bytes of one element. Arrays of bytes have alignment 1, so a word may lie at any
// address, and moving one is a single load and store where the hardware can.
type word interface {
	[1]byte | [2]byte | [4]byte | [8]byte | [16]byte
}

// strip is the number of rows of the source that are moved together, tileSide the number of their
// columns. Strips make it 2 to 5 times faster than element by element.
const (
	strip    = 8
	tileSide = 128
)

// transposeWords moves tiles of at most tileSide columns in strips, and the rows that are left over
// one by one.
func transposeWords[W word](b block, rows, cols int) {
	for j := 0; j < cols; j += tileSide {
		n := min(tileSide, cols-j)
		i := 0
		for ; i+strip <= rows; i += strip {
			moveStrip[W](b.at(i, j), n)
		}
		for ; i < rows; i++ {
			moveRow[W](b.at(i, j), n)
		}
	}
}

// moveStrip makes groups of strip elements in each row of the destination from as many rows of the
// source.
func moveStrip[W word](b block, cols int) {
	s, to, from := b.srcStride, 0, 0
	for range cols {
		group := (*[strip]W)(unsafe.Add(b.dst, to))
		group[0] = *(*W)(unsafe.Add(b.src, from))
		group[1] = *(*W)(unsafe.Add(b.src, from+s))
		group[2] = *(*W)(unsafe.Add(b.src, from+2*s))
		group[3] = *(*W)(unsafe.Add(b.src, from+3*s))
		group[4] = *(*W)(unsafe.Add(b.src, from+4*s))
		group[5] = *(*W)(unsafe.Add(b.src, from+5*s))
		group[6] = *(*W)(unsafe.Add(b.src, from+6*s))
		group[7] = *(*W)(unsafe.Add(b.src, from+7*s))
		from += b.elemSize
		to += b.dstStride
	}
}

// moveRow makes a column of the destination from one row of the source.
func moveRow[W word](b block, cols int) {
	to, from := 0, 0
	for range cols {
		*(*W)(unsafe.Add(b.dst, to)) = *(*W)(unsafe.Add(b.src, from))
		from += b.elemSize
		to += b.dstStride
	}
}
