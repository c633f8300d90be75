package compute

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/bind"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Add is e + o; of bools, or.
func (e Expr) Add(o Expr) Expr { return Call("add", e, o) }

// Sub is e - o.
func (e Expr) Sub(o Expr) Expr { return Call("subtract", e, o) }

// Mul is e * o; of bools, and.
func (e Expr) Mul(o Expr) Expr { return Call("multiply", e, o) }

// Div is e / o, which is a float also of integers.
func (e Expr) Div(o Expr) Expr { return Call("divide", e, o) }

// FloorDiv is e // o, rounded towards minus infinity.
func (e Expr) FloorDiv(o Expr) Expr { return Call("floor_divide", e, o) }

// Mod is e % o, with the sign of o.
func (e Expr) Mod(o Expr) Expr { return Call("remainder", e, o) }

// Pow is e ** o.
func (e Expr) Pow(o Expr) Expr { return Call("power", e, o) }

// Neg is -e.
func (e Expr) Neg() Expr { return Call("negative", e) }

// And is e & o: of integers the bits, of bools the truth of both.
func (e Expr) And(o Expr) Expr { return Call("bitwise_and", e, o) }

// Or is e | o.
func (e Expr) Or(o Expr) Expr { return Call("bitwise_or", e, o) }

// Xor is e ^ o.
func (e Expr) Xor(o Expr) Expr { return Call("bitwise_xor", e, o) }

// Not is ~e: of integers all bits inverted, of bools the opposite.
func (e Expr) Not() Expr { return Call("invert", e) }

// Shl is e << o.
func (e Expr) Shl(o Expr) Expr { return Call("left_shift", e, o) }

// Shr is e >> o.
func (e Expr) Shr(o Expr) Expr { return Call("right_shift", e, o) }

// Result is one of the arrays that a function makes which makes several, by its name: Call("qr",
// a).Result("Q").
func (e Expr) Result(name string) Expr {
	if e.term != nil && e.term.Kind == term.Call {
		if fn := e.term.Fn.Picks(name); fn != nil {
			return Expr{&term.Term{Kind: term.Call, Fn: fn, Args: e.term.Args}}
		}
	}
	return errorExpr(fmt.Errorf("%v has no result %q", e, name))
}

// MatMul is e @ o: products of the matrices in the last two axes.
func (e Expr) MatMul(o Expr) Expr { return Call("matmul", e, o) }

// Eq is e == o.
func (e Expr) Eq(o Expr) Expr { return Call("equal", e, o) }

// Ne is e != o.
func (e Expr) Ne(o Expr) Expr { return Call("not_equal", e, o) }

// Lt is e < o.
func (e Expr) Lt(o Expr) Expr { return Call("less", e, o) }

// Le is e <= o.
func (e Expr) Le(o Expr) Expr { return Call("less_equal", e, o) }

// Gt is e > o.
func (e Expr) Gt(o Expr) Expr { return Call("greater", e, o) }

// Ge is e >= o.
func (e Expr) Ge(o Expr) Expr { return Call("greater_equal", e, o) }

// AsType is e converted to t, whatever that does to the elements.
func (e Expr) AsType(t dtype.Type) Expr {
	if !t.Valid() {
		return errorExpr(fmt.Errorf("astype: no valid dtype %v", t))
	}
	return Call("astype", e, Expr{&term.Term{Kind: term.Name, Name: t.String()}})
}

// View is a view of e, or the elements of e that indexes in the chain select. The Env gives names
// in the indexes their meaning.
func (e Expr) View(chain view.Chain) Expr {
	for i, step := range chain {
		next, err := bind.Functions().Step(e.term, step)
		if err != nil {
			return errorExpr(err)
		}
		if next == e.term && i+1 < len(chain) && e.term != nil {
			// A copy, which has its elements side by side for the steps that follow.
			next = &term.Term{Kind: term.View, Args: []*term.Term{e.term}, Step: chain[i : i+1]}
		}
		e.term = next
	}
	return e
}

// Slice is View for methods and indexes in text, such as "[::2].T".
func (e Expr) Slice(text string) Expr {
	t, err := bind.Functions().ParseSteps(e.term, text)
	if err != nil {
		return errorExpr(err)
	}
	return Expr{t}
}

// Sqrt is the square root of e.
func Sqrt(e Expr) Expr { return Call("sqrt", e) }

// Abs is the magnitude of e.
func Abs(e Expr) Expr { return Call("abs", e) }

// Exp is e to the power of x.
func Exp(e Expr) Expr { return Call("exp", e) }

// Log is the natural logarithm of e.
func Log(e Expr) Expr { return Call("log", e) }

// Where is x where condition is not 0, and else y.
func Where(condition, x, y Expr) Expr { return Call("where", condition, x, y) }

// Clip is e with elements below lo set to lo, and above hi set to hi. A zero Expr stands for no
// bound.
func Clip(e, lo, hi Expr) Expr { return Call("clip", e, lo, hi) }

// Maximum is the larger one of a and b, NaN if one of them is.
func Maximum(a, b Expr) Expr { return Call("maximum", a, b) }

// Minimum is the smaller one of a and b, NaN if one of them is.
func Minimum(a, b Expr) Expr { return Call("minimum", a, b) }

// Dot sums over the last axis of a and the last but one of b, or its only one.
func Dot(a, b Expr) Expr { return Call("dot", a, b) }

// TensorDot sums over axes of a and b that belong together: axesA[i] of a and axesB[i] of b.
func TensorDot(a, b Expr, axesA, axesB []int) Expr {
	return Call("tensordot", a, b, Expr{&term.Term{Kind: term.Tuple, Args: []*term.Term{Ints(axesA...).term, Ints(axesB...).term}}})
}

// Einsum sums products of up to eight operands. It sums over the axes that are in subscripts, such
// as "ij,jk->ik", but not in their result.
func Einsum(subscripts string, operands ...Expr) Expr {
	return Call("einsum", append([]Expr{Text(subscripts)}, operands...)...)
}

// ReduceOptions are the arguments of a reduction. The zero value reduces over all axes.
type ReduceOptions struct {
	Axes      []int    // nil for all; empty for none
	AxisNames []string // axes by their names, beside Axes
	KeepDims  bool     // reduced axes stay, with size 1
	Where     *Expr    // bools that tell which elements count
	DDof      float64  // of var and std: they divide by n - DDof
}

// Reduction is a reduction of e by its name, such as "sum" or "std". An option that the reduction
// does not have is an error.
func Reduction(name string, e Expr, o ReduceOptions) Expr {
	fn := bind.Functions().Find(name)
	if fn == nil || fn.Param("axis") < 0 || fn.Param("keepdims") < 0 {
		return errorExpr(fmt.Errorf("there is no reduction %q", name))
	}

	if e.term == nil {
		return Call(name, e)
	}

	t := &term.Term{Kind: term.Call, Fn: fn, Args: make([]*term.Term, len(fn.Params))}
	t.Args[0] = e.term

	// Only given options become arguments, so that the term equals the one that is parsed from
	// text.
	options := []struct {
		name  string
		given bool
		value func() *term.Term
	}{
		{"axis", o.Axes != nil || len(o.AxisNames) > 0, o.axes},
		{"keepdims", o.KeepDims, func() *term.Term { return Scalar(true).term }},
		{"where", o.Where != nil, func() *term.Term { return o.Where.term }},
		{"ddof", o.DDof != 0, func() *term.Term { return Scalar(o.DDof).term }},
	}

	for _, option := range options {
		if !option.given {
			continue
		}
		i := fn.Param(option.name)
		if i < 0 {
			return errorExpr(fmt.Errorf("there is no argument %q of %s", option.name, fn.Signature()))
		}
		t.Args[i] = option.value()
	}

	return Expr{t}
}

// axes is one axis as a number or a name, which every reduction takes, and others as a tuple.
func (o *ReduceOptions) axes() *term.Term {
	t := Ints(o.Axes...).term
	for _, name := range o.AxisNames {
		t.Args = append(t.Args, Text(name).term)
	}
	if len(t.Args) == 1 {
		return t.Args[0]
	}
	return t
}

// Sum is the sum of the elements of e.
func Sum(e Expr, o ReduceOptions) Expr { return Reduction("sum", e, o) }

// Mean is the mean of the elements of e.
func Mean(e Expr, o ReduceOptions) Expr { return Reduction("mean", e, o) }

// Min is the smallest element of e, NaN if one is.
func Min(e Expr, o ReduceOptions) Expr { return Reduction("min", e, o) }

// Max is the largest element of e, NaN if one is.
func Max(e Expr, o ReduceOptions) Expr { return Reduction("max", e, o) }
