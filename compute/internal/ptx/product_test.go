package ptx_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/ptxvm"
)

// productTypes are those that products are computed in.
var productTypes = []dtype.Type{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64}

// TestProducts compares products with those of package gemm: with few and many steps, whole tiles
// and parts of some, in one launch and in several.
func TestProducts(t *testing.T) {
	sizes := [][3]int{{1, 1, 1}, {3, 5, 7}, {128, 128, 8}, {130, 9, 17}, {33, 17, 390}, {5, 260, 20}, {16, 20, 384}, {33, 17, 650}}
	switch {
	case testing.Short():
		sizes = sizes[:3]
	case !*long:
		sizes = sizes[:5] // of which the last has two runs
	}
	for _, typ := range productTypes {
		for _, copies := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/%v", typ, copies), func(t *testing.T) {
				t.Parallel()
				for i, s := range sizes {
					c := newProductCase(rand.New(rand.NewPCG(11, uint64(i))), typ, s[0], s[1], s[2])
					if err := c.compare(copies); err != nil {
						t.Errorf("%d × %d × %d: %v", s[0], s[1], s[2], err)
					}
				}
			})
		}
	}
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
	c := &productCase{typ: t, m: m, n: n, k: k}
	c.rowA, c.rowB = (m+rows-1)/rows*rows*t.Size(), (n+cols-1)/cols*cols*t.Size()+16*r.IntN(2)
	c.a, c.b = c.matrix(r, c.rowA), c.matrix(r, c.rowB)
	return c
}

// matrix returns numbers whose sums are rounded, and a few that are huge, small, infinite or NaN.
func (c *productCase) matrix(r *rand.Rand, row int) []byte {
	b := jittest.Aligned(c.k * row)
	jittest.Fill(r, b, c.typ)
	for at := 0; at < len(b); at += c.typ.Size() {
		if c.typ.Kind() == dtype.KindFloat && r.IntN(2000) > 0 {
			dtype.ScalarOf(r.NormFloat64() * math.Ldexp(1, r.IntN(20))).Convert(c.typ).Store(b[at:][:c.typ.Size()])
		}
	}
	return b
}

// want returns the product that package gemm makes.
func (c *productCase) want() ([]byte, error) {
	size := c.typ.Size()
	out := jittest.Aligned(c.m * c.n * size)
	job := gemm.New(gemm.Spec{
		M: c.m, N: c.n, K: c.k, Workers: 1,
		A: gemm.Operand{Base: unsafe.Pointer(&c.a[0]), Type: c.typ, Row: size, Col: c.rowA},
		B: gemm.Operand{Base: unsafe.Pointer(&c.b[0]), Type: c.typ, Row: c.rowB, Col: size},
		C: gemm.Operand{Base: unsafe.Pointer(&out[0]), Type: c.typ, Row: c.n * size, Col: size},
	})
	defer job.Close()
	return out, exec.Run(context.Background(), job, exec.Options{})
}

// compare runs the product in launches of whole runs, in one or in several.
func (c *productCase) compare(copies bool) error {
	want, err := c.want()
	if err != nil {
		return err
	}
	for _, runs := range []int{1 << 20, 1} {
		if runs == 1 && c.k <= gemm.RunLength(c.typ) {
			break
		}
		got, err := c.run(copies, min(c.k, runs*gemm.RunLength(c.typ)))
		if err != nil {
			return err
		}
		size := c.typ.Size()
		for at := 0; at < len(want); at += size {
			if !jittest.SameBits(c.typ, got[at:at+size], want[at:at+size]) {
				i := at / size
				return fmt.Errorf("element (%d, %d) is %x, want %x", i/c.n, i%c.n, got[at:at+size], want[at:at+size])
			}
		}
	}
	return nil
}

// run multiplies in launches of some steps each.
func (c *productCase) run(copies bool, steps int) ([]byte, error) {
	var d ptxvm.Device
	m, err := d.Load(mutate(ptx.ProductText(c.typ, copies)))
	if err != nil {
		return nil, err
	}
	a, err := upload(&d, c.a)
	if err != nil {
		return nil, err
	}
	b, err := upload(&d, c.b)
	if err != nil {
		return nil, err
	}
	size := c.typ.Size()
	out, err := d.Alloc(c.m * c.n * size)
	if err != nil {
		return nil, err
	}

	rows, cols := ptx.Tile(c.typ)
	for first := 0; first < c.k; first += steps {
		l := &ptxvm.Launch{Grid: [3]int{(c.n + cols - 1) / cols, (c.m + rows - 1) / rows, 1}, Block: [3]int{ptx.ProductThreads, 1, 1}, Params: []uint64{
			a.Address() + uint64(first*c.rowA), b.Address() + uint64(first*c.rowB), out.Address(),
			uint64(c.m), uint64(c.n), uint64(min(steps, c.k-first)),
			uint64(c.rowA), uint64(c.rowB), uint64(c.n * size), uint64(min(first, 1)),
		}}
		if err := m.Launch(context.Background(), ptx.ProductEntry, l); err != nil {
			return nil, err
		}
	}
	result := make([]byte, c.m*c.n*size)
	return result, out.Read(0, result)
}
