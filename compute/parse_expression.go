package compute

import (
	"math"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// whole returns the term of an expression that is all of a text or of a statement.
func (m *termMaker) whole(n *syntax.Node) (*term, error) {
	if n.Kind == syntax.Missing && m.tree.Err.Want != "" && int(n.Pos) == len(m.tree.Text) {
		return nil, m.errorf(int(n.Pos), "expected an expression, found the end")
	}
	return m.term(n)
}

// term returns the term of an operand.
func (m *termMaker) term(n *syntax.Node) (*term, error) {
	at := m.at(n)
	switch n.Kind {
	case syntax.Name:
		return m.named(n)
	case syntax.Number:
		v, err := parseNumber(n.Text)
		return m.terms.one(term{kind: termNumber, at: at, number: v}), at.wrap(err)
	case syntax.Text:
		return m.terms.one(term{kind: termText, at: at, name: n.Text}), nil
	case syntax.None:
		return m.terms.one(term{kind: termNone, at: at}), nil
	case syntax.Unary:
		operand, err := m.term(n.Args[0])
		if err != nil {
			return nil, err
		}
		return applyUnary(theFunctions().unary[n.Text], at, operand), nil
	case syntax.Binary:
		args, err := m.all(n.Args)
		return m.terms.one(term{kind: termCall, at: at, fn: theFunctions().binary[n.Text], args: args}), err
	case syntax.Tuple, syntax.List:
		kind := termTuple
		if n.Kind == syntax.List {
			kind = termList
		}
		args, err := m.all(n.Args)
		return m.terms.one(term{kind: kind, at: at, args: args}), err
	case syntax.Call:
		return m.call(n)
	case syntax.Chain:
		return m.chain(n)
	case syntax.Keyword:
		return nil, at.errorf("an argument %s by name where none has one", n.Text)
	}
	return nil, m.mistake()
}

// all returns the terms of operands.
func (m *termMaker) all(nodes []*syntax.Node) ([]*term, error) {
	terms := m.lists.take(len(nodes))
	for i, n := range nodes {
		var err error
		if terms[i], err = m.term(n); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// list returns one term as the operand of another.
func (m *termMaker) list(t *term) []*term {
	args := m.lists.take(1)
	args[0] = t
	return args
}

// applyUnary returns an operator on an operand. The negative of a literal is a literal.
func applyUnary(fn *function, at place, operand *term) *term {
	if n := operand.number; fn.symbol == "-" && operand.kind == termNumber && n.kind != dtype.KindBool {
		n, _ = negNumber(n)
		if n.kind == dtype.KindComplex {
			n.c = complex(0, imag(n.c)) // literals have no real part
		}
		return &term{kind: termNumber, at: at, number: n}
	}
	return &term{kind: termCall, at: at, fn: fn, args: []*term{operand}}
}

// constants are words that are numbers.
var constants = map[string]number{
	"True": boolNumber(true), "False": boolNumber(false),
	"nan": floatNumber(math.NaN()), "NaN": floatNumber(math.NaN()),
	"inf": floatNumber(math.Inf(1)), "Inf": floatNumber(math.Inf(1)),
	"infj": complexNumber(complex(0, math.Inf(1))), "nanj": complexNumber(complex(0, math.NaN())), // as Python writes them
	"pi": floatNumber(math.Pi), "e": floatNumber(math.E),
}

// named returns the term of a bare word or of a quoted name of a tensor.
func (m *termMaker) named(n *syntax.Node) (*term, error) {
	at := m.at(n)
	if v, constant := constants[n.Text]; constant && !n.Quoted {
		if !slices.Contains(m.constants, n.Text) {
			m.constants = append(m.constants, n.Text)
		}
		return m.terms.one(term{kind: termNumber, at: at, number: v}), nil
	}

	// Python's keywords are no names. In quotes they are.
	switch n.Text {
	case "not":
		if !n.Quoted {
			return nil, at.errorf("\"not\" is no operator of arrays: write ~, or logical_not(x)")
		}
	case "and", "or", "if", "else", "in", "is", "lambda", "for":
		if !n.Quoted {
			return nil, at.errorf("expected an operand, found %q", n.Text)
		}
	}

	return m.terms.one(term{kind: termName, at: at, name: n.Text}), nil
}
