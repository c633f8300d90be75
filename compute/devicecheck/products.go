package devicecheck

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

// productTypes are those that products are computed in.
var productTypes = []dtype.Type{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64}

// products compares random products with those of package gemm.
func (c *check) products() error {
	n, edge := c.scaled(300, 8), c.scaled(700, 150)
	done, err := c.each(n, func(q *queue) (func(i int) error, error) {
		return func(i int) error {
			r := c.random("products", i)
			p := newProductCase(r, productTypes[i%len(productTypes)], 1+r.IntN(edge), 1+r.IntN(edge), 1+r.IntN(edge))
			copies := c.info.Major >= 8 && i/len(productTypes)%2 == 0
			if err := p.compare(q, copies); err != nil {
				return fmt.Errorf("product %d of seed %d, %d × %d × %d: %w", i, c.Seed, p.m, p.n, p.k, err)
			}
			return q.drop()
		}, nil
	})
	c.Report(counted("random products", done, n, err))
	return nil
}

// A productCase is two matrices. Both have their steps along rows, which are as long as tiles make
// them.
type productCase struct {
	typ        dtype.Type
	m, n, k    int
	a, b       []byte
	rowA, rowB int // bytes
}

func newProductCase(r *rand.Rand, t dtype.Type, m, n, k int) *productCase {
	rows, cols := ptx.Tile(t)
	p := &productCase{typ: t, m: m, n: n, k: k}
	p.rowA, p.rowB = (m+rows-1)/rows*rows*t.Size(), (n+cols-1)/cols*cols*t.Size()
	p.a, p.b = p.matrix(r, p.rowA), p.matrix(r, p.rowB)
	return p
}

// matrix returns numbers whose sums are rounded, and a few that are huge, small, infinite or NaN.
func (p *productCase) matrix(r *rand.Rand, row int) []byte {
	b := jittest.Aligned(p.k * row)
	jittest.Fill(r, b, p.typ)
	for at := 0; at < len(b); at += p.typ.Size() {
		if p.typ.Kind() == dtype.KindFloat && r.IntN(100_000) > 0 {
			dtype.ScalarOf(r.NormFloat64() * math.Ldexp(1, r.IntN(20))).Convert(p.typ).Store(b[at:][:p.typ.Size()])
		}
	}
	return b
}

// compare runs the product in one launch.
func (p *productCase) compare(q *queue, copies bool) error {
	size := p.typ.Size()
	want := jittest.Aligned(p.m * p.n * size)
	job := gemm.New(gemm.Spec{
		M: p.m, N: p.n, K: p.k, Workers: 1,
		A: gemm.Operand{Base: unsafe.Pointer(&p.a[0]), Type: p.typ, Row: size, Col: p.rowA},
		B: gemm.Operand{Base: unsafe.Pointer(&p.b[0]), Type: p.typ, Row: p.rowB, Col: size},
		C: gemm.Operand{Base: unsafe.Pointer(&want[0]), Type: p.typ, Row: p.n * size, Col: size},
	})
	defer job.Close()
	if err := exec.Run(q.check.ctx, job, exec.Options{}); err != nil {
		return err
	}

	m, err := q.compile(ptx.ProductText(p.typ, copies))
	if err != nil {
		return err
	}
	a, err1 := q.put(p.a)
	b, err2 := q.put(p.b)
	out, err3 := q.Memory(int64(len(want)))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if err := q.Launch(m, productLaunch(p.typ, a, b, out, [3]int{p.m, p.n, p.k}, p.rowA, p.rowB)); err != nil {
		return err
	}
	return q.compareAt(out, want, p.typ)
}

// productLaunch describes the launch of a product of m × k and k × n elements.
func productLaunch(t dtype.Type, a, b, out uint64, mnk [3]int, rowA, rowB int) *device.Launch {
	rows, cols := ptx.Tile(t)
	m, n := mnk[0], mnk[1]
	return &device.Launch{
		Entry: ptx.ProductEntry, Grid: [3]int{(n + cols - 1) / cols, (m + rows - 1) / rows, 1}, Block: [3]int{ptx.ProductThreads, 1, 1},
		Params: []uint64{a, b, out, uint64(m), uint64(n), uint64(mnk[2]), uint64(rowA), uint64(rowB), uint64(n * t.Size()), 0},
	}
}
