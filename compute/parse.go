package compute

import (
	"strings"

	"github.com/tstore/tstore/view"
)

// Parse reads one expression in the spelling of NumPy, such as "sqrt(a*a + b*b)" or "(nir - red)[::2].mean(axis=0)".
// docs/expressions.md describes the language. Names are not looked up. Errors are of type *ExprError.
func Parse(text string) (Expr, error) {
	p, err := newParser(text)
	if err != nil {
		return Expr{}, err
	}
	t, err := p.whole()
	if err == nil && !p.atEnd() {
		err = p.unexpected()
	}
	return Expr{t}, err
}

// ParseProgram reads statements with semicolons between them, such as "c = sqrt(a*a + b*b); d[::2] += 2*c". A
// statement is an expression, or a name, views of it, a saver and an expression. Errors are of type *ExprError.
func ParseProgram(text string) ([]Statement, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	var stmts []Statement
	for !p.atEnd() {
		if p.accept(";") {
			continue
		}
		several, err := p.tuple()
		if err != nil {
			return nil, err
		}
		if several != nil {
			stmts = append(stmts, several...)
		} else {
			s, err := p.statement()
			if err != nil {
				return nil, err
			}
			stmts = append(stmts, s)
		}
		if !p.atEnd() && p.symbol() != ";" {
			return nil, p.unexpected()
		}
	}
	if len(stmts) == 0 {
		return nil, p.errorf("expected an expression, found nothing")
	}
	return stmts, nil
}

func newParser(text string) (*parser, error) {
	p := &parser{text: text, room: &termRoom{}}
	if len(text) > maxExprText {
		p.pos = maxExprText
		return nil, p.errorf("the text is %d bytes long, more than %d", len(text), maxExprText)
	}
	p.advance(0)
	return p, nil
}

// statement reads one statement.
func (p *parser) statement() (Statement, error) {
	start := *p
	s, ok, err := p.target()
	if err != nil {
		return Statement{}, err
	}
	if !ok {
		*p = start
	}
	s.Expr.term, err = p.whole()
	s.Constants, p.constants = p.constants, nil
	return s, err
}

// tuple reads names with commas between them, and a function that makes as many arrays: "q, r = qr(a)". That is a statement
// for each. It is nil if something else is next.
func (p *parser) tuple() ([]Statement, error) {
	ahead := *p
	var targets []string
	for {
		name, err := ahead.name()
		if name == "" || err != nil {
			return nil, nil
		}
		targets = append(targets, name)
		if !ahead.accept(",") {
			break
		}
	}
	if len(targets) < 2 || ahead.symbol() != "=" {
		return nil, nil
	}
	ahead.advance(1)
	*p = ahead
	t, err := p.whole()
	if err != nil {
		return nil, err
	}
	if t.kind != termCall || t.fn.results == "" || t.fn.result != "" {
		return nil, t.at.errorf("%d names before %q: expected a function that makes as many arrays, such as qr, eigh or svd", len(targets), "=")
	}
	names := strings.Fields(t.fn.results)
	if len(names) != len(targets) {
		return nil, t.at.errorf("%s makes %d arrays, found %d names for them", t.fn.name, len(names), len(targets))
	}
	var stmts []Statement
	for i, target := range targets {
		one := p.room.terms.one(term{kind: termCall, at: t.at, fn: t.fn.picks(names[i]), args: t.args})
		stmts = append(stmts, Statement{Target: target, Expr: Expr{one}})
	}
	return stmts, nil
}

// whole reads an expression, with a hint where it is missing.
func (p *parser) whole() (*term, error) {
	if p.atEnd() {
		return nil, p.errorf("expected an expression, found the end")
	}
	return p.expression(precCompare)
}

// target reads the target of a statement and its saver; ok is false if there is none.
func (p *parser) target() (s Statement, ok bool, err error) {
	start := *p
	name, err := p.name()
	if name == "" || err != nil {
		return Statement{}, false, nil
	}
	methods, err := p.targetMethods()
	if err != nil {
		return Statement{}, false, nil
	}
	saver, ok, err := p.saver()
	if !ok || err != nil {
		return Statement{}, false, err
	}
	if start.text[start.pos] != '`' && !plainName(name) {
		return Statement{}, false, start.errorf("%s has a meaning in expressions: a tensor of this name is written in back quotes", name)
	}
	chain, err := view.ParseMethods(methods.text)
	if err != nil {
		return Statement{}, false, p.methodsError(err, methods.pos)
	}
	return Statement{Target: name, Chain: chain, Saver: saver}, true, nil
}

// name reads a plain name, or one in back quotes; it is empty if none is next.
func (p *parser) name() (string, error) {
	name, ok, err := p.quoted("`")
	if err != nil {
		return "", err
	}
	if !ok {
		name = p.word()
		p.advance(len(name))
		return name, nil
	}
	if name == "" {
		return "", p.errorf("an empty name")
	}
	p.advance(len(name) + 2)
	return name, nil
}

// targetMethods reads the methods behind the name of a target, as text.
func (p *parser) targetMethods() (place, error) {
	at := p.here()
	end := p.pos
	for {
		switch {
		case p.symbol() == "[", p.symbol() == "(":
			length, ok := closing(p.text[p.pos:])
			if !ok {
				return place{}, p.errorf("expected a closing bracket")
			}
			p.pos += length
			end = p.pos
			p.advance(0)
		case p.accept("."):
			word := p.word()
			end = p.pos + len(word)
			p.advance(len(word))
		default:
			at.text = p.text[at.pos:max(end, at.pos)]
			return at, nil
		}
	}
}

// saver reads what stands between a target and the expression; ok is false if that is something else.
func (p *parser) saver() (s AssignOp, ok bool, err error) {
	for _, named := range []AssignOp{SetMax, SetMin} {
		name, _ := strings.CutSuffix(named.String(), "=")
		ahead := *p
		if ahead.acceptWord(name) && ahead.accept("=") {
			*p = ahead
			return named, true, nil
		}
	}
	symbol := p.symbol()
	switch symbol {
	case "**=", "//=", "%=", "&=", "|=", "^=", "@=", "<<=", ">>=", ":=":
		return 0, false, p.errorf("there is no saver %q, but =, +=, -=, *=, /=, max= and min=", symbol)
	}
	for s := Set; s <= SetDiv; s++ {
		if p.accept(s.String()) {
			return s, true, nil
		}
	}
	return 0, false, nil
}

// methodsError returns an error of view, in a text that begins at position start of p's, as one of p's text.
func (p *parser) methodsError(err error, start int) error {
	if syntax, ok := err.(*view.SyntaxError); ok {
		p.pos = min(max(start+syntax.Pos, 0), len(p.text))
		return p.errorf("%s", syntax.Msg)
	}
	p.pos = start
	return p.errorf("%w", err)
}

// unexpected is the error for something after a complete expression.
func (p *parser) unexpected() error {
	switch word := p.word(); word {
	case "and", "or":
		return p.errorf("%q is no operator of arrays: write %s, and comparisons in parentheses", word, map[string]string{"and": "&", "or": "|"}[word])
	case "if":
		return p.errorf("there is no %q: write where(condition, x, y)", word)
	}
	switch symbol := p.symbol(); symbol {
	case "&&", "||":
		return p.errorf("there is no %q: write %s, and comparisons in parentheses", symbol, symbol[:1])
	case "<>":
		return p.errorf("there is no %q: write !=", symbol)
	case "=":
		return p.errorf("expected an operator, found \"=\": to the left of it stands a name, in back quotes if it has other characters than letters, digits and _; == compares")
	}
	return p.errorf("expected an operator or the end, found %s", p.found())
}
