package ptx_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
	"github.com/tstore/tstore/internal/ptxvm"
)

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
	for _, typ := range ptxtest.ProductTypes {
		for _, copies := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/%v", typ, copies), func(t *testing.T) {
				t.Parallel()
				for i, s := range sizes {
					c := ptxtest.NewProduct(rand.New(rand.NewPCG(11, uint64(i))), typ, s[0], s[1], s[2], 2000)
					if err := compareProduct(c, copies); err != nil {
						t.Errorf("%d × %d × %d: %v", s[0], s[1], s[2], err)
					}
				}
			})
		}
	}
}

// compareProduct runs the product in launches of whole runs, in one or in several.
func compareProduct(c *ptxtest.Product, copies bool) error {
	want, err := c.Want(context.Background())
	if err != nil {
		return err
	}
	for _, runs := range []int{1 << 20, 1} {
		if runs == 1 && c.K <= gemm.RunLength(c.Type) {
			break
		}
		got, err := runProduct(c, copies, min(c.K, runs*gemm.RunLength(c.Type)))
		if err != nil {
			return err
		}
		size := c.Type.Size()
		for at := 0; at < len(want); at += size {
			if !jittest.SameBits(c.Type, got[at:at+size], want[at:at+size]) {
				i := at / size
				return fmt.Errorf("element (%d, %d) is %x, want %x", i/c.N, i%c.N, got[at:at+size], want[at:at+size])
			}
		}
	}
	return nil
}

// runProduct multiplies in launches of some steps each.
func runProduct(c *ptxtest.Product, copies bool, steps int) ([]byte, error) {
	var d ptxvm.Device
	m, err := d.Load(mutate(ptx.ProductText(c.Type, copies)))
	if err != nil {
		return nil, err
	}
	a, err := upload(&d, c.A)
	if err != nil {
		return nil, err
	}
	b, err := upload(&d, c.B)
	if err != nil {
		return nil, err
	}
	size := c.Type.Size()
	out, err := d.Alloc(c.M * c.N * size)
	if err != nil {
		return nil, err
	}

	for first := 0; first < c.K; first += steps {
		l := &ptxvm.Launch{
			Grid: c.Grid(), Block: [3]int{ptx.ProductThreads, 1, 1},
			Params: c.Params(a.Address(), b.Address(), out.Address(), first, min(steps, c.K-first)),
		}
		if err := m.Launch(context.Background(), ptx.ProductEntry, l); err != nil {
			return nil, err
		}
	}
	result := make([]byte, c.M*c.N*size)
	return result, out.Read(0, result)
}
