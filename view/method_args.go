package view

import (
	"slices"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// arguments reads the arguments of a call up to the closing parenthesis.
func (p *methodParser) arguments(m *method) (args, error) {
	a := make(args, len(m.params))
	named := false
	for next := 0; !p.accept(")"); {
		start := p.pos
		i, byName, err := p.parameter(m, next)
		if err != nil {
			return nil, err
		}
		if named && !byName {
			p.pos = start
			return nil, p.errorf("an argument by position after one by name")
		}
		if named = byName; !byName {
			next++
		}
		if a[i].given {
			p.pos = start
			return nil, p.errorf("%s has argument %s twice", m.name, m.params[i].names[0])
		}
		if a[i], err = p.argument(m.params[i].kind, byName); err != nil {
			return nil, err
		}
		if p.peek(')') {
			continue
		}
		if !p.accept(",") {
			return nil, p.errorf("expected ',' or ')', found %s", p.found())
		}
	}
	for i, param := range m.params {
		if !a[i].given && !param.optional {
			return nil, p.errorf("%s lacks its argument %s", m.name, param.names[0])
		}
	}
	return a, nil
}

// parameter returns the parameter that the argument at p is for: the one it
// names, or otherwise number next.
func (p *methodParser) parameter(m *method, next int) (i int, byName bool, err error) {
	start := p.pos
	if name := p.word(); name != "" && p.accept("=") {
		i := slices.IndexFunc(m.params, func(param param) bool { return slices.Contains(param.names, name) })
		if i < 0 {
			p.pos = start
			return 0, true, p.errorf("%s has no argument %q", m.name, name)
		}
		return i, true, nil
	}
	p.pos = start
	if next >= len(m.params) {
		return 0, false, p.errorf("%s takes no more than %d arguments", m.name, len(m.params))
	}
	return next, false, nil
}

// argument reads one argument, which for some kinds goes over several commas.
func (p *methodParser) argument(kind paramKind, byName bool) (argument, error) {
	if p.acceptWord("None") {
		return argument{}, nil
	}
	if kind == elementType || kind == typeOrShape && p.startsType() {
		return p.elementType()
	}
	if kind != oneInt && (p.peek('(') || p.peek('[')) {
		return p.tuple()
	}
	arg := argument{given: true}
	for {
		v, err := p.integer()
		if err != nil {
			return argument{}, err
		}
		if arg.ints = append(arg.ints, v); len(arg.ints) > maxInts {
			return argument{}, p.errorf("more than %d integers", maxInts)
		}
		if byName || kind == oneInt || kind == intOrTuple || !p.moreInts() {
			return arg, nil
		}
	}
}

// moreInts reads a comma and reports whether an integer follows it.
func (p *methodParser) moreInts() bool {
	before := p.pos
	if !p.accept(",") {
		return false
	}
	if p.peek('-') || p.peek('+') || !p.atEnd() && isDigit(p.text[p.pos]) {
		return true
	}
	p.pos = before
	return false
}

// tuple reads integers in parentheses or brackets; p is at the opening one.
func (p *methodParser) tuple() (argument, error) {
	end := ")"
	if !p.accept("(") {
		p.accept("[")
		end = "]"
	}
	arg := argument{given: true, tuple: true, ints: []int{}}
	for !p.accept(end) {
		v, err := p.integer()
		if err != nil {
			return argument{}, err
		}
		if arg.ints = append(arg.ints, v); len(arg.ints) > maxInts {
			return argument{}, p.errorf("more than %d integers", maxInts)
		}
		if !p.peek(end[0]) && !p.accept(",") {
			return argument{}, p.errorf("expected ',' or %q, found %s", end, p.found())
		}
	}
	return arg, nil
}

// integer reads an integer that fits in an int.
func (p *methodParser) integer() (int, error) {
	if c := p.pos; c == len(p.text) || strings.IndexByte("+-", p.text[c]) < 0 && !isDigit(p.text[c]) {
		return 0, p.errorf("expected an integer, found %s", p.found())
	}
	b, err := p.number()
	if err != nil {
		return 0, err
	}
	if b.clamped {
		p.pos = b.pos
		return 0, p.errorf("an integer must fit in 64 bits")
	}
	return b.v, nil
}

// startsType reports whether the name of an element type is next, and not a number.
func (p *methodParser) startsType() bool {
	return !p.atEnd() && strings.IndexByte("+-()[]0123456789", p.text[p.pos]) < 0
}

// elementType reads the name of an element type.
func (p *methodParser) elementType() (argument, error) {
	start := p.pos
	name, err := p.typeName()
	if err != nil {
		return argument{}, err
	}
	t, err := dtype.Parse(name)
	if err != nil {
		p.pos = start
		return argument{}, p.errorf("%s", err)
	}
	return argument{given: true, dt: t}, nil
}

// typeName reads a plain name, with or without the prefix of a library, or
// what is in quotes.
func (p *methodParser) typeName() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if !strings.HasPrefix(p.text[p.pos:], quote) {
			continue
		}
		name, _, closed := strings.Cut(p.text[p.pos+1:], quote)
		if !closed {
			return "", p.errorf("expected a closing quote")
		}
		p.pos += len(name) + 2
		p.skipSpace()
		return name, nil
	}
	for _, prefix := range []string{"np.", "numpy.", "torch.", "ml_dtypes."} {
		if p.accept(prefix) {
			break
		}
	}
	name := p.word()
	if name == "" {
		return "", p.errorf("expected an element type, found %s", p.found())
	}
	return name, nil
}
