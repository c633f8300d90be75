package gemm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/dtype"
)

// TestPanels multiplies what is packed, number by number, and stores the sums, part by part.
func TestPanels(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	sizes := [][3]int{{1, 1, 1}, {3, 5, 7}, {70, 129, 25}, {2, 3, 800}}
	for _, dt := range dtype.All() {
		t.Run(dt.String(), func(t *testing.T) {
			for n, size := range sizes {
				how, other := layouts[(n+int(dt))%len(layouts)], layouts[random.IntN(len(layouts))]
				a, b := newMatrix(dt, how, 2, size[0], size[2]), newMatrix(dt, other, 2, size[2], size[1])
				c := newMatrix(dt, "gaps", 2, size[0], size[1])
				a.fill(random, true)
				b.fill(random, true)
				multiplyPanels(gemm.NewPanels(spec(a, b, c, 1, 0)), 96)
				compareExact(t, fmt.Sprint(size, how, other), a, b, c)
			}
		})
	}
}

// multiplyPanels multiplies parts of some steps, rows and columns of each matrix.
func multiplyPanels(p *gemm.Panels, edge int) {
	m, n, k := p.Size()
	packer, size := p.NewPacker(), p.Type().Size()
	width := (edge + 63) / 64 * 64
	for batch := range p.Count() {
		for row := 0; row < m; row += edge {
			for col := 0; col < n; col += edge {
				at := gemm.Part{Batch: batch, Row: row, Rows: min(edge, m-row), Col: col, Cols: min(edge, n-col)}
				sums := make([]complex128, at.Rows*at.Cols)
				for at.From = 0; at.From < k; at.From += at.Long {
					at.Long = min(400, k-at.From)
					x, y := make([]byte, at.Long*width*size), make([]byte, at.Long*width*size)
					packer.PackA(x, at, width)
					packer.PackB(y, at, width)
					addPanels(sums, at, x, y, width, p.Type())
				}
				packer.Store(at, stored(sums, p.Type()))
			}
		}
	}
}

// addPanels adds the products of two panels.
func addPanels(sums []complex128, at gemm.Part, x, y []byte, width int, reg dtype.Type) {
	number := func(b []byte, step, i int) complex128 {
		return dtype.Load(reg, b[(step*width+i)*reg.Size():][:reg.Size()]).Complex128()
	}
	for step := range at.Long {
		for j := range at.Cols {
			for i, by := 0, number(y, step, j); i < at.Rows && by != 0; i++ {
				sums[i*at.Cols+j] += number(x, step, i) * by
			}
		}
	}
}

// stored returns the bytes of sums.
func stored(sums []complex128, reg dtype.Type) []byte {
	b := make([]byte, len(sums)*reg.Size())
	for i, v := range sums {
		dtype.ScalarOf(real(v)).Convert(reg).Store(b[i*reg.Size():][:reg.Size()])
	}
	return b
}
