package npyheader

import (
	"fmt"
	"strings"
)

// The Python literals that a header may hold, as Go values: a string or a bool is itself, None is
// nil, a number is its text.
type (
	number string
	tuple  []any
	list   []any
	dict   []entry
)

type entry struct {
	key   string
	value any
}

const (
	maxDepth   = 32      // of literals within literals
	maxEntries = 4 << 10 // of one tuple, list or dictionary
)

// parser reads Python literals, as ast.literal_eval does, from a header's text.
type parser struct {
	text  string
	pos   int
	depth int
	longs bool // Python 2's 10L is a number
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: at character %d: %s", ErrMalformed, p.pos, fmt.Sprintf(format, args...))
}

// skip moves over space and comments, and returns the comments.
func (p *parser) skip() (comments []string) {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r', '\f':
			p.pos++
		case '#':
			comment := p.text[p.pos+1:]
			if end := strings.IndexAny(comment, "\r\n"); end >= 0 {
				comment = comment[:end]
			}
			p.pos += 1 + len(comment)
			comments = append(comments, strings.TrimSpace(comment))
		default:
			return comments
		}
	}

	return comments
}

// peek skips space and returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	p.skip()
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// accept moves over c if it comes next.
func (p *parser) accept(c byte) bool {
	if p.peek() != c || c == 0 {
		return false
	}
	p.pos++
	return true
}

// found describes what comes next, for messages.
func (p *parser) found() string {
	const shown = 12
	rest := p.text[p.pos:]
	if rest == "" {
		return "the end"
	}
	return fmt.Sprintf("%q", rest[:min(len(rest), shown)])
}

// dictionary reads {'key': value, …}.
func (p *parser) dictionary() (dict, error) {
	if !p.accept('{') {
		return nil, p.errorf("expected a dictionary, found %s", p.found())
	}

	var d dict
	// Entries are separated by commas, and a comma may follow the last.
	for !p.accept('}') {
		if len(d) > 0 && !p.accept(',') {
			return nil, p.errorf("expected ',' or '}', found %s", p.found())
		}
		if len(d) > 0 && p.accept('}') {
			break
		}

		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if !p.accept(':') {
			return nil, p.errorf("expected ':' after key %q, found %s", key, p.found())
		}

		value, err := p.value()
		if err != nil {
			return nil, err
		}

		if d = append(d, entry{key, value}); len(d) > maxEntries {
			return nil, p.errorf("more than %d keys", maxEntries)
		}
	}
	return d, nil
}

// value reads any literal but a dictionary.
func (p *parser) value() (any, error) {
	switch c := p.peek(); {
	case c == '(':
		return p.tuple()
	case c == '[':
		elems, _, err := p.sequence('[', ']')
		return list(elems), err
	case c == '\'', c == '"':
		return p.str()
	case c == '-', c == '+', isDigit(c):
		return p.number()
	case (c == 'u' || c == 'U') && p.pos+1 < len(p.text) && (p.text[p.pos+1] == '\'' || p.text[p.pos+1] == '"'):
		return p.str()
	}
	return p.name()
}

// tuple reads (a, b), (a,), () and (a), which Python takes for a itself.
func (p *parser) tuple() (any, error) {
	elems, comma, err := p.sequence('(', ')')
	if err != nil {
		return nil, err
	}
	if len(elems) == 1 && !comma {
		return elems[0], nil
	}
	return tuple(elems), nil
}

// sequence reads values between brackets and reports whether the last had a comma.
func (p *parser) sequence(open, end byte) (elems []any, comma bool, err error) {
	p.accept(open)
	if p.depth++; p.depth > maxDepth {
		return nil, false, p.errorf("more than %d brackets within each other", maxDepth)
	}
	defer func() { p.depth-- }()

	for !p.accept(end) {
		if len(elems) > 0 && !comma {
			return nil, false, p.errorf("expected ',' or %q, found %s", end, p.found())
		}

		value, err := p.value()
		if err != nil {
			return nil, false, err
		}

		if elems = append(elems, value); len(elems) > maxEntries {
			return nil, false, p.errorf("more than %d entries", maxEntries)
		}
		comma = p.accept(',')
	}
	return elems, comma, nil
}

// str reads a string in either kind of quotes, with Python 2's u before it or not. Of the escapes,
// those of the backslash and the quotes are resolved; others stay as they are.
func (p *parser) str() (string, error) {
	if c := p.peek(); c == 'u' || c == 'U' {
		p.pos++
	}

	if p.pos == len(p.text) || p.text[p.pos] != '\'' && p.text[p.pos] != '"' {
		return "", p.errorf("expected a string, found %s", p.found())
	}

	quote := p.text[p.pos]
	p.pos++

	var b strings.Builder
	for ; p.pos < len(p.text); p.pos++ {
		c := p.text[p.pos]
		switch {
		case c == quote:
			p.pos++
			return b.String(), nil
		case c == '\n', c == '\r':
			return "", p.errorf("string without an end")
		case c == '\\' && p.pos+1 < len(p.text) && strings.IndexByte(`\'"`, p.text[p.pos+1]) >= 0:
			p.pos++
			c = p.text[p.pos]
		}
		b.WriteByte(c)
	}

	return "", p.errorf("string without an end")
}

// number reads a decimal integer.
func (p *parser) number() (number, error) {
	start := p.pos
	if p.accept('-') || p.accept('+') {
		p.peek()
	}

	digits := p.pos
	for p.pos < len(p.text) && isDigit(p.text[p.pos]) {
		p.pos++
	}

	if p.pos == digits {
		return "", p.errorf("expected digits, found %s", p.found())
	}

	value := number(p.text[start:digits] + p.text[digits:p.pos])
	if p.longs && p.pos < len(p.text) && p.text[p.pos] == 'L' {
		p.pos++
	}

	if p.pos < len(p.text) && (isLetter(p.text[p.pos]) || p.text[p.pos] == '.') {
		return "", p.errorf("expected a decimal integer, found %q", p.text[start:p.pos+1])
	}

	return value, nil
}

// name reads True, False or None.
func (p *parser) name() (any, error) {
	end := p.pos
	for end < len(p.text) && isLetter(p.text[end]) {
		end++
	}
	name := p.text[p.pos:end]
	switch name {
	case "True", "False":
		p.pos = end
		return name == "True", nil
	case "None":
		p.pos = end
		return nil, nil
	}
	return nil, p.errorf("expected a string, number, tuple, list, True or False, found %s", p.found())
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || isDigit(c)
}
