package tstore

import (
	"context"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/work"
)

// Formula is what a lazy name stands for, or what a materialised tensor was computed from.
type Formula struct {
	// Text is the expression.
	Text   string
	Inputs []FormulaInput
	// Stale is true for a tensor that Materialize would make anew: an input has changed or is
	// missing, or is stale itself, or the tensor's elements were changed through another name. Lazy
	// names are never stale: their inputs are compared with those at their definition.
	Stale bool
	// Edited is true when the tensor's elements were changed since.
	Edited bool
}

// FormulaInput is one name that an expression reads.
type FormulaInput struct {
	Name string
	// Then is the version at the definition of a lazy name, or that which a tensor was computed
	// from; Now is the version it has.
	Then, Now uint64
	State     InputState
}

func formulaOf(f *work.Formula) *Formula {
	if f == nil {
		return nil
	}
	return &Formula{Text: f.Text, Inputs: each(f.Inputs, formulaInputOf), Stale: f.Stale, Edited: f.Edited}
}

func formulaInputOf(in work.FormulaInput) FormulaInput {
	return FormulaInput{Name: in.Name, Then: in.Then, Now: in.Now, State: InputState(in.State)}
}

// InputState says how an input differs from what it was.
type InputState string

// The states of inputs.
const (
	InputSame    InputState = "same"
	InputChanged InputState = "changed"
	InputMissing InputState = "missing" // renamed or deleted
	InputStale   InputState = "stale"   // a materialised tensor whose own inputs have changed
)

// Formula describes the expression of a lazy name, or of a tensor that Materialize made, and what
// has changed since. It is nil for a tensor without an expression. It reads the catalog only. A
// tensor loses its expression if its elements are written by other means.
func (s *Store) Formula(ctx context.Context, name string) (*Formula, error) {
	r, err := s.work().Formula(ctx, name)
	return formulaOf(r), err
}

// DefineOptions of Define. Nil means the defaults.
type DefineOptions struct {
	// Attrs are the first attributes of a new name.
	Attrs map[string]catalog.Value
	// Dims names the axes: empty, or one name an axis.
	Dims []string
	// Replace gives a lazy name that is there another expression.
	Replace bool
	// Materialize computes a lazy name and makes it a tensor, which remembers the expression and
	// the versions of its inputs. It computes such a tensor again. Attributes and axis names stay.
	// It is as atomic as Eval.
	Materialize bool
	Eval        *EvalOptions
}

func (o *DefineOptions) inner() *work.DefineOptions {
	if o == nil {
		return nil
	}
	return &work.DefineOptions{Attrs: o.Attrs, Dims: o.Dims, Replace: o.Replace, Materialize: o.Materialize, Eval: o.Eval.inner()}
}

// Define gives an expression a name, as in
//
//	err := s.Define(ctx, "ndvi", "(nir - red) / (nir + red)", nil)
//
// The name is lazy: it holds no elements. Evaluate, Export, Copy and Eval compute what is asked of
// it when it is asked, with the inputs as they are then. The names in the expression must be there,
// as tensors or lazy names, and everything must fit; later they may change, and when one has been
// renamed or deleted, reading the lazy name says that it is missing.
func (s *Store) Define(ctx context.Context, name, text string, o *DefineOptions) error {
	return s.work().Define(ctx, name, text, o.inner())
}

// Expr returns the expression that a selector stands for, or an expression itself, for
// EvalStatements.
func (s *Store) Expr(ctx context.Context, sel string) (compute.Expr, error) {
	return s.work().Expr(ctx, sel)
}

// Materialize computes a lazy name and makes it a tensor, which remembers the expression and its
// inputs with their versions; or computes such a tensor again. Attributes and axis names stay. It
// is as atomic as Eval.
func (s *Store) Materialize(ctx context.Context, name string, o *EvalOptions) error {
	return s.work().Materialize(ctx, name, o.inner())
}
