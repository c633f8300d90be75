package compute

import "github.com/tstore/tstore/compute/internal/term"

// QuantileOptions are the arguments of [Quantile]. The zero value takes all axes and interpolates
// linearly.
type QuantileOptions struct {
	Axes     []int  // nil for all; empty for none
	KeepDims bool   // reduced axes stay, with size 1
	Method   string // "" means "linear"; docs/expressions.md lists the others
	SkipNaN  bool   // quantiles of what is not NaN, instead of NaN where an element is
}

// Quantile is the value that a share q of the elements of e, from 0 to 1, does not exceed. The axes
// of q come before the axes of e that are not reduced.
func Quantile(e, q Expr, o QuantileOptions) Expr {
	name := "quantile"
	if o.SkipNaN {
		name = "nanquantile"
	}
	r := Reduction(name, e, ReduceOptions{Axes: o.Axes, KeepDims: o.KeepDims})
	if r.term == nil || r.term.Kind != term.Call || q.term == nil {
		return Call(name, e, q)
	}
	r.term.Args[r.term.Fn.Param("q")] = q.term
	if o.Method != "" {
		r.term.Args[r.term.Fn.Param("method")] = &term.Term{Kind: term.Text, Name: o.Method}
	}
	return r
}

// Median is the median of e, NaN if an element is.
func Median(e Expr, o ReduceOptions) Expr { return Reduction("median", e, o) }
