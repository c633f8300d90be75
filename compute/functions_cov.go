package compute

import (
	"fmt"
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

const covParams = "m, rowvar=True, bias=False, ddof=None"

// covarianceFunctions are about variables, whose values are rows of a matrix, or columns if rowvar is false.
var covarianceFunctions = []function{
	{name: "cov", params: covParams, bind: bindCov, doc: "covariances of the rows of a matrix, or of its columns: products of distances from the means, over n - 1, or n with bias"},
	{name: "corrcoef", params: "x, rowvar=True", bind: bindCorrelation, doc: "correlations: covariances over standard deviations"},
}

var (
	diagonalStep = mustMethods(".diagonal()")
	columnStep   = mustMethods(".reshape(-1, 1)")
	rowStep      = mustMethods(".reshape(1, -1)")
	squeezeStep  = mustMethods(".squeeze()")
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
	n, err = b.view(n, squeezeStep)
	return value{node: n}, err
}

// covariances returns the matrix of covariances of an operand.
func (b *binder) covariances(c *call, name string, ddof int) (*node, error) {
	x, err := c.operand(name)
	if err != nil {
		return nil, err
	}
	if len(x.shape) > 2 {
		return nil, fmt.Errorf("%s of shape %s: expected at most two axes", c.name(), formatShape(x.shape))
	}
	byRow, err := c.flag("rowvar", true)
	if err != nil {
		return nil, err
	}
	x = b.cast(x, dtype.Promote(x.dtype, dtype.Float64))
	switch {
	case len(x.shape) < 2:
		x, err = b.view(x, rowStep)
	case !byRow:
		x, err = b.view(x, transposeStep)
	}
	if err != nil {
		return nil, err
	}
	mean := b.reduction(x, nil, reduction{op: reduce.Mean, axes: []int{1}, keepDims: true})
	x = b.mapNode(kernel.Sub, []*node{x, mean}, x.shape)
	other, err := b.view(b.conjugated(x), transposeStep)
	if err != nil {
		return nil, err
	}
	made, err := b.product(c.name(), x, other, x.dtype)
	if err != nil {
		return nil, err
	}
	scale := b.scalar(dtype.ScalarOf(1 / math.Max(0, float64(x.shape[1]-ddof))).Convert(x.dtype))
	return b.mapNode(kernel.Mul, []*node{made, scale}, made.shape), nil
}

// bindCorrelation divides each part of complex covariances by itself, as NumPy does.
func bindCorrelation(b *binder, c *call) (value, error) {
	n, err := b.covariances(c, "x", 1)
	if err != nil {
		return value{}, err
	}
	t, re := n.dtype, n
	if t.Kind() == dtype.KindComplex {
		re = b.mapNode(kernel.Real, []*node{n}, n.shape)
	}
	made, err := b.correlations(re, re)
	if err != nil {
		return value{}, err
	}
	if t.Kind() == dtype.KindComplex {
		im, err := b.correlations(b.mapNode(kernel.Imag, []*node{n}, n.shape), re)
		if err != nil {
			return value{}, err
		}
		unit := b.scalar(dtype.ScalarOf(1i).Convert(t))
		im = b.mapNode(kernel.Mul, []*node{b.cast(im, t), unit}, n.shape)
		made = b.mapNode(kernel.Add, []*node{b.cast(made, t), im}, n.shape)
	}
	made, err = b.view(made, squeezeStep)
	return value{node: made}, err
}

// correlations divides covariances by the standard deviations, of which a matrix of covariances holds the squares.
func (b *binder) correlations(n, covariances *node) (*node, error) {
	variance, err := b.view(covariances, diagonalStep)
	if err != nil {
		return nil, err
	}
	deviation := b.mapNode(kernel.Sqrt, []*node{variance}, variance.shape)
	for _, step := range []view.Chain{columnStep, rowStep} {
		d, err := b.view(deviation, step)
		if err != nil {
			return nil, err
		}
		n = b.mapNode(kernel.Div, []*node{n, d}, n.shape)
	}
	low, high := b.scalar(dtype.ScalarOf(-1.0)), b.scalar(dtype.ScalarOf(1.0))
	return b.mapNode(kernel.Max, []*node{b.mapNode(kernel.Min, []*node{n, high}, n.shape), low}, n.shape), nil
}
