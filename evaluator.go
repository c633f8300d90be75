package tstore

import "context"

// evaluator is what evaluations lend to the store below them.
type evaluator struct{}

// Evaluate is Store.Evaluate.
func (evaluator) Evaluate(ctx context.Context, s *Store, text string) (*Tensor, error) {
	return s.Evaluate(ctx, text)
}

// IsExpression reports whether a text is an expression, and no selector.
func (evaluator) IsExpression(ctx context.Context, s *Store, text string) bool {
	op, err := s.operand(ctx, text)
	return err == nil && op.isExpr
}
