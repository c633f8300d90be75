package tstore

import (
	"context"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/work"
	"github.com/tstore/tstore/view"
)

// Explain says what Eval tells about how it computes.
type Explain uint8

const (
	// ExplainNone tells nothing.
	ExplainNone Explain = iota
	// ExplainOnly tells the plan and computes nothing, changes nothing.
	ExplainOnly
	// ExplainMeasured tells the plan, with what was measured beside what was predicted.
	ExplainMeasured
)

// EvalOptions of Eval and of what else computes. Nil means the defaults.
type EvalOptions struct {
	// Group is put before every name: with "weather", t2m is weather/t2m.
	Group string
	// Vars are numbers with names of their own, which hide tensors of that name. Group is not put
	// before them, and lazy names don't see them.
	Vars map[string]dtype.Scalar
	// DType, when valid, is the type that the elements of expressions alone and of new and replaced
	// tensors are converted to.
	DType dtype.Type
	// InPlace writes into tensors that are there, as OpenWritable does: it takes no further disk
	// space, and is not atomic. When it fails or is interrupted, or the process dies, the tensors
	// that were being written stay marked dirty.
	InPlace bool
	// NewOnly makes it ErrExists that something has the name of a tensor which statements make.
	NewOnly bool
	Explain Explain
	// Edges, when set, has an expression that stands alone computed only where view.Fprint shows
	// elements with these options: EvalOutput.Tensor has the edges, for PrintOptions.Shape, of an
	// array of the shape EvalOutput.Shape.
	Edges *view.PrintOptions
	// Journal says whether the evaluation is a job.
	Journal Journal
	// Compute says how to compute. Scratch is the store's unless it is set.
	Compute compute.Options
}

func (o *EvalOptions) inner() *work.EvalOptions {
	if o == nil {
		return nil
	}
	return &work.EvalOptions{
		Group: o.Group, Vars: o.Vars, DType: o.DType, InPlace: o.InPlace, NewOnly: o.NewOnly, Explain: work.Explain(o.Explain),
		Edges: o.Edges, Journal: work.Journal(o.Journal), Compute: o.Compute,
	}
}

// EvalResult is what Eval has done. Close it after use.
type EvalResult struct {
	// Outputs has one element for each statement.
	Outputs []EvalOutput
	// Plan is the text that EvalOptions.Explain asked for.
	Plan string

	in *work.EvalResult
}

func evalResultOf(r *work.EvalResult) *EvalResult {
	if r == nil {
		return nil
	}
	return &EvalResult{Outputs: each(r.Outputs, evalOutputOf), Plan: r.Plan, in: r}
}

// EvalOutput is what became of one statement.
type EvalOutput struct {
	// Target is the tensor that was written, with the part in brackets if it was a part; empty for
	// an expression alone.
	Target string
	// Expr is what was computed, with variables and full names in it.
	Expr  compute.Expr
	DType dtype.Type
	Shape []int
	// Dims are the names of the axes, which come from the operands, or nil.
	Dims []string
	// Created is true when there was no tensor of that name before.
	Created bool
	// Tensor has the elements of an expression alone. They are in memory, or from 64 MiB on in a
	// file that no other program sees, until the result is closed.
	Tensor *Tensor
}

func evalOutputOf(o work.EvalOutput) EvalOutput {
	return EvalOutput{
		Target: o.Target, Expr: o.Expr, DType: o.DType, Shape: o.Shape, Dims: o.Dims, Created: o.Created, Tensor: tensorOf(o.Tensor),
	}
}

// Close gives back the elements of expressions that had no target.
func (r *EvalResult) Close() error {
	if r.in == nil {
		return nil
	}
	return r.in.Close()
}

// Eval computes statements separated by semicolons, in the language that compute.ParseProgram
// reads:
//
//	c = sqrt(a*a + b*b); d[::2] += 2*b
//
// A name on the left that is new becomes a tensor; "=" gives a tensor that is there new elements,
// and with them a new shape and dtype, as Replace does; "+=" and the like, and a part in brackets
// on the left, change elements for all views of the storage, as Set does. An expression alone is
// computed into EvalOutput.Tensor. Statements see what those before them have done. Names that
// Define made stand for their expressions.
//
// A new tensor's axes have the names that its operands give them: work on elements one by one lines
// them up as broadcasting does, and leaves an axis without a name that operands name differently;
// reductions, views and indexes keep the names of the axes that they leave.
//
// All that statements change becomes visible in one transaction, durable, when Eval returns nil; an
// error leaves everything as it was. While it computes, no lock of the catalog is held; a tensor
// that is changed is locked against other writers. Eval returns ErrConflict if someone else
// meanwhile changed a tensor that was read and replaced, or took a new name. A tensor that was
// replaced but not read, and is gone meanwhile, is made anew. EvalOptions.InPlace has other rules.
func (s *Store) Eval(ctx context.Context, text string, o *EvalOptions) (*EvalResult, error) {
	r, err := s.work().Eval(ctx, text, o.inner())
	return evalResultOf(r), err
}

// EvalStatements is Eval of statements that have been parsed or built.
func (s *Store) EvalStatements(ctx context.Context, stmts []compute.Statement, o *EvalOptions) (*EvalResult, error) {
	r, err := s.work().EvalStatements(ctx, stmts, o.inner())
	return evalResultOf(r), err
}
