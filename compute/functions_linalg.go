package compute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/linalg"
	"github.com/tstore/tstore/dtype"
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

// matrixOperand returns an argument that is matrices of real numbers, as float64, and the type of what is made of them.
func (c *call) matrixOperand(name string) (*node, dtype.Type, error) {
	x, err := c.operand(name)
	if err != nil {
		return nil, dtype.Invalid, err
	}
	return c.b.matrices(c.name(), x)
}

// matrices returns x, which must be matrices of real numbers, as float64, and the type of what a function makes of them.
func (b *binder) matrices(function string, x *node) (*node, dtype.Type, error) {
	t := inexactType(value{node: x})
	switch {
	case len(x.shape) < 2:
		return nil, t, fmt.Errorf("%s of shape %s: expected at least two axes", function, formatShape(x.shape))
	case t != dtype.Float32 && t != dtype.Float64:
		return nil, t, fmt.Errorf("%s takes float32, float64, integer or bool elements, found %s", function, x.dtype)
	}
	return b.cast(x, dtype.Float64), t, nil
}

// squareOperand is matrixOperand for square matrices.
func (c *call) squareOperand(name string) (*node, dtype.Type, error) {
	x, t, err := c.matrixOperand(name)
	if err == nil && x.rows() != x.columns() {
		err = fmt.Errorf("%s of shape %s: expected square matrices, found %d rows and %d columns", c.name(), formatShape(x.shape), x.rows(), x.columns())
	}
	return x, t, err
}

func (n *node) rows() int    { return n.shape[len(n.shape)-2] }
func (n *node) columns() int { return n.shape[len(n.shape)-1] }

// batch returns the axes before those of matrices.
func (n *node) batch() []int { return n.shape[: len(n.shape)-2 : len(n.shape)-2] }

// decomposed returns the parts that some work makes of each matrix of x, as one node for all.
func (b *binder) decomposed(d *linalg.Decomposition, args ...*node) (*node, error) {
	shape := args[0].batch()
	for _, part := range d.Parts {
		d.Size += numElems(part)
	}
	shape = append(shape, d.Size)
	if _, err := view.NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	n := node{args: args, dtype: dtype.Float64, shape: shape, bulk: d}
	if need := d.Memory(n.arrays(), bulk.Room{}); b.opts.MemoryLimit > 0 && need > b.opts.MemoryLimit {
		return nil, fmt.Errorf("%s of shape %s works in memory and takes %s there, more than the limit of %s", d.Name, formatShape(args[0].shape), formatBytes(need), formatBytes(b.opts.MemoryLimit))
	}
	return b.bulkNode(n), nil
}

// partOf returns one of the parts of a decomposition, converted to t.
func (b *binder) partOf(n *node, i int, t dtype.Type) (*node, error) {
	d := n.bulk.(*linalg.Decomposition)
	offset := 0
	for _, before := range d.Parts[:i] {
		offset += numElems(before)
	}
	batch := n.shape[:len(n.shape)-1]
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
		made, err := b.reshaped(n, shape)
		if err != nil {
			return nil, err
		}
		return b.cast(made, t), nil
	}
	l, err := view.MakeLayout(shape, strides, offset)
	if err != nil {
		return nil, err
	}
	return b.cast(b.viewOf(n, l), t), nil
}

// one is a decomposition with one part.
func (b *binder) one(d *linalg.Decomposition, t dtype.Type, args ...*node) (value, error) {
	n, err := b.decomposed(d, args...)
	if err != nil {
		return value{}, err
	}
	n, err = b.partOf(n, 0, t)
	return value{node: n}, err
}

// squareWork returns what is done with square matrices of some size, whose result has a shape.
type squareWork func(n int) (shape []int, work linalg.Work)

func bindSquare(work squareWork) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, t, err := c.squareOperand("a")
		if err != nil {
			return value{}, err
		}
		shape, compute := work(x.rows())
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
	vector := len(y.shape) == 1
	if vector {
		y, err = b.reshaped(y, []int{y.shape[0], 1})
	}
	if err != nil {
		return value{}, err
	}
	if len(y.shape) < 2 || y.rows() != a.rows() {
		return value{}, fmt.Errorf("%s of shapes %s and %s: expected b with as many rows as a, %d", c.name(), formatShape(a.shape), formatShape(y.shape), a.rows())
	}
	if result := inexactType(value{node: y}); result != dtype.Float32 && result != dtype.Float64 {
		return value{}, fmt.Errorf("%s takes float32, float64, integer or bool elements, found %s", c.name(), y.dtype)
	} else if result == dtype.Float64 {
		t = result
	}
	batch, ok := joinShapes(a.batch(), y.batch())
	if !ok {
		return value{}, fmt.Errorf("%s: shapes %s do not go together before their last two axes", c.name(), formatShapes([]*node{a, y}))
	}
	if a, err = b.stretched(a, slices.Concat(batch, a.shape[len(a.shape)-2:])); err != nil {
		return value{}, err
	}
	if y, err = b.stretched(b.cast(y, dtype.Float64), slices.Concat(batch, y.shape[len(y.shape)-2:])); err != nil {
		return value{}, err
	}
	v, err := b.one(&linalg.Decomposition{Name: c.name(), Parts: [][]int{{a.columns(), y.columns()}}, Work: work}, t, a, y)
	if err == nil && vector {
		v.node, err = b.dropped(v.node, len(v.node.shape)-1)
	}
	return v, err
}

func bindQR(b *binder, c *call) (value, error) {
	x, t, err := c.matrixOperand("a")
	if err != nil {
		return value{}, err
	}
	k := min(x.rows(), x.columns())
	return b.several(c, t, &linalg.Decomposition{Parts: [][]int{{x.rows(), k}, {k, x.columns()}}, Work: linalg.QRWork}, x)
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
	k := min(x.rows(), x.columns())
	parts := [][]int{{x.rows(), k}, {k}, {k, x.columns()}}
	if full {
		parts = [][]int{{x.rows(), x.rows()}, {k}, {x.columns(), x.columns()}}
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
func (b *binder) singularValues(function string, x *node) (value, error) {
	x, t, err := b.matrices(function, x)
	if err != nil {
		return value{}, err
	}
	k := min(x.rows(), x.columns())
	return b.one(&linalg.Decomposition{Name: function, Parts: [][]int{{k}}, Work: linalg.SingularValuesWork}, t, x)
}

func bindEigh(b *binder, c *call) (value, error) {
	x, t, err := c.squareOperand("a")
	if err != nil {
		return value{}, err
	}
	n := x.rows()
	return b.several(c, t, &linalg.Decomposition{Parts: [][]int{{n}, {n, n}}, Work: linalg.EighWork}, x)
}

// several returns that part of a decomposition which the call names.
func (b *binder) several(c *call, t dtype.Type, d *linalg.Decomposition, x *node) (value, error) {
	d.Name = c.name()
	names := strings.Fields(c.t.fn.results)
	i := slices.Index(names, c.t.fn.result)
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
