package syntax

import "sync"

// Limits, so that hostile text costs little.
const (
	MaxText  = 64 << 10 // bytes
	maxDepth = 200      // of brackets and of operators with one operand
)

// A Tree is a text that was read.
type Tree struct {
	Text string
	Root *Node  // what stands before the mistake, if there is one
	Err  *Error // the mistake

	parser *parser
}

// Free gives up the nodes of a tree, to which nothing may refer any more. It may be left out.
func (t Tree) Free() {
	p := t.parser
	p.text, p.err = "", nil
	parsers.Put(p)
}

// parsers are the parsers that no text uses, with their memory.
var parsers = sync.Pool{New: func() any { return &parser{} }}

// A parser reads a text from left to right. After a mistake it is at the end of the text.
type parser struct {
	text     string
	tok      token // the next one
	before   int32 // where the token before it ended
	depth    int
	selector bool // names between brackets are those of selectors
	wide     bool // the next token is between such brackets
	err      *Error

	stack []*Node // of lists that are being read
	nodes room[Node]
	lists room[*Node]
}

// read reads a text with one of the methods of a parser.
func read(text string, limit int, what func(p *parser) *Node) Tree {
	p := parsers.Get().(*parser)
	p.nodes.free()
	p.lists.free()
	p.text, p.tok, p.before, p.stack = text, token{}, 0, p.stack[:0]
	p.depth, p.selector, p.wide = 0, false, false
	t := Tree{Text: text, parser: p}
	if len(text) > limit {
		p.failf(limit, "the text is %d bytes long, more than %d", len(text), limit)
		t.Root = p.missing()
	} else {
		t.Root = what(p)
	}
	t.Err = p.err
	return t
}

// Expression reads one expression.
func Expression(text string) Tree { return read(text, MaxText, (*parser).whole) }

// Program reads statements with semicolons between them.
func Program(text string) Tree { return read(text, MaxText, (*parser).program) }

// Steps reads the indexes, attributes and methods that follow an operand: of a selector, or of an
// expression.
func Steps(text string, ofSelector bool) Tree {
	if ofSelector {
		return read(text, MaxText, (*parser).selectorSteps)
	}
	return read(text, MaxText, (*parser).steps)
}

// Items reads what stands between the brackets of a selector. The text has at most limit bytes.
func Items(text string, limit int) Tree { return read(text, limit, (*parser).selectorItems) }

func (p *parser) whole() *Node {
	p.scan(0)
	n := p.expression(PrecCompare)
	if p.tok.kind != endToken {
		p.expect(Error{Want: "an operator or the end", In: Statements})
	}
	return n
}

func (p *parser) selectorSteps() *Node {
	p.selector = true
	return p.steps()
}

func (p *parser) steps() *Node {
	p.scan(0)
	n := p.chain(nil)
	if p.tok.kind != endToken {
		p.expect(Error{Want: "'.' and a method, or '[' and an index", In: Chain})
	}
	return n
}

func (p *parser) selectorItems() *Node {
	p.selector, p.wide = true, true
	p.scan(0)
	n := p.items(0, 0)
	if p.tok.kind != endToken {
		p.expect(Error{Want: "',' or the end", In: Statements})
	}
	return n
}

// at reports whether a symbol is next.
func (p *parser) at(mark byte) bool { return p.tok.mark == mark }

// accept reads a symbol, if it is next.
func (p *parser) accept(mark byte) bool {
	if !p.at(mark) {
		return false
	}
	p.advance()
	return true
}

// advance reads the next token.
func (p *parser) advance() {
	p.before = p.tok.end
	p.next()
}

// node returns a node that ends with the last token. Its arguments are those on the stack from
// first on.
func (p *parser) node(kind Kind, pos int32, text string, first int) *Node {
	n := p.leaf(kind, pos, text)
	if args := p.stack[first:]; len(args) > 0 {
		n.Args = p.lists.take(len(args))
		copy(n.Args, args)
	}
	p.stack = p.stack[:first]
	return n
}

// leaf returns a node without arguments.
func (p *parser) leaf(kind Kind, pos int32, text string) *Node {
	n := p.nodes.one()
	n.Kind, n.Quoted, n.Pos, n.End, n.Text, n.Args = kind, false, pos, p.before, text, nil
	return n
}

func (p *parser) push(n *Node) { p.stack = append(p.stack, n) }

// A room hands out values that are allocated several at once, because they are given up together.
type room[T any] struct {
	all  []T
	used int
}

// Sizes of rooms, in values: the first, and the largest one that is kept for another text.
const (
	firstRoom = 32
	maxRoom   = 1024
)

// take returns n values, which hold values of earlier texts.
func (r *room[T]) take(n int) []T {
	if r.used+n > len(r.all) {
		r.grow(n)
	}
	r.used += n
	return r.all[r.used-n : r.used : r.used]
}

// one is take for one value.
func (r *room[T]) one() *T {
	if r.used == len(r.all) {
		r.grow(1)
	}
	r.used++
	return &r.all[r.used-1]
}

// grow makes room for n values more.
func (r *room[T]) grow(n int) {
	r.all, r.used = make([]T, max(n, 2*len(r.all), firstRoom)), 0
}

// free makes room for another text.
func (r *room[T]) free() {
	if len(r.all) > maxRoom {
		r.all = nil
	}
	r.used = 0
}
