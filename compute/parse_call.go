package compute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// call reads the arguments of a function of a name, which has been read.
func (p *parser) call(at place, name string) (*term, error) {
	if fn := findFunction(name); fn != nil {
		p.advance(1)
		return p.arguments(p.room.terms.one(term{kind: termCall, at: at, fn: fn, args: p.room.lists.take(len(fn.parsed))}), 0)
	}
	if t, err := parseType(name); err == nil && isTypeName(name, t) {
		return p.construct(at, t)
	}
	if isMethod(name) {
		return p.viewFunction(at, name)
	}
	p.pos = at.pos
	return nil, p.errorf("%w", unknownFunction(name))
}

// arguments reads arguments up to the closing parenthesis. The first ones of t may be there already.
func (p *parser) arguments(t *term, next int) (*term, error) {
	named := false
	for comma := true; !p.accept(")"); comma = p.accept(",") {
		if !comma {
			return nil, p.expectedIn(")")
		}
		start := p.here()
		i, byName, err := p.parameter(t.fn, next)
		if err != nil {
			return nil, err
		}
		if t.args[i] != nil || named && !byName {
			p.pos = start.pos
			return nil, p.misplaced(t, i, named && !byName)
		}
		if named = byName; !named {
			next++
		}
		if t.args[i], err = p.argument(t.fn.parsed[i].name); err != nil {
			return nil, err
		}
	}
	if err := t.fn.checkArgs(t.args); err != nil {
		return nil, t.at.wrap(err)
	}
	return t, nil
}

// misplaced is the error for an argument that is given twice, or by position after one by name.
func (p *parser) misplaced(t *term, i int, order bool) error {
	if order {
		return p.errorf("an argument by position after one by name")
	}
	return p.errorf("%s has its argument %s twice", t.fn.name, t.fn.parsed[i].name)
}

// parameter returns the parameter that the next argument is for: the one it names, or otherwise number next.
func (p *parser) parameter(fn *function, next int) (i int, byName bool, err error) {
	ahead := *p
	if name := ahead.word(); name != "" {
		ahead.advance(len(name))
		if ahead.accept("=") {
			if i = fn.param(name); i < 0 {
				return 0, true, p.errorf("there is no argument %q of %s", name, fn.signature())
			}
			*p = ahead
			return i, true, nil
		}
	}
	if next >= len(fn.parsed) {
		return 0, false, p.errorf("%s takes no more than %d arguments", fn.signature(), len(fn.parsed))
	}
	return next, false, nil
}

// argument reads one argument. The name of an element type is read as a type.
func (p *parser) argument(param string) (*term, error) {
	e, err := p.expression(precCompare)
	if err != nil || param != "dtype" {
		return e, err
	}
	return typeTerm(e)
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

// isTypeName reports whether a name, which dtype.Parse takes for t, is one that can be called: no code such as "f".
func isTypeName(name string, t dtype.Type) bool {
	return name == t.String() || name == "int" || name == "float" || name == "complex"
}

// construct reads the argument of an element type that is called: a number of that type, or a conversion.
func (p *parser) construct(at place, t dtype.Type) (*term, error) {
	p.advance(1)
	args, _, err := p.elements(")")
	if err != nil {
		return nil, err
	}
	if len(args) != 1 {
		return nil, at.errorf("%s takes one argument, found %d", t, len(args))
	}
	if n, ok := literal(args[0]); ok {
		s, err := n.converted(t)
		return p.room.terms.one(term{kind: termTyped, at: at, scalar: s}), args[0].at.wrap(err)
	}
	return convertTerm(at, args[0], t), nil
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
	_, methods := view.CutMethods("x." + name + "(")
	return methods != ""
}

// isAttribute reports whether view.ParseMethods knows an attribute of a name.
func isAttribute(name string) bool {
	_, methods := view.CutMethods("x." + name)
	return methods != ""
}

// viewFunction reads the arguments of a method that is called as a function of what it is a view of.
func (p *parser) viewFunction(at place, name string) (*term, error) {
	length, ok := closing(p.text[p.pos:])
	if !ok {
		return nil, p.errorf("expected a closing %q", ")")
	}
	end := p.pos + length
	p.advance(1)
	if p.symbol() == ")" {
		return nil, p.errorf("%s lacks its operand", name)
	}
	operand, err := p.expression(precCompare)
	if err != nil {
		return nil, err
	}
	if !p.accept(",") && p.symbol() != ")" {
		return nil, p.expectedIn(")")
	}
	head := "." + name + "("
	start := p.pos - len(head)
	return p.method(at, operand, name, head+p.text[p.pos:end], start, end)
}

// postfix reads the methods and indexes behind an operand.
func (p *parser) postfix(operand *term) (*term, error) {
	for n := 0; ; n++ {
		var err error
		switch at := p.here(); p.symbol() {
		case "[":
			operand, err = p.brackets(operand)
		case ".":
			operand, err = p.attribute(at, operand)
		default:
			return operand, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// attribute reads a dot, a name, and arguments if there are any.
func (p *parser) attribute(at place, operand *term) (*term, error) {
	p.advance(1)
	nameAt := p.here()
	name := p.word()
	if name == "" {
		return nil, p.errorf("expected a method, found %s", p.found())
	}
	p.advance(len(name))
	called := p.symbol() == "("
	if operand != nil && operand.kind == termCall && !called {
		if fn := operand.fn.picks(name); fn != nil {
			return p.room.terms.one(term{kind: termCall, at: operand.at, fn: fn, args: operand.args}), nil
		}
	}
	switch {
	case (name == "real" || name == "imag") && !called:
		return p.room.terms.one(term{kind: termCall, at: nameAt, fn: findFunction(name), args: p.list(operand)}), nil
	case isAttribute(name) && !called:
		return p.method(nameAt, operand, name, "."+name, at.pos, p.pos)
	case !called:
		p.pos = nameAt.pos
		return nil, p.errorf("%w", unknownAttribute(name))
	}
	if fn := findFunction(name); fn != nil && len(fn.parsed) > 0 && !slices.Contains(noMethods, name) {
		p.advance(1)
		t := p.room.terms.one(term{kind: termCall, at: nameAt, fn: fn, args: p.room.lists.take(len(fn.parsed))})
		t.args[0] = operand
		return p.arguments(t, 1)
	}
	if !isMethod(name) {
		p.pos = nameAt.pos
		return nil, p.errorf("%w", unknownFunction(name))
	}
	length, ok := closing(p.text[p.pos:])
	if !ok {
		return nil, p.errorf("expected a closing %q", ")")
	}
	end := p.pos + length
	head := "." + name
	return p.method(nameAt, operand, name, head+p.text[p.pos:end], p.pos-len(head), end)
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

// method returns a method of an operand, of which text is all and begins at position start. It reads up to end.
func (p *parser) method(at place, operand *term, name, text string, start, end int) (*term, error) {
	chain, err := view.ParseMethods(text)
	if err != nil {
		return nil, p.methodsError(err, start)
	}
	if len(chain) != 1 {
		return nil, at.wrap(errors.New("expected one method"))
	}
	p.pos = end
	p.advance(0)
	switch name {
	case "copy", "clone", "contiguous":
		return operand, nil // what is computed is a copy
	}
	return p.room.terms.one(term{kind: termView, at: at, args: p.list(operand), step: chain}), nil
}
