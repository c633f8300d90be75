package compute

import (
	"strings"

	"github.com/tstore/tstore/internal/syntax"
)

// Parse reads one expression in the spelling of NumPy, such as "sqrt(a*a + b*b)" or "(nir -
// red)[::2].mean(axis=0)". docs/expressions.md describes the language. Names are not looked up.
// Errors are of type *ExprError.
func Parse(text string) (Expr, error) {
	m := termMaker{tree: syntax.Expression(text)}
	defer m.tree.Free()
	t, err := m.whole(m.tree.Root)
	if err == nil {
		err = m.mistake()
	}
	return Expr{t}, err
}

// ParseProgram reads statements separated by semicolons, such as "c = sqrt(a*a + b*b); d[::2] +=
// 2*c". A statement is an expression, or a name with optional views, an operator and an expression.
// Errors are of type *ExprError.
func ParseProgram(text string) ([]Statement, error) {
	m := termMaker{tree: syntax.Program(text)}
	defer m.tree.Free()

	var stmts []Statement
	for _, n := range m.tree.Root.Args {
		several, err := m.statements(n)
		if err != nil {
			return nil, err
		}
		stmts = append(stmts, several...)
	}

	// The tree ends at a mistake of syntax. Mistakes in what stands before it are reported first.
	err := m.mistake()
	if err == nil && len(stmts) == 0 {
		err = m.errorf(len(text), "expected an expression, found nothing")
	}
	if err != nil {
		return nil, err
	}

	return stmts, nil
}

// A termMaker makes terms of a tree. Those of a tree that was not read from a text have no places.
type termMaker struct {
	tree  syntax.Tree
	terms spare[term]
	lists spare[*term]

	constants []string // Statement.Constants of the statement
}

// statements returns the statement that n is, or one for each of its targets.
func (m *termMaker) statements(n *syntax.Node) ([]Statement, error) {
	if n.Kind == syntax.Assign && len(n.Args) > 2 {
		return m.several(n.Args[:len(n.Args)-1], n.Args[len(n.Args)-1])
	}
	s := make([]Statement, 1)
	err := m.statement(n, &s[0])
	return s, err
}

// statement returns a statement with one target or none.
func (m *termMaker) statement(n *syntax.Node, s *Statement) (err error) {
	if n.Kind == syntax.Assign {
		if err := m.target(n, s); err != nil {
			return err
		}
		n = n.Args[1]
	}
	s.Expr.term, err = m.whole(n)
	s.Constants, m.constants = m.constants, nil
	return err
}

// target sets the target of a statement, its chain of views and its operator.
func (m *termMaker) target(n *syntax.Node, s *Statement) error {
	op, ok := findAssignOp(n.Text)
	if !ok {
		return m.at(n).errorf("there is no assignment %q, but =, +=, -=, *=, /=, max= and min=", n.Text)
	}

	name, steps := n.Args[0], []*syntax.Node(nil)
	if name.Kind == syntax.Chain {
		name, steps = name.Args[0], name.Args[1:]
	}

	if !name.Quoted && !syntax.Plain(name.Text) {
		return m.at(name).errorf("%s has a meaning in expressions: a tensor of this name is written in back quotes", name.Text)
	}

	chain, err := chainForm.Of(m.tree, steps...)
	if err != nil {
		return m.viewError(err)
	}

	s.Target, s.Chain, s.Op = name.Text, chain, op
	return nil
}

// findAssignOp returns the operator of a text.
func findAssignOp(text string) (s AssignOp, ok bool) {
	for s := range assignOps {
		if assignOps[s] == text {
			return AssignOp(s), true
		}
	}
	return 0, false
}

// several returns one statement for each name before a function that makes as many arrays, such as
// "q, r = qr(a)".
func (m *termMaker) several(targets []*syntax.Node, value *syntax.Node) ([]Statement, error) {
	t, err := m.whole(value)
	if err != nil {
		return nil, err
	}
	if t.kind != termCall || t.fn.results == "" || t.fn.result != "" {
		return nil, t.at.errorf("%d names before %q: expected a function that makes as many arrays, such as qr, eigh or svd", len(targets), "=")
	}

	names := strings.Fields(t.fn.results)
	if len(names) != len(targets) {
		return nil, t.at.errorf("%s makes %d arrays, found %d names for them", t.fn.name, len(names), len(targets))
	}

	// All statements share the arguments' terms, so the decomposition is computed once.
	var stmts []Statement
	for i, target := range targets {
		one := m.terms.one(term{kind: termCall, at: t.at, fn: t.fn.picks(names[i]), args: t.args})
		stmts = append(stmts, Statement{Target: target.Text, Expr: Expr{one}})
	}
	return stmts, nil
}
