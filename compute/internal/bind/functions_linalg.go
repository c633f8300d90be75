package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/linalg"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

var linalgFunctions = []function{
	{name: "solve", params: "a, b", bind: bindSolve, doc: "x of a @ x = b, where a is square; b is a vector if it has one axis, or else matrices"},
	{name: "lstsq", params: "a, b", bind: bindSolve, doc: "x for which the norm of a @ x - b is smallest, and of those the shortest"},
	{name: "inv", params: "a", bind: bindSquare(linalg.InvWork), doc: "inverse"},
	{name: "det", params: "a", bind: bindSquare(linalg.DetWork), doc: "determinant"},
	{name: "cholesky", params: "a", bind: bindSquare(linalg.CholeskyWork), doc: "the lower triangular l of l @ l.mT = a; of a the lower triangle is read"},
	{name: "eigvalsh", params: "a", bind: bindSquare(linalg.EigenvaluesWork), doc: "eigenvalues of symmetric matrices, ascending; of a the lower triangle is read"},
	{name: "eigh", params: "a", results: "eigenvalues eigenvectors", bind: bindEigh, doc: "those, and eigenvectors as columns: eigh(a).eigenvalues, eigh(a).eigenvectors"},
	{name: "qr", params: "a", results: "Q R", bind: bindQR, doc: "q with orthonormal columns and upper triangular r of q @ r = a: qr(a).Q, qr(a).R"},
	{name: "svd", params: "a, full_matrices=True", results: "U S Vh", bind: bindSVD, doc: "singular value decomposition a = U @ diag(S) @ Vh: svd(a).U, svd(a).S, svd(a).Vh"},
	{name: "svdvals", params: "x", bind: bindSVDVals, doc: "singular values, the largest first"},
}

// matrixOperand returns an argument that is matrices of real numbers, as float64, and the type of
// what is made of them.
func (c *call) matrixOperand(name string) (*graph.Node, dtype.Type, error) {
	x, err := c.operand(name)
	if err != nil {
		return nil, dtype.Invalid, err
	}
	return c.b.matrices(c.name(), x)
}

// matrices returns x, which must be matrices of real numbers, as float64, and the type of what a
// function makes of them.
func (b *binder) matrices(function string, x *graph.Node) (*graph.Node, dtype.Type, error) {
	t := inexactType(value{node: x})
	switch {
	case len(x.Shape) < 2:
		return nil, t, fmt.Errorf("%s of shape %s: expected at least two axes", function, syntax.FormatShape(x.Shape))
	case t != dtype.Float32 && t != dtype.Float64:
		return nil, t, fmt.Errorf("%s takes float32, float64, integer or bool elements, found %s", function, x.DType)
	}
	return b.Cast(x, dtype.Float64), t, nil
}

// squareOperand is matrixOperand for square matrices.
func (c *call) squareOperand(name string) (*graph.Node, dtype.Type, error) {
	x, t, err := c.matrixOperand(name)
	if err == nil && x.Rows() != x.Columns() {
		err = fmt.Errorf("%s of shape %s: expected square matrices, found %d rows and %d columns", c.name(), syntax.FormatShape(x.Shape), x.Rows(), x.Columns())
	}
	return x, t, err
}

// decomposed returns the parts that some work makes of each matrix of x, as one node for all.
func (b *binder) decomposed(d *linalg.Decomposition, args ...*graph.Node) (*graph.Node, error) {
	shape := args[0].Batch()
	for _, part := range d.Parts {
		d.Size += graph.NumElems(part)
	}
	shape = append(shape, d.Size)
	if _, err := view.NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	n := graph.Node{Args: args, DType: dtype.Float64, Shape: shape, Bulk: pass.WholeArrays{Work: d}}
	if need := d.Memory(pass.ArraysOf(&n), bulk.Room{}); b.Limits().MemoryLimit > 0 && need > b.Limits().MemoryLimit {
		return nil, fmt.Errorf("%s of shape %s works in memory and takes %s there, more than the limit of %s", d.Name, syntax.FormatShape(args[0].Shape), graph.FormatBytes(need), graph.FormatBytes(b.Limits().MemoryLimit))
	}
	return b.BulkNode(n), nil
}

// partOf returns part i of a decomposition, converted to t. The node holds all parts of one matrix
// one after the other, and then those of the next matrix.
func (b *binder) partOf(n *graph.Node, i int, t dtype.Type) (*graph.Node, error) {
	d := n.Bulk.(pass.WholeArrays).Work.(*linalg.Decomposition)
	offset := 0
	for _, before := range d.Parts[:i] {
		offset += graph.NumElems(before)
	}

	// Within a part the strides are those of a contiguous matrix. From one matrix of the batch to
	// the next it is the size of all parts.
	batch := n.Shape[:len(n.Shape)-1]
	shape := slices.Concat(batch, d.Parts[i])
	strides := make([]int, len(shape))
	step := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if axis == len(batch)-1 {
			step = d.Size
		}
		strides[axis] = step
		step *= max(shape[axis], 1)
	}

	if len(d.Parts) == 1 {
		made, err := b.Reshaped(n, shape)
		if err != nil {
			return nil, err
		}
		return b.Cast(made, t), nil
	}

	l, err := view.MakeLayout(shape, strides, offset)
	if err != nil {
		return nil, err
	}
	return b.Cast(b.ViewOf(n, l), t), nil
}

// one is a decomposition with one part.
func (b *binder) one(d *linalg.Decomposition, t dtype.Type, args ...*graph.Node) (value, error) {
	n, err := b.decomposed(d, args...)
	if err != nil {
		return value{}, err
	}
	n, err = b.partOf(n, 0, t)
	return value{node: n}, err
}

// squareWork returns the work on square matrices of n rows, and the shape of its result.
type squareWork func(n int) (shape []int, work linalg.Work)

func bindSquare(work squareWork) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, t, err := c.squareOperand("a")
		if err != nil {
			return value{}, err
		}
		shape, compute := work(x.Rows())
		return b.one(&linalg.Decomposition{Name: c.name(), Parts: [][]int{shape}, Work: compute}, t, x)
	}
}

func bindSolve(b *binder, c *call) (value, error) {
	operand, work := c.squareOperand, linalg.SolveWork
	if c.name() == "lstsq" {
		operand, work = c.matrixOperand, linalg.LeastSquaresWork
	}

	a, t, err := operand("a")
	if err != nil {
		return value{}, err
	}
	y, err := c.operand("b")
	if err != nil {
		return value{}, err
	}

	vector := len(y.Shape) == 1
	if vector {
		y, err = b.Reshaped(y, []int{y.Shape[0], 1})
	}
	if err != nil {
		return value{}, err
	}

	if len(y.Shape) < 2 || y.Rows() != a.Rows() {
		return value{}, fmt.Errorf("%s of shapes %s and %s: expected b with as many rows as a, %d", c.name(), syntax.FormatShape(a.Shape), syntax.FormatShape(y.Shape), a.Rows())
	}
	if result := inexactType(value{node: y}); result != dtype.Float32 && result != dtype.Float64 {
		return value{}, fmt.Errorf("%s takes float32, float64, integer or bool elements, found %s", c.name(), y.DType)
	} else if result == dtype.Float64 {
		t = result
	}

	batch, ok := graph.JoinShapes(a.Batch(), y.Batch())
	if !ok {
		return value{}, fmt.Errorf("%s: shapes %s do not go together before their last two axes", c.name(), graph.FormatShapes([]*graph.Node{a, y}))
	}
	if a, err = b.Stretched(a, slices.Concat(batch, a.Shape[len(a.Shape)-2:])); err != nil {
		return value{}, err
	}
	if y, err = b.Stretched(b.Cast(y, dtype.Float64), slices.Concat(batch, y.Shape[len(y.Shape)-2:])); err != nil {
		return value{}, err
	}

	v, err := b.one(&linalg.Decomposition{Name: c.name(), Parts: [][]int{{a.Columns(), y.Columns()}}, Work: work}, t, a, y)
	if err == nil && vector {
		v.node, err = b.Dropped(v.node, len(v.node.Shape)-1)
	}
	return v, err
}

func bindQR(b *binder, c *call) (value, error) {
	x, t, err := c.matrixOperand("a")
	if err != nil {
		return value{}, err
	}
	k := min(x.Rows(), x.Columns())
	return b.several(c, t, &linalg.Decomposition{Parts: [][]int{{x.Rows(), k}, {k, x.Columns()}}, Work: linalg.QRWork}, x)
}

func bindSVD(b *binder, c *call) (value, error) {
	x, t, err := c.matrixOperand("a")
	if err != nil {
		return value{}, err
	}
	full, err := c.flag("full_matrices", true)
	if err != nil {
		return value{}, err
	}
	k := min(x.Rows(), x.Columns())
	parts := [][]int{{x.Rows(), k}, {k}, {k, x.Columns()}}
	if full {
		parts = [][]int{{x.Rows(), x.Rows()}, {k}, {x.Columns(), x.Columns()}}
	}
	return b.several(c, t, &linalg.Decomposition{Parts: parts, Work: linalg.SVDWork(full)}, x)
}

func bindSVDVals(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	return b.singularValues(c.name(), x)
}

// singularValues returns those of matrices, the largest first.
func (b *binder) singularValues(function string, x *graph.Node) (value, error) {
	x, t, err := b.matrices(function, x)
	if err != nil {
		return value{}, err
	}
	k := min(x.Rows(), x.Columns())
	return b.one(&linalg.Decomposition{Name: function, Parts: [][]int{{k}}, Work: linalg.SingularValuesWork}, t, x)
}

func bindEigh(b *binder, c *call) (value, error) {
	x, t, err := c.squareOperand("a")
	if err != nil {
		return value{}, err
	}
	n := x.Rows()
	return b.several(c, t, &linalg.Decomposition{Parts: [][]int{{n}, {n, n}}, Work: linalg.EighWork}, x)
}

// several returns that part of a decomposition which the call names.
func (b *binder) several(c *call, t dtype.Type, d *linalg.Decomposition, x *graph.Node) (value, error) {
	d.Name = c.name()
	names := strings.Fields(c.t.Fn.Results)
	i := slices.Index(names, c.t.Fn.Result)
	if i < 0 {
		all := strings.ToLower(strings.Join(names, ", "))
		return value{}, fmt.Errorf("%[1]s makes %[2]d arrays: pick one, as in %[1]s(…).%[3]s, or name all, as in %[4]s = %[1]s(…)", c.name(), len(names), names[0], all)
	}
	n, err := b.decomposed(d, x)
	if err != nil {
		return value{}, err
	}
	n, err = b.partOf(n, i, t)
	return value{node: n}, err
}
