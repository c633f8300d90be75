package term

import (
	"math"
	"slices"

	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// whole returns the term of an expression that is all of a text or of a statement.
func (m *termMaker) whole(n *syntax.Node) (*Term, error) {
	if n.Kind == syntax.Missing && m.tree.Err.Want != "" && int(n.Pos) == len(m.tree.Text) {
		return nil, m.errorf(int(n.Pos), "expected an expression, found the end")
	}
	return m.term(n)
}

// Term returns the term of an operand.
func (m *termMaker) term(n *syntax.Node) (*Term, error) {
	at := m.at(n)
	switch n.Kind {
	case syntax.Name:
		return m.named(n)
	case syntax.Number:
		v, err := number.Parse(n.Text)
		return m.terms.One(Term{Kind: Number, At: at, Number: v}), at.Wrap(err)
	case syntax.Text:
		return m.terms.One(Term{Kind: Text, At: at, Name: n.Text}), nil
	case syntax.None:
		return m.terms.One(Term{Kind: None, At: at}), nil
	case syntax.Unary:
		operand, err := m.term(n.Args[0])
		if err != nil {
			return nil, err
		}
		return Unary(m.fns.unary[n.Text], at, operand), nil
	case syntax.Binary:
		args, err := m.all(n.Args)
		return m.terms.One(Term{Kind: Call, At: at, Fn: m.fns.binary[n.Text], Args: args}), err
	case syntax.Tuple, syntax.List:
		kind := Tuple
		if n.Kind == syntax.List {
			kind = List
		}
		args, err := m.all(n.Args)
		return m.terms.One(Term{Kind: kind, At: at, Args: args}), err
	case syntax.Call:
		return m.call(n)
	case syntax.Chain:
		return m.chain(n)
	case syntax.Keyword:
		return nil, at.Errorf("an argument %s by name where none has one", n.Text)
	}
	return nil, m.mistake()
}

// all returns the terms of operands.
func (m *termMaker) all(nodes []*syntax.Node) ([]*Term, error) {
	terms := m.lists.Take(len(nodes))
	for i, n := range nodes {
		var err error
		if terms[i], err = m.term(n); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// list returns one term as the operand of another.
func (m *termMaker) list(t *Term) []*Term {
	args := m.lists.Take(1)
	args[0] = t
	return args
}

// Unary returns an operator on an operand. The negative of a literal is a literal.
func Unary(fn *Function, at Place, operand *Term) *Term {
	if n := operand.Number; fn.Symbol == "-" && operand.Kind == Number && n.Kind != dtype.KindBool {
		n, _ = number.Negative(n)
		if n.Kind == dtype.KindComplex {
			n.Complex = complex(0, imag(n.Complex)) // literals have no real part
		}
		return &Term{Kind: Number, At: at, Number: n}
	}
	return &Term{Kind: Call, At: at, Fn: fn, Args: []*Term{operand}}
}

// constants are words that are numbers.
var constants = map[string]number.Number{
	"True": number.Bool(true), "False": number.Bool(false),
	"nan": number.Float(math.NaN()), "NaN": number.Float(math.NaN()),
	"inf": number.Float(math.Inf(1)), "Inf": number.Float(math.Inf(1)),
	"infj": number.Complex(complex(0, math.Inf(1))), "nanj": number.Complex(complex(0, math.NaN())), // as Python writes them
	"pi": number.Float(math.Pi), "e": number.Float(math.E),
}

// named returns the term of a bare word or of a quoted name of a tensor.
func (m *termMaker) named(n *syntax.Node) (*Term, error) {
	at := m.at(n)
	if v, constant := constants[n.Text]; constant && !n.Quoted {
		if !slices.Contains(m.constants, n.Text) {
			m.constants = append(m.constants, n.Text)
		}
		return m.terms.One(Term{Kind: Number, At: at, Number: v}), nil
	}

	// Python's keywords are no names. In quotes they are.
	switch n.Text {
	case "not":
		if !n.Quoted {
			return nil, at.Errorf("\"not\" is no operator of arrays: write ~, or logical_not(x)")
		}
	case "and", "or", "if", "else", "in", "is", "lambda", "for":
		if !n.Quoted {
			return nil, at.Errorf("expected an operand, found %q", n.Text)
		}
	}

	return m.terms.One(Term{Kind: Name, At: at, Name: n.Text}), nil
}
