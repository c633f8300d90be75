package work

import (
	"context"

	"github.com/tstore/tstore/internal/store"
)

// Evaluator lends evaluations to package store, which lies below: it is a store.Expressions.
type Evaluator struct{}

// Evaluate computes what a text stands for, as Store.Evaluate does.
func (Evaluator) Evaluate(ctx context.Context, s *store.Store, text string) (*store.Tensor, error) {
	return (&Store{s}).Evaluate(ctx, text)
}

// IsExpression reports whether a text is an expression, and no selector.
func (Evaluator) IsExpression(ctx context.Context, s *store.Store, text string) bool {
	op, err := (&Store{s}).operand(ctx, text)
	return err == nil && op.isExpr
}
