package devicecheck

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
)

// products compares random products with those of package gemm.
func (c *check) products() error {
	n, edge := c.scaled(300, 8), c.scaled(700, 150)
	done, err := c.each(n, func(q *queue) (func(i int) error, error) {
		return func(i int) error {
			r := c.random("products", i)
			p := ptxtest.NewProduct(r, ptxtest.ProductTypes[i%len(ptxtest.ProductTypes)], 1+r.IntN(edge), 1+r.IntN(edge), 1+r.IntN(edge), 100_000)
			copies := c.info.Major >= 8 && i/len(ptxtest.ProductTypes)%2 == 0
			if err := compareProduct(q, p, copies); err != nil {
				return fmt.Errorf("product %d of seed %d, %d × %d × %d: %w", i, c.Seed, p.M, p.N, p.K, err)
			}
			return q.drop()
		}, nil
	})
	c.Report(counted("random products", done, n, err))
	return nil
}

// compareProduct runs a product in one launch.
func compareProduct(q *queue, p *ptxtest.Product, copies bool) error {
	want, err := p.Want(q.check.ctx)
	if err != nil {
		return err
	}
	m, err := q.compile(ptx.ProductText(p.Type, copies))
	if err != nil {
		return err
	}
	a, err1 := q.put(p.A)
	b, err2 := q.put(p.B)
	out, err3 := q.Memory(int64(len(want)))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if err := q.Launch(m, productLaunch(p, a, b, out)); err != nil {
		return err
	}
	return q.compareAt(out, want, p.Type)
}

// productLaunch describes the launch of a product as a whole.
func productLaunch(p *ptxtest.Product, a, b, out uint64) *device.Launch {
	return &device.Launch{
		Entry: ptx.ProductEntry, Grid: p.Grid(), Block: [3]int{ptx.ProductThreads, 1, 1}, Params: p.Params(a, b, out, 0, p.K),
	}
}
