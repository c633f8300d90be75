package compute

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/internal/chains"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// chainForm reads and writes the chains of view.
var chainForm = chains.Registered[view.Chain]()

// chain returns the term of an operand with methods and indexes behind it.
func (m *termMaker) chain(n *syntax.Node) (*term, error) {
	operand, steps, err := m.operand(n.Args[0], n.Args[1:])
	if err != nil {
		return nil, err
	}
	return m.steps(operand, steps)
}

// operand returns the operand of steps, and those that it does not take: something of NumPy's takes
// its name.
func (m *termMaker) operand(n *syntax.Node, steps []*syntax.Node) (*term, []*syntax.Node, error) {
	if n.IsWord("np") || n.IsWord("numpy") {
		rest := steps
		if len(rest) > 1 && rest[0].Kind == syntax.Attribute && rest[0].Text == "linalg" && rest[1].Kind != syntax.Index {
			rest = rest[1:]
		}
		if t, err := m.ofModule(rest[0]); t != nil || err != nil {
			return t, rest[1:], err
		}
	}
	t, err := m.term(n)
	return t, steps, err
}

// ofModule returns the term of a name after "np.". It returns nil if NumPy has no such name.
func (m *termMaker) ofModule(n *syntax.Node) (*term, error) {
	if n.Kind == syntax.Call {
		return m.call(n)
	}
	if n.Kind != syntax.Attribute {
		return nil, nil
	}

	at := m.at(n)
	if v, constant := constants[n.Text]; constant {
		return m.terms.one(term{kind: termNumber, at: at, number: v}), nil
	}

	if n.Text == "newaxis" {
		return m.terms.one(term{kind: termNone, at: at}), nil
	}

	if t, err := parseType(n.Text); err == nil && isTypeName(n.Text, t) {
		return m.terms.one(term{kind: termName, at: at, name: n.Text}), nil
	}
	return nil, nil
}

// steps returns what methods and indexes make of an operand.
func (m *termMaker) steps(operand *term, steps []*syntax.Node) (*term, error) {
	for _, n := range steps {
		var err error
		if operand, err = m.step(operand, n); err != nil {
			return nil, err
		}
	}
	return operand, nil
}

func (m *termMaker) step(operand *term, n *syntax.Node) (*term, error) {
	switch n.Kind {
	case syntax.Index:
		return m.index(operand, n)
	case syntax.Attribute:
		return m.attribute(operand, n)
	case syntax.Missing:
		return nil, m.mistake()
	}

	if fn := findFunction(n.Text); fn != nil && len(fn.parsed) > 0 && !slices.Contains(noMethods, n.Text) {
		t := m.terms.one(term{kind: termCall, at: m.at(n), fn: fn, args: m.lists.take(len(fn.parsed))})
		t.args[0] = operand
		return m.arguments(t, n, 1)
	}

	if !isMethod(n.Text) {
		return nil, m.at(n).wrap(unknownFunction(n.Text))
	}
	return m.method(operand, n)
}

// attribute returns an attribute of an operand, or one of the arrays that a function makes.
func (m *termMaker) attribute(operand *term, n *syntax.Node) (*term, error) {
	if operand != nil && operand.kind == termCall {
		if fn := operand.fn.picks(n.Text); fn != nil {
			return m.terms.one(term{kind: termCall, at: operand.at, fn: fn, args: operand.args}), nil
		}
	}
	switch {
	case n.Text == "real", n.Text == "imag":
		return m.terms.one(term{kind: termCall, at: m.at(n), fn: findFunction(n.Text), args: m.list(operand)}), nil
	case !isAttribute(n.Text):
		return nil, m.at(n).wrap(unknownAttribute(n.Text))
	}
	return m.method(operand, n)
}

// noMethods are functions whose first argument is no array.
var noMethods = []string{"arange", "linspace", "random", "zeros", "ones", "full", "einsum"}

// unknownAttribute says what a dot and a name may have been meant for.
func unknownAttribute(name string) error {
	if isMethod(name) || findFunction(name) != nil {
		return fmt.Errorf("%s is a method: expected parentheses behind it", name)
	}
	return fmt.Errorf("there is no attribute %q; a name with a dot in it is written in back quotes", name)
}

// method returns a method of view, or an attribute, of an operand.
func (m *termMaker) method(operand *term, n *syntax.Node) (*term, error) {
	chain, err := chainForm.Of(m.tree, n)
	if err != nil {
		return nil, m.viewError(err)
	}
	switch n.Text {
	case "copy", "clone", "contiguous":
		return operand, nil // what is computed is a copy
	}
	return m.terms.one(term{kind: termView, at: m.at(n), args: m.list(operand), step: chain}), nil
}

// viewStep returns a step of a chain on an operand.
func viewStep(operand *term, step view.Step) (*term, error) {
	m := termMaker{}
	return m.step(operand, chainForm.Tree(view.Chain{step}).Args[1])
}
