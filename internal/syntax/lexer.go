package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is the next piece of the text.
type token struct {
	kind     tokenKind
	mark     byte       // of a symbol: itself if it is one byte, or else one of the marks
	prec     Precedence // of a symbol that stands between operands
	pos, end int32
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	quotedToken // a name in back quotes, or between the brackets of a selector in double ones
	numberToken
	textToken
	symbolToken
	badToken // a character that begins nothing, or a quote that is not closed
)

// Marks of symbols that are longer than a byte.
const (
	powerMark  byte = 1 + iota // **
	dotsMark                   // ...
	assignMark                 // +=, := and the like
	otherMark
)

// A symbol is an operator or a sign.
type symbol struct {
	text string
	prec Precedence
	mark byte
}

// symbols are all there are by their first bytes, those first that others begin with.
var symbols = func() (byFirst [utf8.RuneSelf][]symbol) {
	binary := map[string]Precedence{
		"==": PrecCompare, "!=": PrecCompare, "<": PrecCompare, "<=": PrecCompare, ">": PrecCompare, ">=": PrecCompare,
		"|": PrecOr, "^": PrecXor, "&": PrecAnd, "<<": PrecShift, ">>": PrecShift, "+": PrecSum, "-": PrecSum,
		"*": PrecProduct, "/": PrecProduct, "//": PrecProduct, "%": PrecProduct, "@": PrecProduct,
	}
	for text := range strings.FieldsSeq(`**= //= <<= >>= ... ** // << >> <= >= == != += -= *= /= %= &= |= ^= @= := <> && ||
		+ - * / % @ < > = & | ^ ~ ( ) [ ] , : ; . !`) {
		s := symbol{text, binary[text], otherMark}
		switch {
		case len(text) == 1:
			s.mark = text[0]
		case text == "**":
			s.mark = powerMark
		case text == "...":
			s.mark = dotsMark
		case s.prec == PrecNone && text[len(text)-1] == '=':
			s.mark = assignMark
		}
		byFirst[text[0]] = append(byFirst[text[0]], s)
	}
	return byFirst
}()

// findSymbol returns the symbol that a text begins with, or nothing.
func findSymbol(text string) symbol {
	if text == "" || text[0] >= utf8.RuneSelf {
		return symbol{}
	}
	for _, s := range symbols[text[0]] {
		if len(s.text) == 1 || strings.HasPrefix(text, s.text) {
			return s
		}
	}
	return symbol{}
}

// textOf returns a token as it stands in the text, without quotes.
func (p *parser) textOf(t token) string {
	if t.kind == quotedToken || t.kind == textToken {
		return p.text[t.pos+1 : t.end-1]
	}
	return p.text[t.pos:t.end]
}

// next goes on to the next token.
func (p *parser) next() { p.scan(int(p.tok.end)) }

// scan makes the first token at or after pos the current one.
func (p *parser) scan(pos int) {
	for pos < len(p.text) && isSpace(p.text[pos]) {
		pos++
	}

	if pos == len(p.text) {
		p.take(endToken, pos, 0)
		return
	}

	rest := p.text[pos:]
	switch c := rest[0]; {
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		p.take(numberToken, pos, len(number(rest)))
	case c == '`', c == '"', c == '\'' && !p.wide:
		p.quoted(pos)
	case p.wide && ends[c]&startsNoName == 0:
		p.take(nameToken, pos, len(wideName(rest)))
	default:
		if s := findSymbol(rest); s.mark != 0 {
			p.take(symbolToken, pos, len(s.text))
			p.tok.prec, p.tok.mark = s.prec, s.mark
		} else if w := word(rest); w != "" {
			p.take(nameToken, pos, len(w))
		} else {
			p.take(badToken, pos, 1)
		}
	}
}

func (p *parser) take(kind tokenKind, pos, length int) {
	p.tok = token{kind: kind, pos: int32(pos), end: int32(pos + length)}
}

// quoted makes what stands in quotes the next token.
func (p *parser) quoted(pos int) {
	quote := p.text[pos]
	length := strings.IndexByte(p.text[pos+1:], quote)
	switch {
	case length < 0:
		p.take(badToken, pos, 1)
	case quote == '`' || p.wide:
		p.take(quotedToken, pos, length+2)
	default:
		p.take(textToken, pos, length+2)
	}
}

// ends tells the bytes that a plain name between the brackets of a selector does not hold, or not
// begin with.
var ends = func() (ends [256]uint8) {
	for _, c := range []byte(" \t\r\n,:[]()\"") {
		ends[c] |= endsName
	}
	for _, c := range []byte("+-.:,[]()") {
		ends[c] |= startsNoName
	}
	return ends
}()

const (
	endsName uint8 = 1 << iota
	startsNoName
)

// wideName returns the plain name that a text between the brackets of a selector begins with.
func wideName(text string) string {
	for i := range len(text) {
		if ends[text[i]]&endsName != 0 {
			return text[:i]
		}
	}
	return text
}

// word returns the identifier that a text begins with, or nothing.
func word(text string) string {
	for i := 0; i < len(text); {
		c := text[i]
		if c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && isDigit(c) {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if c < utf8.RuneSelf || !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return text[:i]
		}
		i += size
	}
	return text
}

// number returns what text, which begins with a number, has of it: digits, letters, dots and signs
// of exponents.
func number(text string) string {
	hex := len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x'
	for i := 1; i < len(text); i++ {
		c := text[i]
		exponent := !hex && text[i-1]|0x20 == 'e' && (c == '+' || c == '-')
		if !exponent && c != '.' && c != '_' && !isDigit(c) && !('a' <= c|0x20 && c|0x20 <= 'z') {
			return text[:i]
		}
	}
	return text
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// spaces are the characters between tokens.
const spaces = " \t\r\n"

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// Found names what stands at a position of a text, for an error: a symbol, a word or a character.
func Found(text string, pos int) string {
	rest := text[pos:]
	if rest == "" {
		return "the end"
	}
	if s := findSymbol(rest); s.text != "" {
		return fmt.Sprintf("%q", s.text)
	}
	if w := word(rest); w != "" {
		return fmt.Sprintf("%.40q", w)
	}
	return FoundRune(text, pos)
}

// FoundRune is Found for the character alone.
func FoundRune(text string, pos int) string {
	if pos == len(text) {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(text[pos:])
	return fmt.Sprintf("%q", r)
}

// Word returns the identifier at a position of a text, or nothing.
func Word(text string, pos int) string { return word(text[pos:]) }

// Symbol returns the operator or sign at a position of a text, or nothing.
func Symbol(text string, pos int) string { return findSymbol(text[pos:]).text }
