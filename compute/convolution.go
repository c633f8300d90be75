package compute

import (
	"cmp"
	"fmt"

	"github.com/tstore/tstore/compute/internal/bind"
)

// ConvolveOptions say which sums of products [Convolve] and its kin make. The zero value is a valid
// choice.
type ConvolveOptions struct {
	Mode      string // "full", "same" or "valid"; empty for the default of the function
	Method    string // "auto", "direct" or "fft"; empty for "auto"
	Boundary  string // of matrices: "fill", "wrap" or "symm"; empty for "fill"
	FillValue Expr   // of matrices: what is beyond the edges; the zero value for 0
}

// Convolve is the convolution of two vectors: the sums of a[i-k]·v[k], in full by default.
func Convolve(a, v Expr, o *ConvolveOptions) Expr { return o.call("convolve", "full", a, v) }

// Correlate is the correlation of two vectors: the sums of a[i+k]·conj(v[k]), of whole overlaps by
// default.
func Correlate(a, v Expr, o *ConvolveOptions) Expr { return o.call("correlate", "valid", a, v) }

// Convolve2D is the convolution of two matrices, in full by default.
func Convolve2D(a, v Expr, o *ConvolveOptions) Expr { return o.call("convolve2d", "full", a, v) }

// Correlate2D is the correlation of two matrices, in full by default.
func Correlate2D(a, v Expr, o *ConvolveOptions) Expr { return o.call("correlate2d", "full", a, v) }

func (o *ConvolveOptions) call(name, mode string, a, v Expr) Expr {
	var all ConvolveOptions
	if o != nil {
		all = *o
	}
	args := []Expr{a, v, Text(cmp.Or(all.Mode, mode))}
	if bind.Functions().Find(name).Param("boundary") >= 0 {
		if all.FillValue.term == nil {
			all.FillValue = Scalar(0)
		}
		args = append(args, Text(cmp.Or(all.Boundary, "fill")), all.FillValue)
	} else if all.Boundary != "" || all.FillValue.term != nil {
		return errorExpr(fmt.Errorf("%s has no boundary: it is for matrices", name))
	}
	return Call(name, append(args, Text(cmp.Or(all.Method, "auto")))...)
}
