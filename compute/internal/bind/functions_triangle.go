package bind

import (
	"cmp"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// triangleFunctions tell the places of a matrix by their distance from its diagonal.
var triangleFunctions = []function{
	{name: "tril", params: "m, k=0", bind: bindTriangle("<="), doc: "the lower triangles of matrices, up to diagonal k, and zeros"},
	{name: "triu", params: "m, k=0", bind: bindTriangle(">="), doc: "the upper triangles of matrices, from diagonal k on, and zeros"},
	{name: "tri", params: "N, M=None, k=0, dtype=float64", bind: bindDiagonal("<="), doc: "ones up to diagonal k of a matrix of N rows and M columns, or N, and zeros"},
	{name: "eye", params: "N, M=None, k=0, dtype=float64", bind: bindDiagonal("=="), doc: "ones on diagonal k of a matrix of N rows and M columns, or N, and zeros"},
	{name: "identity", params: "N, dtype=float64", bind: bindDiagonal("=="), doc: "ones on the diagonal of a matrix of N rows and columns"},
}

// onDiagonal returns which elements of a matrix are on diagonal k, or on a side of it.
func (b *binder) onDiagonal(c *call, compare string, rows, columns, k int) (*graph.Node, error) {
	v, err := b.write(c, "arange(columns) - k "+compare+" arange(rows)[:, newaxis]",
		given{"rows": weakInt(rows), "columns": weakInt(columns), "k": weakInt(k)})
	return v.node, err
}

func bindTriangle(compare string) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		m, err1 := c.operand("m")
		k, err2 := c.int("k", 0)
		if err := cmp.Or(err1, err2); err != nil {
			return value{}, err
		}
		rank := len(m.Shape)
		if rank == 0 {
			return value{}, fmt.Errorf("%s of shape %s: expected matrices", c.name(), syntax.FormatShape(m.Shape))
		}

		// As in NumPy, a row stands for all rows of a square matrix.
		mask, err := b.onDiagonal(c, compare, m.Shape[max(rank-2, 0)], m.Shape[rank-1], k)
		if err != nil {
			return value{}, err
		}
		return b.write(c, "where(mask, x, False)", given{"mask": valueOf(mask), "x": valueOf(m)})
	}
}

func bindDiagonal(compare string) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		rows, err := c.int("N", 0)
		if err != nil {
			return value{}, err
		}
		columns, k := rows, 0
		if c.has("M") {
			var err1, err2 error
			columns, err1 = c.int("M", rows)
			k, err2 = c.int("k", 0)
			if err := cmp.Or(err1, err2); err != nil {
				return value{}, err
			}
		}
		if min(rows, columns) < 0 {
			return value{}, fmt.Errorf("%s of shape (%d, %d): expected sizes of 0 or more", c.name(), rows, columns)
		}
		t, err := c.dtype("dtype", dtype.Float64)
		if err != nil {
			return value{}, err
		}
		n, err := b.onDiagonal(c, compare, rows, columns, k)
		if err != nil {
			return value{}, err
		}
		return valueOf(b.Cast(n, t)), nil
	}
}
