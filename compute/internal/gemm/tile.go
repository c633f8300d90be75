package gemm

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A target is where sums go: numbers of the register type, in rows.
type target struct {
	at     unsafe.Pointer
	stride int // bytes between rows
	size   int // bytes of a number
}

// multiply multiplies rows of panels of a by columns of panels of b, kc steps long, and stores the
// products in c or adds them to what is there. tile is memory for one tile.
func (m *micro) multiply(c target, a, b unsafe.Pointer, rows, cols, kc, add int, reg dtype.Type, tile unsafe.Pointer) {
	aPanel, bPanel := m.rows*kc*c.size, m.cols*kc*c.size
	for j := 0; j < cols; j += m.cols {
		from := a
		for i := 0; i < rows; i += m.rows {
			to := unsafe.Add(c.at, i*c.stride+j*c.size)

			if rows-i >= m.rows && cols-j >= m.cols {
				m.call(kc, from, b, to, c.stride, add)
			} else {
				m.call(kc, from, b, tile, m.cols*c.size, 0)
				part := target{to, c.stride, c.size}
				part.put(tile, m.cols*c.size, min(m.rows, rows-i), min(m.cols, cols-j), add, reg)
			}

			from = unsafe.Add(from, aPanel)
		}
		b = unsafe.Add(b, bPanel)
	}
}

// put stores or adds a part of a tile.
func (c target) put(tile unsafe.Pointer, tileStride, rows, cols, add int, reg dtype.Type) {
	switch reg {
	case dtype.Float32:
		putTile[float32](c, tile, tileStride, rows, cols, add)
	case dtype.Float64:
		putTile[float64](c, tile, tileStride, rows, cols, add)
	case dtype.Int32:
		putTile[int32](c, tile, tileStride, rows, cols, add)
	default:
		putTile[int64](c, tile, tileStride, rows, cols, add)
	}
}

func putTile[T number](c target, tile unsafe.Pointer, tileStride, rows, cols, add int) {
	for i := range rows {
		to := unsafe.Slice((*T)(unsafe.Add(c.at, i*c.stride)), cols)
		from := unsafe.Slice((*T)(unsafe.Add(tile, i*tileStride)), cols)
		if add == 0 {
			copy(to, from)
			continue
		}
		for j, v := range from {
			to[j] += v
		}
	}
}
