package compute

import (
	"github.com/tstore/tstore/compute/internal/bind"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// A Statement stores the elements of an expression, as "c = a + b" or "d[::2] += 2*b" do. Without a
// target it is an expression alone, whose elements are the result.
type Statement struct {
	Target string     // the name of a tensor, or empty
	Chain  view.Chain // picks the part of the target that is written; empty for all of it
	Op     AssignOp
	Expr   Expr

	// Constants are the words in the text of Expr that are numbers, such as e and pi, each once. In
	// back quotes they would be names. Those after "np." are not included. ParseProgram finds them,
	// and nothing depends on them.
	Constants []string
}

// An AssignOp says what becomes of the elements that a target has.
type AssignOp uint8

// The operators, with the text that ParseProgram reads for each.
const (
	Set    AssignOp = iota // =     they are replaced
	SetAdd                 // +=    the new ones are added to them
	SetSub                 // -=
	SetMul                 // *=
	SetDiv                 // /=
	SetMax                 // max=  the larger one stays
	SetMin                 // min=
)

// String returns the operator as it stands between target and expression.
func (s AssignOp) String() string { return term.AssignOp(s).String() }

// String returns the statement in the form that ParseProgram reads.
func (s Statement) String() string {
	if s.Target == "" {
		return s.Expr.String()
	}
	return syntax.Quote(s.Target) + s.Chain.String() + " " + s.Op.String() + " " + s.Expr.String()
}

// Env gives the names in expressions a meaning. Every field may be nil. Names are looked up in this
// order: results of earlier statements of the program, Vars, InPlace targets, Expand, Lookup.
//
// Statements see each other as follows. In later statements, the name of a new or replaced target
// stands for the elements that are stored in it, so the statements can share a pass. The name of an
// in-place target stands for the tensor that is written: later statements read it as earlier ones
// leave it.
type Env struct {
	// Lookup finds a tensor. The caller owns it, and must not close it before the plan.
	Lookup func(name string) (*view.Tensor, error)

	// Expand finds the expression of a lazy name; ok is false if a name is not one.
	Expand func(name string) (e Expr, ok bool, err error)

	// InPlace finds the tensor that a target is written into, and returns nil if the statement is
	// to make a new one. Targets with a Chain need a tensor to write into. What is true of the
	// lifetime for Lookup is so here.
	InPlace func(target string) (*view.Tensor, error)

	// Dims returns the names of the axes of a tensor or a lazy name, "" for axes without a name,
	// and nil if no axis has one. If Dims is nil, the axes of outputs have no names.
	Dims func(name string) []string

	// Vars are numbers with names. A bool, int64, float64 or complex128 is used as if it were
	// written in the expression, and takes the type of the operand it meets. Other numbers keep
	// their type.
	Vars map[string]dtype.Scalar
}

// names returns what names stand for in terms.
func (env *Env) names() bind.Names {
	n := bind.Names{Lookup: env.Lookup, InPlace: env.InPlace, Dims: env.Dims, Vars: env.Vars}
	if expand := env.Expand; expand != nil {
		n.Expand = func(name string) (*term.Term, bool, error) {
			e, ok, err := expand(name)
			return e.term, ok, err
		}
	}
	return n
}
