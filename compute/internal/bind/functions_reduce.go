package bind

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
)

const (
	sumParams  = "a, axis=None, dtype=None, keepdims=False, initial=None, where=True"
	meanParams = "a, axis=None, dtype=None, keepdims=False, where=True"
	varParams  = "a, axis=None, dtype=None, ddof=0, keepdims=False, where=True"
	minParams  = "a, axis=None, keepdims=False, initial=None, where=True"
	anyParams  = "a, axis=None, keepdims=False, where=True"
	axisParams = "a, axis=None, keepdims=False"
)

// reductionFunctions reduce over one axis, a tuple of them, or all of them if axis is None.
var reductionFunctions = []function{
	{name: "sum", params: sumParams, bind: bindReduction(reduce.Sum, bindAdd), doc: "sum; of bools and integers int64 or uint64"},
	{name: "prod", params: sumParams, bind: bindReduction(reduce.Prod, bindMul), doc: "product; of bools and integers int64 or uint64"},
	{name: "mean", params: meanParams, bind: bindReduction(reduce.Mean, nil), doc: "mean; of bools and integers float64"},
	{name: "var", params: varParams, bind: bindReduction(reduce.Var, nil), doc: "sum of squared distances from the mean over n - ddof"},
	{name: "std", params: varParams, bind: bindReduction(reduce.Std, nil), doc: "square root of var"},
	{name: "min", aliases: "amin", params: minParams, bind: bindExtremum(reduce.Min, kernel.Min), doc: "smallest element, NaN if one is"},
	{name: "max", aliases: "amax", params: minParams, bind: bindExtremum(reduce.Max, kernel.Max), doc: "largest element, NaN if one is"},
	{name: "ptp", params: axisParams, bind: bindRange, doc: "max - min"},
	{name: "argmin", params: axisParams, bind: bindArg(bindReduction(reduce.ArgMin, nil)), doc: "index of the first smallest element, or NaN; along one axis, or in C order"},
	{name: "argmax", params: axisParams, bind: bindArg(bindReduction(reduce.ArgMax, nil)), doc: "index of the first largest element, or NaN; along one axis, or in C order"},
	{name: "any", params: anyParams, bind: bindReduction(reduce.Any, nil), doc: "whether one element is not 0"},
	{name: "all", params: anyParams, bind: bindReduction(reduce.All, nil), doc: "whether no element is 0"},
	{name: "count_nonzero", params: axisParams, bind: bindReduction(reduce.CountNonzero, nil), doc: "how many elements are not 0"},
	{name: "norm", params: "x, ord=None, axis=None, keepdims=False", bind: bindNorm, doc: "norm of vectors (1, 2, inf, -inf, 0, any p) or matrices (\"fro\", \"nuc\", 1, -1, 2, -2, inf, -inf)"},
	{name: "logsumexp", params: axisParams, bind: bindReduction(reduce.LogSumExp, nil), doc: "log(sum(exp(a))) without overflow"},
	{name: "average", params: "a, axis=None, weights=None, keepdims=False", bind: bindAverage, doc: "mean, or sum(a*weights)/sum(weights), with weights of the shape of a or of the axis"},
	{name: "nansum", params: sumParams, bind: bindNaNReduction(reduce.Sum, bindAdd), doc: "sum of what is not NaN"},
	{name: "nanprod", params: sumParams, bind: bindNaNReduction(reduce.Prod, bindMul), doc: "product of what is not NaN"},
	{name: "nanmean", params: meanParams, bind: bindNaNReduction(reduce.Mean, nil), doc: "mean of what is not NaN"},
	{name: "nanvar", params: varParams, bind: bindNaNReduction(reduce.Var, nil), doc: "var of what is not NaN"},
	{name: "nanstd", params: varParams, bind: bindNaNReduction(reduce.Std, nil), doc: "std of what is not NaN"},
	{name: "nanmin", params: minParams, bind: bindExtremum(reduce.FMin, kernel.FMin), doc: "smallest element that is not NaN"},
	{name: "nanmax", params: minParams, bind: bindExtremum(reduce.FMax, kernel.FMax), doc: "largest element that is not NaN"},
	{name: "nanargmin", params: axisParams, bind: bindArg(bindNaNReduction(reduce.ArgMin, nil)), doc: "index of the first smallest element that is not NaN"},
	{name: "nanargmax", params: axisParams, bind: bindArg(bindNaNReduction(reduce.ArgMax, nil)), doc: "index of the first largest element that is not NaN"},
}
