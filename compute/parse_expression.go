package compute

import (
	"math"
	"slices"

	"github.com/tstore/tstore/dtype"
)

// expression reads operands with operators between them that bind as tightly as least or more.
func (p *parser) expression(least precedence) (*term, error) {
	if p.depth++; p.depth > maxExprDepth {
		return nil, p.errorf("an expression nested deeper than %d", maxExprDepth)
	}
	defer func() { p.depth-- }()
	left, err := p.unary()
	if err != nil {
		return nil, err
	}
	compared := false
	for {
		fn := theFunctions().binary[p.symbol()]
		if fn == nil || fn.prec < least {
			return left, nil
		}
		if fn.prec == precCompare && compared {
			return nil, p.errorf("comparisons in a row: write (a < b) & (b < c)")
		}
		compared = fn.prec == precCompare
		at := p.here()
		p.advance(len(fn.symbol))
		right, err := p.expression(fn.prec + 1)
		if err != nil {
			return nil, err
		}
		left = p.room.terms.one(term{kind: termCall, at: at, fn: fn, args: p.list(left, right)})
	}
}

// list returns terms as the operands of another.
func (p *parser) list(terms ...*term) []*term {
	args := p.room.lists.take(len(terms))
	copy(args, terms)
	return args
}

// unary reads an operand with the operators before it. They bind less tightly than ** behind it.
func (p *parser) unary() (*term, error) {
	fn := theFunctions().unary[p.symbol()]
	if fn == nil {
		return p.power()
	}
	if p.depth++; p.depth > maxExprDepth {
		return nil, p.errorf("an expression nested deeper than %d", maxExprDepth)
	}
	defer func() { p.depth-- }()
	at := p.here()
	p.advance(len(fn.symbol))
	operand, err := p.unary()
	if err != nil {
		return nil, err
	}
	return applyUnary(fn, at, operand), nil
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

// power reads an operand and what it is taken to the power of.
func (p *parser) power() (*term, error) {
	base, err := p.primary()
	if err != nil {
		return nil, err
	}
	if base, err = p.postfix(base); err != nil || p.symbol() != "**" {
		return base, err
	}
	at := p.here()
	p.advance(2)
	if p.depth++; p.depth > maxExprDepth {
		return nil, p.errorf("an expression nested deeper than %d", maxExprDepth)
	}
	defer func() { p.depth-- }()
	exponent, err := p.unary()
	if err != nil {
		return nil, err
	}
	return p.room.terms.one(term{kind: termCall, at: at, fn: theFunctions().binary["**"], args: p.list(base, exponent)}), nil
}

// primary reads an operand without the methods behind it.
func (p *parser) primary() (*term, error) {
	at := p.here()
	if digits := p.number(); digits != "" {
		n, err := parseNumber(digits)
		if err != nil {
			return nil, p.errorf("%w", err)
		}
		p.advance(len(digits))
		return p.room.terms.one(term{kind: termNumber, at: at, number: n}), nil
	}
	if text, ok, err := p.quoted("'\""); ok || err != nil {
		if err == nil {
			p.advance(len(text) + 2)
		}
		return p.room.terms.one(term{kind: termText, at: at, name: text}), err
	}
	switch p.symbol() {
	case "(":
		return p.parentheses()
	case "[":
		p.advance(1)
		elements, _, err := p.elements("]")
		return p.room.terms.one(term{kind: termList, at: at, args: elements}), err
	}
	quoted := !p.atEnd() && p.text[p.pos] == '`'
	name, err := p.name()
	switch {
	case err != nil:
		return nil, err
	case name == "":
		return nil, p.errorf("expected an operand, found %s", p.found())
	case quoted:
		return p.room.terms.one(term{kind: termName, at: at, name: name}), nil
	}
	return p.named(at, name)
}

// parentheses reads an expression in parentheses, or a tuple.
func (p *parser) parentheses() (*term, error) {
	at := p.here()
	p.advance(1)
	elements, comma, err := p.elements(")")
	if err != nil {
		return nil, err
	}
	if len(elements) == 1 && !comma {
		return elements[0], nil
	}
	return p.room.terms.one(term{kind: termTuple, at: at, args: elements}), nil
}

// elements reads expressions up to a closing bracket; comma tells whether there was one.
func (p *parser) elements(end string) (elements []*term, comma bool, err error) {
	elements = []*term{}
	for !p.accept(end) {
		if len(elements) > 0 && !comma {
			return nil, false, p.expectedIn(end)
		}
		e, err := p.expression(precCompare)
		if err != nil {
			return nil, false, err
		}
		elements = append(elements, e)
		if comma = p.accept(","); !comma && p.symbol() != end {
			return nil, false, p.expectedIn(end)
		}
	}
	return elements, comma || len(elements) > 1, nil
}

// expectedIn is the error for something that does not go on inside brackets.
func (p *parser) expectedIn(end string) error {
	switch p.word() {
	case "and", "or", "if":
		return p.unexpected()
	}
	return p.errorf("expected an operator, ',' or %q, found %s", end, p.found())
}

// constants are words that are numbers.
var constants = map[string]number{
	"True": boolNumber(true), "False": boolNumber(false),
	"nan": floatNumber(math.NaN()), "NaN": floatNumber(math.NaN()),
	"inf": floatNumber(math.Inf(1)), "Inf": floatNumber(math.Inf(1)),
	"infj": complexNumber(complex(0, math.Inf(1))), "nanj": complexNumber(complex(0, math.NaN())), // as Python writes them
	"pi": floatNumber(math.Pi), "e": floatNumber(math.E),
}

// named reads what begins with a word, which has been read: a constant, a call or a name.
func (p *parser) named(at place, word string) (*term, error) {
	inner, prefixed := p.modulePrefix(word)
	if prefixed {
		at.pos, word = inner.pos, inner.text
	}
	if p.symbol() == "(" {
		return p.call(at, word)
	}
	n, constant := constants[word]
	if constant && !prefixed && !slices.Contains(p.constants, word) {
		p.constants = append(p.constants, word)
	}
	if constant {
		return p.room.terms.one(term{kind: termNumber, at: at, number: n}), nil
	}
	switch word {
	case "None", "newaxis":
		return p.room.terms.one(term{kind: termNone, at: at}), nil
	case "not":
		p.pos = at.pos
		return nil, p.errorf("\"not\" is no operator of arrays: write ~, or logical_not(x)")
	case "and", "or", "if", "else", "in", "is", "lambda", "for":
		p.pos = at.pos
		return nil, p.errorf("expected an operand, found %q", word)
	}
	return p.room.terms.one(term{kind: termName, at: at, name: word}), nil
}

// modulePrefix reads what follows "np" or "numpy", if it is something of NumPy's: a constant, a call or a type.
func (p *parser) modulePrefix(word string) (place, bool) {
	if word != "np" && word != "numpy" {
		return place{}, false
	}
	ahead := *p
	for ahead.accept(".") {
		inner := place{ahead.word(), ahead.pos}
		ahead.advance(len(inner.text))
		_, constant := constants[inner.text]
		t, err := parseType(inner.text)
		if inner.text == "linalg" && ahead.symbol() == "." {
			continue
		}
		if constant || inner.text == "newaxis" || ahead.symbol() == "(" || err == nil && isTypeName(inner.text, t) {
			*p = ahead
			return inner, true
		}
		break
	}
	return place{}, false
}
