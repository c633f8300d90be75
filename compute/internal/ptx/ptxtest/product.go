package ptxtest

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

// ProductTypes are those that products are computed in.
var ProductTypes = []dtype.Type{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64}

// A Product is two matrices, m × k and k × n. Both have their steps along rows, which are as long as
// tiles make them.
type Product struct {
	Type       dtype.Type
	M, N, K    int
	A, B       []byte
	RowA, RowB int // bytes
}

// NewProduct returns a random product. One float in odd is of random bits.
func NewProduct(r *rand.Rand, t dtype.Type, m, n, k, odd int) *Product {
	rows, cols := ptx.Tile(t)
	p := &Product{Type: t, M: m, N: n, K: k}
	p.RowA, p.RowB = (m+rows-1)/rows*rows*t.Size(), (n+cols-1)/cols*cols*t.Size()+16*r.IntN(2)
	p.A, p.B = p.matrix(r, p.RowA, odd), p.matrix(r, p.RowB, odd)
	return p
}

// matrix returns numbers whose sums are rounded, and a few that are huge, small, infinite or NaN.
func (p *Product) matrix(r *rand.Rand, row, odd int) []byte {
	b := jittest.Aligned(p.K * row)
	jittest.Fill(r, b, p.Type)
	for at := 0; at < len(b); at += p.Type.Size() {
		if p.Type.Kind() == dtype.KindFloat && r.IntN(odd) > 0 {
			dtype.ScalarOf(r.NormFloat64() * math.Ldexp(1, r.IntN(20))).Convert(p.Type).Store(b[at:][:p.Type.Size()])
		}
	}
	return b
}

// Want returns the product that package gemm makes, row by row.
func (p *Product) Want(ctx context.Context) ([]byte, error) {
	size := p.Type.Size()
	c := jittest.Aligned(p.M * p.N * size)
	job := gemm.New(gemm.Spec{
		M: p.M, N: p.N, K: p.K, Workers: 1,
		A: gemm.Operand{Base: unsafe.Pointer(&p.A[0]), Type: p.Type, Row: size, Col: p.RowA},
		B: gemm.Operand{Base: unsafe.Pointer(&p.B[0]), Type: p.Type, Row: p.RowB, Col: size},
		C: gemm.Operand{Base: unsafe.Pointer(&c[0]), Type: p.Type, Row: p.N * size, Col: size},
	})
	defer job.Close()
	return c, exec.Run(ctx, job, exec.Options{})
}

// Grid returns the blocks of threads of a launch.
func (p *Product) Grid() [3]int {
	rows, cols := ptx.Tile(p.Type)
	return [3]int{(p.N + cols - 1) / cols, (p.M + rows - 1) / rows, 1}
}

// Params returns the parameters of a launch of steps of the product, from the first one on, with
// matrices at these addresses of a device. It adds to what is at c, but for the first step.
func (p *Product) Params(a, b, c uint64, first, steps int) []uint64 {
	return []uint64{
		a + uint64(first*p.RowA), b + uint64(first*p.RowB), c, uint64(p.M), uint64(p.N), uint64(steps),
		uint64(p.RowA), uint64(p.RowB), uint64(p.N * p.Type.Size()), uint64(min(first, 1)),
	}
}

// ScalarParams are the parameters of scalars, in words.
func ScalarParams(scalars [][]byte) (params []uint64) {
	for _, b := range scalars {
		var words [16]byte
		for at := range (copy(words[:], b) + 7) / 8 {
			params = append(params, binary.LittleEndian.Uint64(words[8*at:]))
		}
	}
	return params
}
