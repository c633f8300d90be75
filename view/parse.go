package view

import (
	"fmt"
	"math"
	"strings"
)

// Limits of ParseIndex. No valid index needs more items: MaxRank axes can be
// used and as many made, besides one ellipsis.
const (
	maxIndexText  = 4096
	maxIndexItems = 2*MaxRank + 1
)

// ParseIndex reads an index as it is written between the brackets of NumPy's
// basic indexing: items separated by commas (one more may follow), each an
// integer, a slice start:stop:step with any part left out or None, an ellipsis
// ("..." or "Ellipsis"), or a new axis ("newaxis", "np.newaxis" or "None").
// "()" is the empty index. Space between the parts is ignored.
//
// Slice bounds beyond the range of int are clamped, as in Python; an integer
// index beyond it is an error. Errors are of type *SyntaxError.
func ParseIndex(text string) (Index, error) {
	p := indexParser{text: text}
	if len(text) > maxIndexText {
		p.pos = maxIndexText
		return nil, p.errorf("the text is %d bytes long, more than %d", len(text), maxIndexText)
	}
	p.skipSpace()
	if p.isEmptyTuple() {
		return Index{}, nil
	}
	var ix Index
	for {
		it, err := p.item()
		if err != nil {
			return nil, err
		}
		ix = append(ix, it)
		if len(ix) > maxIndexItems {
			return nil, p.errorf("more than %d items", maxIndexItems)
		}
		if p.atEnd() {
			return ix, nil
		}
		if !p.accept(",") {
			return nil, p.errorf("expected ',' or the end, found %s", p.found())
		}
		if p.atEnd() {
			return ix, nil
		}
	}
}

// indexParser reads text from left to right. Between its methods, pos is never
// on a space.
type indexParser struct {
	text string
	pos  int
	what string // what the text is, for errors; an index if it is empty
}

// item reads one item.
func (p *indexParser) item() (Item, error) {
	if p.accept("...") || p.acceptWord("Ellipsis") {
		return Ellipsis(), nil
	}
	none := p.acceptNone()
	if none && !p.peek(':') {
		return NewAxis(), nil
	}
	start := bound{}
	if !none && !p.peek(':') {
		var err error
		if start, err = p.number(); err != nil {
			return Item{}, err
		}
	}
	if p.peek(':') {
		return p.slice(start)
	}
	if start.clamped {
		p.pos = start.pos
		return Item{}, p.errorf("an integer index must fit in 64 bits")
	}
	return At(start.v), nil
}

// slice reads the rest of a slice, from its first colon on.
func (p *indexParser) slice(start bound) (Item, error) {
	it := Item{start: start.v}
	if start.given {
		it.given = hasStart
	}
	for _, part := range []struct {
		has parts
		v   *int
	}{{hasStop, &it.stop}, {hasStep, &it.step}} {
		if !p.accept(":") {
			break
		}
		if p.atEnd() || p.peek(',') || p.peek(':') || p.acceptNone() {
			continue
		}
		b, err := p.number()
		if err != nil {
			return Item{}, err
		}
		*part.v, it.given = b.v, it.given|part.has
	}
	return it, nil
}

// A bound is a number in the text, or nothing.
type bound struct {
	v       int
	given   bool
	clamped bool // it was beyond the range of int
	pos     int
}

// number reads an integer with an optional sign.
func (p *indexParser) number() (bound, error) {
	b := bound{given: true, pos: p.pos}
	negative := p.accept("-")
	if !negative {
		p.accept("+")
	}
	first := p.pos
	for p.pos < len(p.text) && isDigit(p.text[p.pos]) {
		digit := int(p.text[p.pos] - '0')
		if negative {
			digit = -digit
		}
		b.clamped = b.clamped || !mulInto(&b.v, 10) || !addInto(&b.v, digit)
		p.pos++
	}
	if p.pos == first {
		return b, p.numberError()
	}
	if p.pos < len(p.text) && isWordByte(p.text[p.pos]) {
		return b, p.errorf("a number goes on with %s: indexes are whole decimal numbers", p.found())
	}
	if b.clamped && negative {
		b.v = math.MinInt
	} else if b.clamped {
		b.v = math.MaxInt
	}
	p.skipSpace()
	return b, nil
}

// numberError says what stands where an item should, with a hint for the forms
// of indexing that NumPy knows beyond the basic ones.
func (p *indexParser) numberError() error {
	switch rest := p.text[p.pos:]; {
	case strings.HasPrefix(rest, "["), strings.HasPrefix(rest, "("):
		return p.errorf("lists of indexes are not basic indexing: expected an integer, a slice, '...' or newaxis")
	case strings.HasPrefix(rest, "True"), strings.HasPrefix(rest, "False"):
		return p.errorf("masks are not basic indexing: expected an integer, a slice, '...' or newaxis")
	}
	return p.errorf("expected an integer, a slice, '...' or newaxis, found %s", p.found())
}

// isEmptyTuple reads "()" and reports whether it is all there is.
func (p *indexParser) isEmptyTuple() bool {
	start := p.pos
	if p.accept("(") && p.accept(")") && p.atEnd() {
		return true
	}
	p.pos = start
	return false
}

func (p *indexParser) acceptNone() bool {
	return p.acceptWord("None") || p.acceptWord("newaxis") || p.acceptWord("np.newaxis")
}

// accept reads token and the space after it, if it is next.
func (p *indexParser) accept(token string) bool {
	if !strings.HasPrefix(p.text[p.pos:], token) {
		return false
	}
	p.pos += len(token)
	p.skipSpace()
	return true
}

// acceptWord is accept for a token that must not go on with more letters.
func (p *indexParser) acceptWord(word string) bool {
	end := p.pos + len(word)
	if end < len(p.text) && isWordByte(p.text[end]) {
		return false
	}
	return p.accept(word)
}

func (p *indexParser) peek(c byte) bool { return p.pos < len(p.text) && p.text[p.pos] == c }

func (p *indexParser) atEnd() bool { return p.pos == len(p.text) }

func (p *indexParser) skipSpace() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// found names what stands at the current position.
func (p *indexParser) found() string {
	if p.atEnd() {
		return "the end"
	}
	for _, r := range p.text[p.pos:] {
		return fmt.Sprintf("%q", r)
	}
	panic("BUG: no rune before the end of the text")
}

func (p *indexParser) errorf(format string, args ...any) error {
	return &SyntaxError{What: p.what, Text: p.text, Pos: p.pos, Msg: fmt.Sprintf(format, args...)}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || c == '.' || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
