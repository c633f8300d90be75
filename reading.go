package tstore

import (
	"context"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/work"
)

// Evaluate opens what sel selects, like Get, and copies where no view will do: index arrays ("x[[1,
// 5, 7]]"), masks ("x[mask]", with mask the name of another tensor), shapes that no strides can
// express, "astype". Of a lazy name it computes what is selected. What it made lives until the
// tensor is closed: in memory, or from 64 MiB on in a file that no other program sees and that is
// gone when the process ends. To read the elements once, Read takes less.
//
// A text that is no selector of what there is, is an expression, which is computed as Eval computes
// one that stands alone: "a - b", "x.mean(axis=0)", "x[y > 0]". Read, Export, Copy, Expr and
// StatEvaluated read a text by the same rule, which docs/expressions.md tells.
func (s *Store) Evaluate(ctx context.Context, sel string) (*Tensor, error) {
	r, err := s.work().Evaluate(ctx, sel)
	return tensorOf(r), err
}

// EvaluateWith is Evaluate with options. Of these only Edges and Compute mean something here.
func (s *Store) EvaluateWith(ctx context.Context, sel string, o *EvalOptions) (*Tensor, error) {
	r, err := s.work().EvaluateWith(ctx, sel, o.inner())
	return tensorOf(r), err
}

// StatEvaluated describes what Evaluate makes of sel. Nothing is computed or copied for it but
// masks and the like, on which shapes depend, and what they pick.
func (s *Store) StatEvaluated(ctx context.Context, sel string) (*Info, error) {
	r, err := s.work().StatEvaluated(ctx, sel)
	return infoOf(r), err
}

// Reading is a selector or an expression, open to be read from front to back. It reads stored
// elements if the selector is a view of a tensor. Otherwise it reads a *compute.Stream, which takes
// memory for a piece at a time. Close it after use.
type Reading struct {
	compute.Elements
	// Info describes the operand when it was opened. Its Layout and DType are those of the
	// elements.
	Info *Info
	// Expr is the expression, with variables replaced and names in full.
	Expr compute.Expr

	in *work.Reading
}

func readingOf(r *work.Reading) *Reading {
	if r == nil {
		return nil
	}
	return &Reading{Elements: r.Elements, Info: infoOf(r.Info), Expr: r.Expr, in: r}
}

// Read opens what sel selects or computes, like Evaluate, to be read from front to back: what is no
// view of a tensor is computed while it is read, and not as a whole. What an expression needs as a
// whole, such as sums in it and running sums, is computed once and kept until the reading is
// closed, as are the elements that index arrays and masks pick. Reading ends with ctx.
func (s *Store) Read(ctx context.Context, sel string, o *EvalOptions) (*Reading, error) {
	r, err := s.work().Read(ctx, sel, o.inner())
	return readingOf(r), err
}

// ReadExpr is Read of an expression alone, as Eval would compute it with the same options.
func (s *Store) ReadExpr(ctx context.Context, e compute.Expr, o *EvalOptions) (*Reading, error) {
	r, err := s.work().ReadExpr(ctx, e, o.inner())
	return readingOf(r), err
}

// Unchanged returns an error if elements came from an adopted file that has changed since the
// reading began, as Tensor.Unchanged does. It returns ErrConflict if others have changed the inputs
// of a computation, so that the elements that were read mix two states of the store: read again, or
// read in a snapshot. Elements of up to 1 MiB are computed when they are opened, and are of one
// state.
func (r *Reading) Unchanged() error { return r.in.Unchanged() }

// Source returns the elements as a Source, which yields them once. It borrows the reading, which
// must stay open until the Source has been used.
func (r *Reading) Source() Source { return sourceOf(r.in.Source()) }

// Close gives back what the reading holds.
func (r *Reading) Close() error { return r.in.Close() }
