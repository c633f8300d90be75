package transpose_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/internal/transpose"
)

var long = flag.Bool("long", false, "run the sweeps whole, not in steps")

var sizes = []int{1, 2, 4, 8, 16}

// A matrix lies somewhere in memory that is filled with other bytes.
type matrix struct {
	mem                          []byte
	first                        int // where element (0, 0) is
	rows, cols, stride, elemSize int
}

// newMatrix places a matrix with a guard zone on either side and skew bytes off alignment. A
// negative gap turns the order of the rows.
func newMatrix(rows, cols, elemSize, gap, skew int) matrix {
	const guard = 64
	m := matrix{rows: rows, cols: cols, elemSize: elemSize, stride: cols*elemSize + max(gap, -gap)}
	m.mem = make([]byte, 2*guard+skew+rows*m.stride)
	m.first = guard + skew
	if gap < 0 {
		m.first += max(0, rows-1) * m.stride
		m.stride = -m.stride
	}
	return m
}

func (m matrix) at(i, j int) []byte {
	start := m.first + i*m.stride + j*m.elemSize
	return m.mem[start : start+m.elemSize]
}

func (m matrix) pointer() unsafe.Pointer { return unsafe.Pointer(&m.mem[m.first]) }

// noise is random bytes.
var noise = func() []byte {
	b := make([]byte, 1<<16+251)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}()

func fill(b []byte, rng *rand.Rand) {
	for at := 0; at < len(b); {
		at += copy(b[at:], noise[rng.IntN(1000):])
	}
}

// alignLines makes the rows of m start skew bytes after the start of a cache line.
func (m *matrix) alignLines(skew int) {
	const line = 64
	turned := m.stride < 0
	m.stride = (max(m.stride, -m.stride) + line - 1) / line * line
	m.mem = make([]byte, m.rows*m.stride+4*line)
	m.first = line + int(-uintptr(unsafe.Pointer(&m.mem[0]))%line) + skew
	if turned {
		m.first += max(0, m.rows-1) * m.stride
		m.stride = -m.stride
	}
}

type blockFunc func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int)

// check transposes random elements and compares all of the memory around the destination, and
// around the source, with what moving element by element makes of it.
func check(t *testing.T, block blockFunc, rows, cols, elemSize, dstGap, srcGap, skew int, rng *rand.Rand) {
	t.Helper()
	src := newMatrix(rows, cols, elemSize, srcGap, skew)
	dst := newMatrix(cols, rows, elemSize, dstGap, skew/2)
	checkMoved(t, block, dst, src, rng)
}

// checkStreamed is check with rows of the destination that start after as many elements of a cache
// line.
func checkStreamed(t *testing.T, block blockFunc, rows, cols, elemSize, dstGap, srcGap, elems int, rng *rand.Rand) {
	t.Helper()
	src := newMatrix(rows, cols, elemSize, srcGap, 3)
	dst := newMatrix(cols, rows, elemSize, dstGap, 0)
	dst.alignLines(elems * elemSize % 64)
	checkMoved(t, block, dst, src, rng)
}

func checkMoved(t *testing.T, block blockFunc, dst, src matrix, rng *rand.Rand) {
	t.Helper()
	fill(src.mem, rng)
	fill(dst.mem, rng)
	want := dst
	want.mem = bytes.Clone(dst.mem)
	for i := range src.rows {
		for j := range src.cols {
			copy(want.at(j, i), src.at(i, j))
		}
	}
	source := bytes.Clone(src.mem)
	block(dst.pointer(), src.pointer(), src.rows, src.cols, dst.stride, src.stride)
	if !bytes.Equal(dst.mem, want.mem) {
		t.Fatalf("%d×%d, strides %d and %d: %s", src.rows, src.cols, dst.stride, src.stride, firstDifference(dst, want))
	}
	if !bytes.Equal(src.mem, source) {
		t.Fatalf("%d×%d, strides %d and %d: the source has changed", src.rows, src.cols, dst.stride, src.stride)
	}
}

func firstDifference(got, want matrix) string {
	for i, b := range got.mem {
		if b != want.mem[i] {
			return fmt.Sprintf("byte %d of %d is %d, expected %d; the first element is at %d",
				i, len(got.mem), b, want.mem[i], got.first)
		}
	}
	return "no difference"
}

// Every number of rows and columns around the sides of the tiles, in each variant, at odd strides
// and addresses: with -long all pairs, else each third.
func TestBlock(t *testing.T) {
	for _, size := range sizes {
		transpose.Variants(size, func(name string, side int, block func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int)) {
			t.Run(fmt.Sprintf("%d/%s", size, name), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(size), 1))
				most, step := 70, 1
				if side > 32 {
					most = 2*side + 6
				}
				if testing.Short() || raceEnabled {
					step = 7
				}
				for rows := 0; rows <= most; rows += step {
					for cols := 0; cols <= most; cols += step {
						if !*long && (rows+2*cols)%3 > 0 {
							continue
						}
						gaps := [3]int{0, rng.IntN(9), -rng.IntN(40)}
						check(t, block, rows, cols, size, gaps[rng.IntN(3)], gaps[rng.IntN(3)], rng.IntN(64), rng)
					}
				}
			})
		})
	}
}

// Matrices of several blocks, and ones whose rows or columns alone exceed what one call moves.
func TestMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, size := range sizes {
		matrix := func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int) {
			transpose.Matrix(dst, src, rows, cols, dstStride, srcStride, size)
		}
		block := func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int) {
			transpose.Block(dst, src, rows, cols, dstStride, srcStride, size)
		}
		long := 3 << 20 / size
		for name, shape := range map[string][2]int{
			"blocks": {2100 / size, 1500 / size}, "long rows": {5, 40000 / size}, "long columns": {40000 / size, 5},
			"wide": {64 / size, long / 64}, "tall": {long / 64, 64 / size}, "row": {1, 3000}, "column": {3000, 1},
		} {
			t.Run(fmt.Sprintf("%d/%s", size, name), func(t *testing.T) {
				check(t, matrix, shape[0], shape[1], size, 0, 0, 0, rng)
				check(t, matrix, shape[0], shape[1], size, 3, 1, 5, rng)
				check(t, block, shape[0], shape[1], size, 0, 8, 16, rng)
			})
		}
	}
}

// Streaming stores, with whole lines and tiles and without.
func TestStreamed(t *testing.T) {
	for _, size := range sizes {
		transpose.Streamed(size, func(side int, streamed func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int)) {
			t.Run(fmt.Sprintf("%d/%d", size, side), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(size), 3))
				for _, rows := range []int{0, 1, side, 2*side + 1, 5*side - 1, 200} {
					for _, cols := range []int{0, side - 1, side, 3*side + 2, 4096/size + side} {
						checkStreamed(t, streamed, rows, cols, size, 0, 0, 0, rng)
						checkStreamed(t, streamed, rows, cols, size, 100, -7, rng.IntN(64), rng)
						checkStreamed(t, streamed, rows, cols, size, -1, 0, rng.IntN(64), rng)
					}
				}
			})
		})
	}
}

// A matrix that is large enough to be streamed.
func TestLargeMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const size = 8
	matrix := func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int) {
		transpose.Matrix(dst, src, rows, cols, dstStride, srcStride, size)
	}
	checkStreamed(t, matrix, 1501, 1403, size, 0, 0, 5, rng)
	check(t, matrix, 1501, 1403, size, 1, 0, 0, rng)
}

func TestElementSize(t *testing.T) {
	for _, size := range []int{-1, 0, 3, 6, 32} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			defer func() {
				if text := fmt.Sprint(recover()); text != fmt.Sprintf("BUG: transpose of elements of %d bytes", size) {
					t.Errorf("panic %q", text)
				}
			}()
			transpose.Block(nil, nil, 0, 0, 0, 0, size)
		})
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(uint16(16), uint16(33), uint8(2), int8(0), int8(-3), uint8(1), uint64(1))
	f.Add(uint16(300), uint16(65), uint8(0), int8(5), int8(0), uint8(63), uint64(2))
	f.Fuzz(func(t *testing.T, rows, cols uint16, log uint8, dstGap, srcGap int8, skew uint8, seed uint64) {
		size := sizes[log%5]
		rng := rand.New(rand.NewPCG(seed, 0))
		transpose.Variants(size, func(name string, side int, block func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int)) {
			check(t, block, int(rows%600), int(cols%600), size, int(dstGap), int(srcGap), int(skew%64), rng)
		})
		transpose.Streamed(size, func(_ int, streamed func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int)) {
			checkStreamed(t, streamed, int(rows%600), int(cols%600), size, int(dstGap), int(srcGap), int(skew), rng)
		})
	})
}
