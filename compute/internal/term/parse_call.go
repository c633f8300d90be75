package term

import (
	"cmp"
	"fmt"

	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// call returns the term of a call: of a function, of an element type, or of a method that is
// written as a function.
func (m *termMaker) call(n *syntax.Node) (*Term, error) {
	if fn := m.fns.Find(n.Text); fn != nil {
		return m.arguments(m.terms.One(Term{Kind: Call, At: m.at(n), Fn: fn, Args: m.lists.Take(len(fn.Params))}), n, 0)
	}

	if t, err := ParseType(n.Text); err == nil && isTypeName(n.Text, t) {
		return m.construct(n, t)
	}

	if !isMethod(n.Text) {
		return nil, m.at(n).Wrap(m.fns.Unknown(n.Text))
	}
	if len(n.Args) == 0 {
		return nil, cmp.Or(m.incomplete(n), m.place(int(n.End)-1).Errorf("%s lacks its operand", n.Text))
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
func (m *termMaker) arguments(t *Term, n *syntax.Node, next int) (*Term, error) {
	named := false
	for _, arg := range n.Args {
		byName := arg.Kind == syntax.Keyword
		i, err := m.parameter(t.Fn, arg, next)
		if err != nil {
			return nil, err
		}

		if t.Args[i] != nil || named && !byName {
			return nil, m.at(arg).Wrap(misplaced(t, i, named && !byName))
		}

		if named = byName; named {
			arg = arg.Args[0]
		} else {
			next++
		}

		if t.Args[i], err = m.argument(t.Fn.Params[i].Name, arg); err != nil {
			return nil, err
		}
	}

	if err := m.incomplete(n); err != nil {
		return nil, err
	}

	if err := t.Fn.CheckArgs(t.Args); err != nil {
		return nil, t.At.Wrap(err)
	}
	return t, nil
}

// misplaced is the error for an argument that is given twice, or by position after one by name.
func misplaced(t *Term, i int, order bool) error {
	if order {
		return fmt.Errorf("an argument by position after one by name")
	}
	return fmt.Errorf("%s has its argument %s twice", t.Fn.Name, t.Fn.Params[i].Name)
}

// parameter returns the parameter that an argument is for: the one it names, or otherwise number
// next.
func (m *termMaker) parameter(fn *Function, n *syntax.Node, next int) (int, error) {
	if n.Kind == syntax.Keyword {
		i := fn.Param(n.Text)
		if i < 0 {
			return 0, m.at(n).Errorf("there is no argument %q of %s", n.Text, fn.Signature())
		}
		return i, nil
	}
	if next >= len(fn.Params) {
		return 0, m.at(n).Errorf("%s takes no more than %d arguments", fn.Signature(), len(fn.Params))
	}
	return next, nil
}

// argument returns one argument. The name of an element type is read as a type.
func (m *termMaker) argument(param string, n *syntax.Node) (*Term, error) {
	t, err := m.term(n)
	if err != nil || param != "dtype" {
		return t, err
	}
	return typeTerm(t)
}

// typeTerm returns the name of an element type in its usual form.
func typeTerm(e *Term) (*Term, error) {
	if e.Kind != Name && e.Kind != Text {
		if e.Kind == None {
			return e, nil
		}
		return nil, e.At.Errorf("expected the name of an element type")
	}
	t, err := ParseType(e.Name)
	if err != nil {
		return nil, e.At.Wrap(err)
	}
	return &Term{Kind: Name, At: e.At, Name: t.String()}, nil
}

// ParseType reads the name of an element type, also one that is a type of Python.
func ParseType(name string) (dtype.Type, error) {
	switch name {
	case "int":
		return dtype.Int64, nil
	case "float":
		return dtype.Float64, nil
	case "complex":
		return dtype.Complex128, nil
	}
	return dtype.Parse(name)
}

// isTypeName reports whether a name can be called as the type t. A code such as "f", which
// dtype.Parse accepts, cannot.
func isTypeName(name string, t dtype.Type) bool {
	return name == t.String() || name == "int" || name == "float" || name == "complex"
}

// construct returns what an element type that is called makes of its argument: a number of that
// type, or a conversion.
func (m *termMaker) construct(n *syntax.Node, t dtype.Type) (*Term, error) {
	args, err := m.all(n.Args)
	if err == nil {
		err = m.incomplete(n)
	}
	if err != nil {
		return nil, err
	}
	if len(args) != 1 {
		return nil, m.at(n).Errorf("%s takes one argument, found %d", t, len(args))
	}
	if v, ok := literal(args[0]); ok {
		s, err := v.Converted(t)
		return m.terms.One(Term{Kind: Typed, At: m.at(n), Scalar: s}), args[0].At.Wrap(err)
	}
	return m.convertTerm(m.at(n), args[0], t), nil
}

// convertTerm returns elements as another type: those of a list as array makes them.
func (m *termMaker) convertTerm(at Place, x *Term, t dtype.Type) *Term {
	name := "astype"
	if x.Kind == List {
		name = "array"
	}
	to := &Term{Kind: Name, At: at, Name: t.String()}
	return &Term{Kind: Call, At: at, Fn: m.fns.Find(name), Args: []*Term{x, to}}
}

// literal returns the number that a term is: a literal, or a sum of a real and an imaginary one.
func literal(t *Term) (number.Number, bool) {
	if t.Kind == Number {
		return t.Number, true
	}
	if t.Kind != Call || t.Fn.Symbol != "+" || len(t.Args) != 2 || t.Args[0].Kind != Number || t.Args[1].Kind != Number {
		return number.Number{}, false
	}
	re, im := t.Args[0].Number, t.Args[1].Number
	f, err := re.Float64()
	if err != nil || re.Kind == dtype.KindComplex || im.Kind != dtype.KindComplex {
		return number.Number{}, false
	}
	return number.Complex(complex(f, imag(im.Complex))), true
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
