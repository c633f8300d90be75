package store

import "context"

// Expressions computes what is no view. It is what package work, which stands above, lends this
// one.
type Expressions interface {
	// Evaluate computes what a text stands for. The caller closes the tensor.
	Evaluate(ctx context.Context, s *Store, text string) (*Tensor, error)
	// IsExpression reports whether a text is an expression, and no selector.
	IsExpression(ctx context.Context, s *Store, text string) bool
}
