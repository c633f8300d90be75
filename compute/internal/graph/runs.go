package graph

import (
	"cmp"

	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// MatmulShare is the share of the memory limit, 1/MatmulShare, for the buffers of a product that
// does not fit in memory. The rest is for pages of the files.
const MatmulShare = 4

// inRuns returns the operands of a product. If tiles would read pieces of pages all over a file,
// again and again, both follow a second time in the order of tiles: run of k after run, in each of
// them row after row. A pass before the product copies them to scratch. An operand that is read as
// it is stands there twice.
func (b *Builder) inRuns(x, y *Node, t dtype.Type) ([]*Node, error) {
	args := []*Node{x, y}
	limit := b.opts.MemoryLimit
	if b.opts.Scratch == nil || len(x.Shape) != 2 || len(y.Shape) != 2 || productBytes(x, y, t) <= limit {
		return args, nil
	}

	// The size of a tile tells how often an operand is read.
	rows, cols := x.Shape[0], y.Shape[1]
	down, aside, _ := gemm.TileSize(t, rows, cols, limit/MatmulShare, true)
	var runs [2]*Node
	var err error
	if cols > aside { // or else it is read once
		runs[0], err = b.runsOf(x, down, t)
	}
	if err == nil && rows > down {
		if y, err = b.Swapped(y); err == nil {
			runs[1], err = b.runsOf(y, aside, t)
		}
	}

	// A matrix times its own transpose needs one copy.
	if runs[0] != nil && runs[1] != nil && runs[0].After == runs[1].After && SameElements(runs[0].Tensor, runs[1].Tensor) {
		runs[1] = runs[0]
	}
	if runs != [2]*Node{} {
		args = append(args, cmp.Or(runs[0], args[0]), cmp.Or(runs[1], args[1]))
	}
	return args, err
}

// productBytes returns the bytes of two matrices and of their product.
func productBytes(x, y *Node, t dtype.Type) int64 {
	m, k, n := int64(x.Shape[0]), int64(x.Shape[1]), int64(y.Shape[1])
	return m*k*int64(x.DType.Size()) + k*n*int64(y.DType.Size()) + m*n*int64(t.Size())
}

// runsOf returns the whole runs of the rows of x, of shape (runs, rows, elements of a run), or nil
// if tiles of so many rows read x well as it is. What is behind the last whole run is read as it
// is.
func (b *Builder) runsOf(x *Node, tile int, t dtype.Type) (*Node, error) {
	rows, long := x.Shape[0], gemm.RunElems(t)
	runs := x.Shape[1] / long
	if runs == 0 || x.Kind != NodeTensor || !x.Tensor.Storage().FileBacked() {
		return nil, nil
	}

	// Tiles that touch few pages beside their own read x as it is.
	part := view.Index{view.Span(0, min(tile, rows)), view.Span(0, long)}
	if !Scattered(x.Tensor.Layout(), x.DType.Size(), part, b.opts.MemoryLimit/AheadShare) {
		return nil, nil
	}

	// The runs follow one another, and in each of them the rows.
	whole, err := b.View(x, view.Chain{view.IndexStep(view.Index{view.All(), view.Span(0, runs*long)})})
	if err == nil {
		whole, err = b.Reshaped(whole, []int{rows, runs, long})
	}
	if err != nil {
		return nil, err
	}
	return b.Permuted(whole, []int{1, 0, 2})
}

// Runs returns the node that has an operand of a product in runs of k, nil if none has.
func (n *Node) Runs(operand int) *Node {
	if len(n.Args) == 2 || n.Args[2+operand] == n.Args[operand] {
		return nil
	}
	return n.Args[2+operand]
}

// AheadShare is the largest share of the memory limit, 1/AheadShare, for reading ahead at a time.
// It applies if operands and result of a product exceed the limit.
const AheadShare = 8

// Scattered reports whether a box of elements of some size, which lie in a file, touches far more
// bytes than it uses, and more than so many.
func Scattered(l view.Layout, size int, box view.Index, most int64) bool {
	part, err := l.Index(box)
	if err != nil {
		return false // as computing the box will say
	}
	lo, hi := part.Bounds()
	bytes := int64(hi-lo) * int64(size)
	return bytes > most && bytes > 4*int64(Touched(part))*int64(size)
}
