package compute

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/tstore/tstore/compute/internal/bind"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// An Expr is a computation: names, tensors and numbers, and functions of them. Building it looks
// up, checks and computes nothing. A mistake shows when NewPlan binds it to tensors. Numbers
// without a type take the type of the operand they meet, by the rules of NumPy 2 (NEP 50).
//
// An Expr is an immutable value and safe for concurrent use. The zero Expr is empty and cannot be
// computed.
type Expr struct{ term *term.Term }

// String returns the expression as text that Parse reads as the same tree. Tensors given by
// FromTensor, mistakes and expressions of more than a megabyte have no such text. They are printed
// in angle brackets or as "…".
func (e Expr) String() string { return e.term.String() }

// Equal reports whether two expressions are the same tree.
func (e Expr) Equal(o Expr) bool { return e.term.Equal(o.term) }

// FromTensor is the elements of t, which stays the caller's and must not be closed before the plans
// that use it.
func FromTensor(t *view.Tensor) Expr { return Expr{&term.Term{Kind: term.Tensor, Tensor: t}} }

// Name is the operand that the Env of a plan finds by a name.
func Name(name string) Expr { return Expr{&term.Term{Kind: term.Name, Name: name}} }

// Scalar is a number without a type: a Go bool, int, int64, uint64, float64, complex128 or
// *big.Int. A *big.Int must not be changed later. A number of another Go type has a type, as if
// given to Typed.
func Scalar(v any) Expr {
	switch v := v.(type) {
	case bool:
		return numberExpr(number.Bool(v))
	case int:
		return numberExpr(number.Int(big.NewInt(int64(v))))
	case int64:
		return numberExpr(number.Int(big.NewInt(v)))
	case uint64:
		return numberExpr(number.Int(new(big.Int).SetUint64(v)))
	case *big.Int:
		return numberExpr(number.Int(v))
	case float64:
		return numberExpr(number.Float(v))
	case complex128:
		return complexExpr(v)
	}

	if s, ok := typedScalar(v); ok {
		return Typed(s)
	}
	return errorExpr(fmt.Errorf("scalar of Go type %T: expected a number or a bool", v))
}

func numberExpr(n number.Number) Expr { return Expr{&term.Term{Kind: term.Number, Number: n}} }

// complexExpr is a sum where a complex number has two parts, as its text is.
func complexExpr(v complex128) Expr {
	imag := numberExpr(number.Complex(complex(0, imag(v))))
	if real(v) == 0 {
		return imag
	}
	return numberExpr(number.Float(real(v))).Add(imag)
}

// typedScalar returns v as an element. ok is false if no element type has the Go type of v.
func typedScalar(v any) (dtype.Scalar, bool) {
	switch v := v.(type) {
	case int8:
		return dtype.ScalarOf(v), true
	case int16:
		return dtype.ScalarOf(v), true
	case int32:
		return dtype.ScalarOf(v), true
	case uint8:
		return dtype.ScalarOf(v), true
	case uint16:
		return dtype.ScalarOf(v), true
	case uint32:
		return dtype.ScalarOf(v), true
	case float32:
		return dtype.ScalarOf(v), true
	case complex64:
		return dtype.ScalarOf(v), true
	case dtype.F16:
		return dtype.ScalarOf(v), true
	case dtype.BF16:
		return dtype.ScalarOf(v), true
	case dtype.F8E4M3FN:
		return dtype.ScalarOf(v), true
	case dtype.F8E5M2:
		return dtype.ScalarOf(v), true
	case dtype.Scalar:
		return v, v.Type().Valid()
	}
	return dtype.Scalar{}, false
}

// Typed is a number that keeps its type, as an array without axes does.
func Typed(s dtype.Scalar) Expr {
	if !s.Type().Valid() {
		return errorExpr(errors.New("a scalar without a type"))
	}
	return Expr{&term.Term{Kind: term.Typed, Scalar: s}}
}

func errorExpr(err error) Expr { return Expr{&term.Term{Kind: term.Mistake, Err: err}} }

// Call is a function by any of its names, with its arguments in order. docs/expressions.md lists
// the functions. A zero Expr stands for an argument that is left out. Arguments that are not
// operands, such as axes, sizes and names of types, are numbers, Ints or Text.
func Call(name string, args ...Expr) Expr {
	fn := bind.Functions().Find(name)
	if fn == nil {
		return errorExpr(bind.Functions().Unknown(name))
	}

	if len(args) > len(fn.Params) {
		return errorExpr(fmt.Errorf("%s takes no more than %d arguments, found %d", fn.Signature(), len(fn.Params), len(args)))
	}

	t := &term.Term{Kind: term.Call, Fn: fn, Args: make([]*term.Term, len(fn.Params))}
	for i, e := range args {
		t.Args[i] = e.term
	}

	if err := fn.CheckArgs(t.Args); err != nil {
		return errorExpr(err)
	}

	// As in text, the negative of a literal is a literal.
	if len(t.Args) == 1 && fn.Symbol != "" {
		t = term.Unary(fn, term.Place{}, t.Args[0])
	}
	return Expr{t}
}

// Ints is a tuple of integers, as an argument of a function: axes or a shape.
func Ints(values ...int) Expr {
	elems := make([]Expr, len(values))
	for i, v := range values {
		elems[i] = Scalar(v)
	}
	return Tuple(elems...)
}

// Tuple makes one argument of several expressions, such as the range of a histogram. It is not an
// operand.
func Tuple(elems ...Expr) Expr { return elemsExpr(term.Tuple, elems) }

// List is an array of numbers or of lists of them, as in brackets.
func List(elems ...Expr) Expr { return elemsExpr(term.List, elems) }

func elemsExpr(kind term.Kind, elems []Expr) Expr {
	t := &term.Term{Kind: kind}
	for _, e := range elems {
		if e.term == nil {
			return errorExpr(errors.New("an empty expression"))
		}
		t.Args = append(t.Args, e.term)
	}
	return Expr{t}
}

// Text is a word as an argument of a function: the name of a type, or the kind of a norm.
func Text(word string) Expr { return Expr{&term.Term{Kind: term.Text, Name: word}} }
