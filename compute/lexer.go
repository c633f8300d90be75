package compute

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of Parse and ParseProgram, so that hostile text costs little.
const (
	maxExprText  = 64 << 10
	maxExprDepth = 200 // of brackets and of operators with one operand
)

// A parser reads text from left to right. Between its methods, pos is never on a space.
type parser struct {
	text  string
	pos   int
	depth int
	room  *termRoom // shared by a parser and those that look ahead of it

	constants []string // Statement.Constants of the statement
}

// A termRoom has room for the terms of one text.
type termRoom struct {
	terms spare[term]
	lists spare[*term]
}

// symbols are all there are by their first bytes, those first that others begin with.
var symbols = func() (byFirst [128][]string) {
	for s := range strings.FieldsSeq(`**= //= <<= >>= ... ** // << >> <= >= == != += -= *= /= %= &= |= ^= @= := <> && ||
		+ - * / % @ < > = & | ^ ~ ( ) [ ] , : ; . !`) {
		byFirst[s[0]] = append(byFirst[s[0]], s)
	}
	return byFirst
}()

// symbol returns the symbol that is next, or nothing.
func (p *parser) symbol() string {
	rest := p.text[p.pos:]
	if rest == "" || rest[0] >= 128 {
		return ""
	}
	for _, s := range symbols[rest[0]] {
		if strings.HasPrefix(rest, s) {
			return s
		}
	}
	return ""
}

// accept reads a symbol, if it is next.
func (p *parser) accept(symbol string) bool {
	if p.symbol() != symbol {
		return false
	}
	p.advance(len(symbol))
	return true
}

// advance goes n bytes on, and over the space behind them.
func (p *parser) advance(n int) {
	p.pos += n
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) atEnd() bool { return p.pos == len(p.text) }

// word returns the identifier that is next, or nothing.
func (p *parser) word() string {
	for i, r := range p.text[p.pos:] {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return p.text[p.pos : p.pos+i]
		}
	}
	return p.text[p.pos:]
}

// acceptWord reads an identifier, if it is next.
func (p *parser) acceptWord(word string) bool {
	if p.word() != word {
		return false
	}
	p.advance(len(word))
	return true
}

// number returns the number that is next, or nothing: digits, letters and signs of exponents, whether they make a
// number or not.
func (p *parser) number() string {
	rest := p.text[p.pos:]
	if rest == "" || !isDigit(rest[0]) && (rest[0] != '.' || len(rest) < 2 || !isDigit(rest[1])) {
		return ""
	}
	hex := len(rest) > 1 && rest[0] == '0' && rest[1]|0x20 == 'x'
	for i := 1; i < len(rest); i++ {
		c := rest[i]
		exponent := !hex && rest[i-1]|0x20 == 'e' && (c == '+' || c == '-')
		if !exponent && c != '.' && c != '_' && !isDigit(c) && !('a' <= c|0x20 && c|0x20 <= 'z') {
			return rest[:i]
		}
	}
	return rest
}

// quoted returns what stands between quotes, if one is next, without reading it.
func (p *parser) quoted(quotes string) (inner string, ok bool, err error) {
	if p.atEnd() || strings.IndexByte(quotes, p.text[p.pos]) < 0 {
		return "", false, nil
	}
	end := strings.IndexByte(p.text[p.pos+1:], p.text[p.pos])
	if end < 0 {
		return "", true, p.errorf("expected a closing %c", p.text[p.pos])
	}
	return p.text[p.pos+1 : p.pos+1+end], true, nil
}

// closing returns the length of the text up to the bracket that closes the one it begins with. Brackets in quotes do
// not count.
func closing(text string) (length int, ok bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '"', '\'', '`':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return 0, false
			}
			i += end + 1
		}
		if depth == 0 {
			return i + 1, true
		}
	}
	return 0, false
}

// found names what stands at the current position.
func (p *parser) found() string {
	switch {
	case p.atEnd():
		return "the end"
	case p.symbol() != "":
		return fmt.Sprintf("%q", p.symbol())
	case p.word() != "":
		return fmt.Sprintf("%.40q", p.word())
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return fmt.Sprintf("%q", r)
}

func (p *parser) errorf(format string, args ...any) error {
	return &ExprError{Text: p.text, Pos: p.pos, Err: fmt.Errorf(format, args...)}
}

// here is the place of what is next.
func (p *parser) here() place { return place{p.text, p.pos} }
