package compute

import "github.com/tstore/tstore/compute/internal/bind"

// Parse reads one expression in the spelling of NumPy, such as "sqrt(a*a + b*b)" or "(nir -
// red)[::2].mean(axis=0)". docs/expressions.md describes the language. Names are not looked up.
// Errors are of type *ExprError.
func Parse(text string) (Expr, error) {
	t, err := bind.Functions().Parse(text)
	return Expr{t}, exprError(err)
}

// ParseProgram reads statements separated by semicolons, such as "c = sqrt(a*a + b*b); d[::2] +=
// 2*c". A statement is an expression, or a name with optional views, an operator and an expression.
// Errors are of type *ExprError.
func ParseProgram(text string) ([]Statement, error) {
	read, err := bind.Functions().ParseProgram(text)
	if err != nil {
		return nil, exprError(err)
	}
	stmts := make([]Statement, len(read))
	for i, s := range read {
		stmts[i] = Statement{Target: s.Target, Chain: s.Chain, Op: AssignOp(s.Op), Expr: Expr{s.Value}, Constants: s.Constants}
	}
	return stmts, nil
}
