package compute

import (
	"cmp"
	"fmt"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// call returns the term of a call: of a function, of an element type, or of a method that is
// written as a function.
func (m *termMaker) call(n *syntax.Node) (*term, error) {
	if fn := findFunction(n.Text); fn != nil {
		return m.arguments(m.terms.one(term{kind: termCall, at: m.at(n), fn: fn, args: m.lists.take(len(fn.parsed))}), n, 0)
	}

	if t, err := parseType(n.Text); err == nil && isTypeName(n.Text, t) {
		return m.construct(n, t)
	}

	if !isMethod(n.Text) {
		return nil, m.at(n).wrap(unknownFunction(n.Text))
	}
	if len(n.Args) == 0 {
		return nil, cmp.Or(m.incomplete(n), m.place(int(n.End)-1).errorf("%s lacks its operand", n.Text))
	}

	// The first argument is the operand, and the rest are arguments of the method.
	operand, err := m.term(n.Args[0])
	if err != nil {
		return nil, err
	}

	method := *n
	method.Args = n.Args[1:]
	return m.method(operand, &method)
}

// arguments sets the arguments of t from parameter next on. A method has set the first one already.
func (m *termMaker) arguments(t *term, n *syntax.Node, next int) (*term, error) {
	named := false
	for _, arg := range n.Args {
		byName := arg.Kind == syntax.Keyword
		i, err := m.parameter(t.fn, arg, next)
		if err != nil {
			return nil, err
		}

		if t.args[i] != nil || named && !byName {
			return nil, m.at(arg).wrap(misplaced(t, i, named && !byName))
		}

		if named = byName; named {
			arg = arg.Args[0]
		} else {
			next++
		}

		if t.args[i], err = m.argument(t.fn.parsed[i].name, arg); err != nil {
			return nil, err
		}
	}

	if err := m.incomplete(n); err != nil {
		return nil, err
	}

	if err := t.fn.checkArgs(t.args); err != nil {
		return nil, t.at.wrap(err)
	}
	return t, nil
}

// misplaced is the error for an argument that is given twice, or by position after one by name.
func misplaced(t *term, i int, order bool) error {
	if order {
		return fmt.Errorf("an argument by position after one by name")
	}
	return fmt.Errorf("%s has its argument %s twice", t.fn.name, t.fn.parsed[i].name)
}

// parameter returns the parameter that an argument is for: the one it names, or otherwise number
// next.
func (m *termMaker) parameter(fn *function, n *syntax.Node, next int) (int, error) {
	if n.Kind == syntax.Keyword {
		i := fn.param(n.Text)
		if i < 0 {
			return 0, m.at(n).errorf("there is no argument %q of %s", n.Text, fn.signature())
		}
		return i, nil
	}
	if next >= len(fn.parsed) {
		return 0, m.at(n).errorf("%s takes no more than %d arguments", fn.signature(), len(fn.parsed))
	}
	return next, nil
}

// argument returns one argument. The name of an element type is read as a type.
func (m *termMaker) argument(param string, n *syntax.Node) (*term, error) {
	t, err := m.term(n)
	if err != nil || param != "dtype" {
		return t, err
	}
	return typeTerm(t)
}

// typeTerm returns the name of an element type in its usual form.
func typeTerm(e *term) (*term, error) {
	if e.kind != termName && e.kind != termText {
		if e.kind == termNone {
			return e, nil
		}
		return nil, e.at.errorf("expected the name of an element type")
	}
	t, err := parseType(e.name)
	if err != nil {
		return nil, e.at.wrap(err)
	}
	return &term{kind: termName, at: e.at, name: t.String()}, nil
}

// isTypeName reports whether a name can be called as the type t. A code such as "f", which
// dtype.Parse accepts, cannot.
func isTypeName(name string, t dtype.Type) bool {
	return name == t.String() || name == "int" || name == "float" || name == "complex"
}

// construct returns what an element type that is called makes of its argument: a number of that
// type, or a conversion.
func (m *termMaker) construct(n *syntax.Node, t dtype.Type) (*term, error) {
	args, err := m.all(n.Args)
	if err == nil {
		err = m.incomplete(n)
	}
	if err != nil {
		return nil, err
	}
	if len(args) != 1 {
		return nil, m.at(n).errorf("%s takes one argument, found %d", t, len(args))
	}
	if v, ok := literal(args[0]); ok {
		s, err := v.converted(t)
		return m.terms.one(term{kind: termTyped, at: m.at(n), scalar: s}), args[0].at.wrap(err)
	}
	return convertTerm(m.at(n), args[0], t), nil
}

// convertTerm returns elements as another type: those of a list as array makes them.
func convertTerm(at place, x *term, t dtype.Type) *term {
	name := "astype"
	if x.kind == termList {
		name = "array"
	}
	to := &term{kind: termName, at: at, name: t.String()}
	return &term{kind: termCall, at: at, fn: findFunction(name), args: []*term{x, to}}
}

// literal returns the number that a term is: a literal, or a sum of a real and an imaginary one.
func literal(t *term) (number, bool) {
	if t.kind == termNumber {
		return t.number, true
	}
	if t.kind != termCall || t.fn.symbol != "+" || len(t.args) != 2 || t.args[0].kind != termNumber || t.args[1].kind != termNumber {
		return number{}, false
	}
	re, im := t.args[0].number, t.args[1].number
	f, err := re.float()
	if err != nil || re.kind == dtype.KindComplex || im.kind != dtype.KindComplex {
		return number{}, false
	}
	return complexNumber(complex(f, imag(im.c))), true
}

// isMethod reports whether view.ParseMethods knows a method of a name.
func isMethod(name string) bool {
	_, method := chainForm.Knows(name)
	return method
}

// isAttribute reports whether view.ParseMethods knows an attribute of a name.
func isAttribute(name string) bool {
	attribute, _ := chainForm.Knows(name)
	return attribute
}
