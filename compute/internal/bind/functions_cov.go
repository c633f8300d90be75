package bind

import (
	"fmt"
	"math"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

const covParams = "m, rowvar=True, bias=False, ddof=None"

// covarianceFunctions are about variables, whose values are rows of a matrix, or columns if rowvar
// is false.
var covarianceFunctions = []function{
	{name: "cov", params: covParams, bind: bindCov, doc: "covariances of the rows of a matrix, or of its columns: products of distances from the means, over n - 1, or n with bias"},
	{name: "corrcoef", params: "x, rowvar=True", bind: bindCorrelation, doc: "correlations: covariances over standard deviations"},
}

var (
	diagonalStep = graph.MustMethods(".diagonal()")
	columnStep   = graph.MustMethods(".reshape(-1, 1)")
	rowStep      = graph.MustMethods(".reshape(1, -1)")
	squeezeStep  = graph.MustMethods(".squeeze()")
)

func bindCov(b *binder, c *call) (value, error) {
	bias, err := c.flag("bias", false)
	if err != nil {
		return value{}, err
	}
	otherwise := 1
	if bias {
		otherwise = 0
	}

	ddof, err := c.int("ddof", otherwise)
	if err != nil {
		return value{}, err
	}

	n, err := b.covariances(c, "m", ddof)
	if err != nil {
		return value{}, err
	}
	n, err = b.View(n, squeezeStep)
	return value{node: n}, err
}

// covariances returns the matrix of covariances of an operand.
func (b *binder) covariances(c *call, name string, ddof int) (*graph.Node, error) {
	x, err := c.operand(name)
	if err != nil {
		return nil, err
	}
	if len(x.Shape) > 2 {
		return nil, fmt.Errorf("%s of shape %s: expected at most two axes", c.name(), syntax.FormatShape(x.Shape))
	}

	byRow, err := c.flag("rowvar", true)
	if err != nil {
		return nil, err
	}

	x = b.Cast(x, dtype.Promote(x.DType, dtype.Float64))
	switch {
	case len(x.Shape) < 2:
		x, err = b.View(x, rowStep)
	case !byRow:
		x, err = b.View(x, graph.TransposeStep)
	}
	if err != nil {
		return nil, err
	}

	// Subtract the mean of each row. The covariances are then the product of x with its conjugate
	// transpose, over the degrees of freedom.
	mean := b.Reduction(x, nil, graph.Reduction{Op: reduce.Mean, Axes: []int{1}, KeepDims: true})
	x = b.MapNode(kernel.Sub, []*graph.Node{x, mean}, x.Shape)
	other, err := b.View(b.conjugated(x), graph.TransposeStep)
	if err != nil {
		return nil, err
	}

	made, err := b.Product(c.name(), x, other, x.DType)
	if err != nil {
		return nil, err
	}

	// Without degrees of freedom the scale is infinite, and the result Inf or NaN as in NumPy.
	scale := b.Scalar(dtype.ScalarOf(1 / math.Max(0, float64(x.Shape[1]-ddof))).Convert(x.DType))
	return b.MapNode(kernel.Mul, []*graph.Node{made, scale}, made.Shape), nil
}

// bindCorrelation divides the real and the imaginary part of complex covariances separately, as
// NumPy does.
func bindCorrelation(b *binder, c *call) (value, error) {
	n, err := b.covariances(c, "x", 1)
	if err != nil {
		return value{}, err
	}

	t, re := n.DType, n
	if t.Kind() == dtype.KindComplex {
		re = b.MapNode(kernel.Real, []*graph.Node{n}, n.Shape)
	}

	made, err := b.correlations(re, re)
	if err != nil {
		return value{}, err
	}

	if t.Kind() == dtype.KindComplex {
		im, err := b.correlations(b.MapNode(kernel.Imag, []*graph.Node{n}, n.Shape), re)
		if err != nil {
			return value{}, err
		}
		unit := b.Scalar(dtype.ScalarOf(1i).Convert(t))
		im = b.MapNode(kernel.Mul, []*graph.Node{b.Cast(im, t), unit}, n.Shape)
		made = b.MapNode(kernel.Add, []*graph.Node{b.Cast(made, t), im}, n.Shape)
	}

	made, err = b.View(made, squeezeStep)
	return value{node: made}, err
}

// correlations divides covariances by the standard deviations. Their squares are the diagonal of
// the matrix of covariances.
func (b *binder) correlations(n, covariances *graph.Node) (*graph.Node, error) {
	variance, err := b.View(covariances, diagonalStep)
	if err != nil {
		return nil, err
	}
	deviation := b.MapNode(kernel.Sqrt, []*graph.Node{variance}, variance.Shape)
	for _, step := range []view.Chain{columnStep, rowStep} {
		d, err := b.View(deviation, step)
		if err != nil {
			return nil, err
		}
		n = b.MapNode(kernel.Div, []*graph.Node{n, d}, n.Shape)
	}
	low, high := b.Scalar(dtype.ScalarOf(-1.0)), b.Scalar(dtype.ScalarOf(1.0))
	return b.MapNode(kernel.Max, []*graph.Node{b.MapNode(kernel.Min, []*graph.Node{n, high}, n.Shape), low}, n.Shape), nil
}
