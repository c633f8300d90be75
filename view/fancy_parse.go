package view

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxFancyText is the longest text that ParseFancy reads, in bytes.
const maxFancyText = 64 << 10

// ParseFancy reads an index as it is written between the brackets of NumPy's
// indexing: what ParseIndex reads, and besides lists of integers ("[1, 5, 7]",
// "[[0], [2]]"), lists of True and False, True and False alone, and names of
// tensors, which are integers to be used as indexes or a mask:
//
//	[1, 5, 7], ::2
//	[[0], [1]], [2, 3]
//	mask
//	..., "weather/by day"
//
// A name goes up to the next space or one of ,:[]()" and does not start with a
// digit, a dot or a sign; other names stand in double quotes. lookup finds the
// tensor of a name, and its errors are wrapped; without a lookup, a name is an
// error. The tensors are borrowed by the Fancy. Other errors are of type
// *SyntaxError.
func ParseFancy(text string, lookup func(name string) (*Tensor, error)) (Fancy, error) {
	p := fancyParser{indexParser{text: text}, lookup}
	if len(text) > maxFancyText {
		p.pos = maxFancyText
		return nil, p.errorf("the text is %d bytes long, more than %d", len(text), maxFancyText)
	}
	p.skipSpace()
	if p.isEmptyTuple() {
		return Fancy{}, nil
	}
	var f Fancy
	for {
		it, err := p.item()
		if err != nil {
			return nil, err
		}
		f = append(f, it)
		if len(f) > maxIndexItems {
			return nil, p.errorf("more than %d items", maxIndexItems)
		}
		if p.atEnd() {
			return f, nil
		}
		if !p.accept(",") {
			return nil, p.errorf("expected ',' or the end, found %s", p.found())
		}
		if p.atEnd() {
			return f, nil
		}
	}
}

// fancyParser is an indexParser that knows lists and names.
type fancyParser struct {
	indexParser
	lookup func(name string) (*Tensor, error)
}

// item reads one item.
func (p *fancyParser) item() (FancyItem, error) {
	if p.peek('[') {
		return p.list()
	}
	if v, ok := p.acceptBool(); ok {
		return FancyItem{kind: boolArray, values: []int{v}, shape: []int{}}, nil
	}
	if p.startsName() {
		return p.named()
	}
	it, err := p.indexParser.item()
	return Basic(it), err
}

// acceptBool reads True or False.
func (p *indexParser) acceptBool() (v int, ok bool) {
	if p.acceptWord("True") {
		return 1, true
	}
	return 0, p.acceptWord("False")
}

// startsName reports whether a name is next, and not a word of basic indexing.
func (p *fancyParser) startsName() bool {
	if p.atEnd() || strings.IndexByte("+-.:,[]()", p.text[p.pos]) >= 0 || isDigit(p.text[p.pos]) {
		return false
	}
	words := *p
	return !words.acceptNone() && !words.acceptWord("Ellipsis")
}

// named reads a name and looks it up.
func (p *fancyParser) named() (FancyItem, error) {
	start := p.pos
	name, err := p.name()
	if err != nil {
		return FancyItem{}, err
	}
	fail := func(format string, args ...any) (FancyItem, error) {
		p.pos = start
		return FancyItem{}, p.errorf(format, args...)
	}
	if p.lookup == nil {
		return fail("%q stands for a tensor, and no tensors are known here", name)
	}
	t, err := p.lookup(name)
	if err != nil {
		return FancyItem{}, fmt.Errorf("look up %q: %w", name, err)
	}
	it := FancyItem{kind: intArray, name: name, t: t}
	if isMask(t) {
		it.kind = boolArray
	} else if !isInteger(t) {
		return fail("%q has dtype %s: indexes are integers or bool", name, t.DType())
	}
	return it, nil
}

// name reads a plain or a quoted name.
func (p *fancyParser) name() (string, error) {
	rest := p.text[p.pos:]
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		name, _, closed := strings.Cut(quoted, `"`)
		if !closed || name == "" || !utf8.ValidString(name) {
			return "", p.errorf("expected a name of valid UTF-8 and a closing quote")
		}
		p.pos += len(name) + 2
		p.skipSpace()
		return name, nil
	}
	end := strings.IndexAny(rest, nameEnds)
	if end < 0 {
		end = len(rest)
	}
	if end == 0 || !utf8.ValidString(rest[:end]) {
		return "", p.errorf("expected an item of an index, found %s", p.found())
	}
	p.pos += end
	p.skipSpace()
	return rest[:end], nil
}

// nameEnds are the characters that a plain name does not hold.
const nameEnds = " \t\r\n,:[]()\""

// quoteName writes a name as ParseFancy reads it.
func quoteName(name string) string {
	p := fancyParser{indexParser{text: name}, nil}
	if name == "True" || name == "False" || !p.startsName() || strings.ContainsAny(name, nameEnds) {
		return `"` + name + `"`
	}
	return name
}

// list reads nested lists of integers, or of True and False.
func (p *fancyParser) list() (FancyItem, error) {
	l := listReader{p: p}
	if err := l.read(0); err != nil {
		return FancyItem{}, err
	}
	it := FancyItem{kind: intArray, values: l.values, shape: l.shape}
	if l.bools {
		it.kind = boolArray
	}
	return it, nil
}

// A listReader collects the elements of nested lists and proves that all lists
// of one depth are of one length.
type listReader struct {
	p      *fancyParser
	values []int
	shape  []int
	leaves int // the depth of the elements, once one was seen, otherwise 0
	bools  bool
}

// read reads one list; p is at its bracket.
func (l *listReader) read(depth int) error {
	p, start := l.p, l.p.pos
	if depth == MaxRank {
		return p.errorf("lists are nested deeper than %d", MaxRank)
	}
	known := depth < len(l.shape)
	if !known {
		l.shape = append(l.shape, 0)
	}
	p.accept("[")
	n := 0
	for ; !p.accept("]"); n++ {
		if n > 0 && !p.accept(",") {
			return p.errorf("expected ',' or ']', found %s", p.found())
		}
		if n > 0 && p.accept("]") {
			break
		}
		if err := l.element(depth); err != nil {
			return err
		}
	}
	if known && l.shape[depth] != n {
		p.pos = start
		return p.errorf("a list of %d elements beside one of %d: an array has lists of one length", n, l.shape[depth])
	}
	l.shape[depth] = n
	return nil
}

// element reads a list, a number or a bool inside a list of the given depth.
func (l *listReader) element(depth int) error {
	p, start := l.p, l.p.pos
	if p.peek('[') {
		if l.leaves == depth+1 {
			return p.errorf("a list beside single elements")
		}
		return l.read(depth + 1)
	}
	v, isBool := p.acceptBool()
	if !isBool {
		b, err := p.number()
		if err != nil {
			return p.errorf("expected an integer, True, False or a list, found %s", p.found())
		}
		if b.clamped {
			p.pos = start
			return p.errorf("an integer index must fit in 64 bits")
		}
		v = b.v
	}
	if len(l.shape) > depth+1 {
		p.pos = start
		return p.errorf("a single element beside lists")
	}
	if len(l.values) > 0 && l.bools != isBool {
		p.pos = start
		return p.errorf("numbers and bools in one list")
	}
	l.leaves, l.bools = depth+1, isBool
	l.values = append(l.values, v)
	return nil
}
