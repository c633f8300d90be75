package term

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
func (m *termMaker) chain(n *syntax.Node) (*Term, error) {
	operand, steps, err := m.operand(n.Args[0], n.Args[1:])
	if err != nil {
		return nil, err
	}
	return m.steps(operand, steps)
}

// operand returns the operand of steps, and those that it does not take: something of NumPy's takes
// its name.
func (m *termMaker) operand(n *syntax.Node, steps []*syntax.Node) (*Term, []*syntax.Node, error) {
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
func (m *termMaker) ofModule(n *syntax.Node) (*Term, error) {
	if n.Kind == syntax.Call {
		return m.call(n)
	}
	if n.Kind != syntax.Attribute {
		return nil, nil
	}

	at := m.at(n)
	if v, constant := constants[n.Text]; constant {
		return m.terms.One(Term{Kind: Number, At: at, Number: v}), nil
	}

	if n.Text == "newaxis" {
		return m.terms.One(Term{Kind: None, At: at}), nil
	}

	if t, err := ParseType(n.Text); err == nil && isTypeName(n.Text, t) {
		return m.terms.One(Term{Kind: Name, At: at, Name: n.Text}), nil
	}
	return nil, nil
}

// steps returns what methods and indexes make of an operand.
func (m *termMaker) steps(operand *Term, steps []*syntax.Node) (*Term, error) {
	for _, n := range steps {
		var err error
		if operand, err = m.step(operand, n); err != nil {
			return nil, err
		}
	}
	return operand, nil
}

func (m *termMaker) step(operand *Term, n *syntax.Node) (*Term, error) {
	switch n.Kind {
	case syntax.Index:
		return m.index(operand, n)
	case syntax.Attribute:
		return m.attribute(operand, n)
	case syntax.Missing:
		return nil, m.mistake()
	}

	if fn := m.fns.Find(n.Text); fn != nil && len(fn.Params) > 0 && !slices.Contains(noMethods, n.Text) {
		t := m.terms.One(Term{Kind: Call, At: m.at(n), Fn: fn, Args: m.lists.Take(len(fn.Params))})
		t.Args[0] = operand
		return m.arguments(t, n, 1)
	}

	if !isMethod(n.Text) {
		return nil, m.at(n).Wrap(m.fns.Unknown(n.Text))
	}
	return m.method(operand, n)
}

// attribute returns an attribute of an operand, or one of the arrays that a function makes.
func (m *termMaker) attribute(operand *Term, n *syntax.Node) (*Term, error) {
	if operand != nil && operand.Kind == Call {
		if fn := operand.Fn.Picks(n.Text); fn != nil {
			return m.terms.One(Term{Kind: Call, At: operand.At, Fn: fn, Args: operand.Args}), nil
		}
	}
	switch {
	case n.Text == "real", n.Text == "imag":
		return m.terms.One(Term{Kind: Call, At: m.at(n), Fn: m.fns.Find(n.Text), Args: m.list(operand)}), nil
	case !isAttribute(n.Text):
		return nil, m.at(n).Wrap(m.unknownAttribute(n.Text))
	}
	return m.method(operand, n)
}

// noMethods are functions whose first argument is no array.
var noMethods = []string{"arange", "linspace", "random", "zeros", "ones", "full", "einsum"}

// unknownAttribute says what a dot and a name may have been meant for.
func (m *termMaker) unknownAttribute(name string) error {
	if isMethod(name) || m.fns.Find(name) != nil {
		return fmt.Errorf("%s is a method: expected parentheses behind it", name)
	}
	return fmt.Errorf("there is no attribute %q; a name with a dot in it is written in back quotes", name)
}

// method returns a method of view, or an attribute, of an operand.
func (m *termMaker) method(operand *Term, n *syntax.Node) (*Term, error) {
	chain, err := chainForm.Of(m.tree, n)
	if err != nil {
		return nil, m.viewError(err)
	}
	switch n.Text {
	case "copy", "clone", "contiguous":
		return operand, nil // what is computed is a copy
	}
	return m.terms.One(Term{Kind: View, At: m.at(n), Args: m.list(operand), Step: chain}), nil
}

// Step returns a step of a chain on an operand.
func (x *Functions) Step(operand *Term, step view.Step) (*Term, error) {
	m := termMaker{fns: x}
	return m.step(operand, chainForm.Tree(view.Chain{step}).Args[1])
}

// ParseSteps returns what methods and indexes in a text, such as "[::2].T", make of an operand.
func (x *Functions) ParseSteps(operand *Term, text string) (*Term, error) {
	m := termMaker{fns: x, tree: syntax.Steps(text, false)}
	defer m.tree.Free()

	var err error
	if n := m.tree.Root; n.Kind == syntax.Chain {
		operand, err = m.steps(operand, n.Args[1:])
	}
	if err == nil {
		err = m.mistake()
	}
	return operand, err
}
