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

// Free gives the nodes of a tree up: nothing may refer to them any more. It may be left out.
func (t Tree) Free() {
	p := t.parser
	p.nodes.free()
	p.lists.free()
	p.text, p.tok, p.err = "", token{}, nil
	parsers.Put(p)
}

// parsers are those whose room is free.
var parsers = sync.Pool{New: func() any { return &parser{} }}

// A parser reads a text from left to right. After a mistake it is at the end of the text.
type parser struct {
	text     string
	tok      token // the next one
	before   int   // where the token before it ended
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
	*p = parser{text: text, stack: p.stack[:0], nodes: p.nodes, lists: p.lists}
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

// Steps reads the indexes, attributes and methods that follow an operand: of a selector, or of an expression.
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
	n := p.items(0, "")
	if p.tok.kind != endToken {
		p.expect(Error{Want: "',' or the end", In: Statements})
	}
	return n
}

// at reports whether a symbol is next.
func (p *parser) at(symbol string) bool { return p.tok.kind == symbolToken && p.tok.text == symbol }

// accept reads a symbol, if it is next.
func (p *parser) accept(symbol string) bool {
	if !p.at(symbol) {
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

// node returns a node that ends with the token that was read last. Its arguments are those on the stack from first on.
func (p *parser) node(kind Kind, pos int, text string, first int) *Node {
	n := &p.nodes.take(1)[0]
	*n = Node{Kind: kind, Pos: int32(pos), End: int32(p.before), Text: text}
	if args := p.stack[first:]; len(args) > 0 {
		n.Args = p.lists.take(len(args))
		copy(n.Args, args)
	}
	p.stack = p.stack[:first]
	return n
}

// leaf returns a node without arguments.
func (p *parser) leaf(kind Kind, pos int, text string) *Node {
	return p.node(kind, pos, text, len(p.stack))
}

func (p *parser) push(n *Node) { p.stack = append(p.stack, n) }

// A room hands out values that are allocated several at once, because they are given up together.
type room[T any] struct{ all, left []T }

// Sizes of rooms, in values: the first, and the largest one that is kept for another text.
const (
	firstRoom = 32
	maxRoom   = 1024
)

// take returns n zero values.
func (r *room[T]) take(n int) []T {
	if n > len(r.left) {
		r.all = make([]T, max(n, 2*len(r.all), firstRoom))
		r.left = r.all
	}
	taken := r.left[:n:n]
	r.left = r.left[n:]
	return taken
}

func (r *room[T]) free() {
	if len(r.all) > maxRoom {
		*r = room[T]{}
		return
	}
	clear(r.all[:len(r.all)-len(r.left)])
	r.left = r.all
}
