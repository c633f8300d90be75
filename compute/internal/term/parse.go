package term

import (
	"strings"

	"github.com/tstore/tstore/compute/internal/spare"
	"github.com/tstore/tstore/internal/syntax"
)

// Parse reads one expression. Names are not looked up. Errors are of type *textError.
func (x *Functions) Parse(text string) (*Term, error) {
	m := termMaker{fns: x, tree: syntax.Expression(text)}
	defer m.tree.Free()
	t, err := m.whole(m.tree.Root)
	if err == nil {
		err = m.mistake()
	}
	return t, err
}

// ParseProgram reads statements separated by semicolons. A statement is an expression, or a name
// with optional views, an operator and an expression. Errors are of type *textError.
func (x *Functions) ParseProgram(text string) ([]Statement, error) {
	m := termMaker{fns: x, tree: syntax.Program(text)}
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
	fns   *Functions
	tree  syntax.Tree
	terms spare.Values[Term]
	lists spare.Values[*Term]

	constants []string // of the statement
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

// Statement returns a statement with one target or none.
func (m *termMaker) statement(n *syntax.Node, s *Statement) (err error) {
	if n.Kind == syntax.Assign {
		if err := m.target(n, s); err != nil {
			return err
		}
		n = n.Args[1]
	}
	s.Value, err = m.whole(n)
	s.Constants, m.constants = m.constants, nil
	return err
}

// target sets the target of a statement, its chain of views and its operator.
func (m *termMaker) target(n *syntax.Node, s *Statement) error {
	op, ok := findAssignOp(n.Text)
	if !ok {
		return m.at(n).Errorf("there is no assignment %q, but =, +=, -=, *=, /=, max= and min=", n.Text)
	}

	name, steps := n.Args[0], []*syntax.Node(nil)
	if name.Kind == syntax.Chain {
		name, steps = name.Args[0], name.Args[1:]
	}

	if !name.Quoted && !syntax.Plain(name.Text) {
		return m.at(name).Errorf("%s has a meaning in expressions: a tensor of this name is written in back quotes", name.Text)
	}

	chain, err := chainForm.Of(m.tree, steps...)
	if err != nil {
		return m.viewError(err)
	}

	s.Target, s.Chain, s.Op = name.Text, chain, op
	return nil
}

// several returns one statement for each name before a function that makes as many arrays, such as
// "q, r = qr(a)".
func (m *termMaker) several(targets []*syntax.Node, value *syntax.Node) ([]Statement, error) {
	t, err := m.whole(value)
	if err != nil {
		return nil, err
	}
	if t.Kind != Call || t.Fn.Results == "" || t.Fn.Result != "" {
		return nil, t.At.Errorf("%d names before %q: expected a function that makes as many arrays, such as qr, eigh or svd", len(targets), "=")
	}

	names := strings.Fields(t.Fn.Results)
	if len(names) != len(targets) {
		return nil, t.At.Errorf("%s makes %d arrays, found %d names for them", t.Fn.Name, len(names), len(targets))
	}

	// All statements share the arguments' terms, so the decomposition is computed once.
	var stmts []Statement
	for i, target := range targets {
		one := m.terms.One(Term{Kind: Call, At: t.At, Fn: t.Fn.Picks(names[i]), Args: t.Args})
		stmts = append(stmts, Statement{Target: target.Text, Value: one})
	}
	return stmts, nil
}
