package syntax

import (
	"fmt"
	"strings"
)

// An Error says where a text stops making sense, and what was expected there or what is wrong.
type Error struct {
	Pos  int
	Want string // what was expected
	Msg  string // what is wrong, if Want is empty
	In   Kind   // what goes on or ends there, if it is not an operand that was expected: Statements for the whole text
	Open int    // where the bracket of an Index stands that is not closed
}

// expect makes the next token the mistake, if it is the first one.
func (p *parser) expect(e Error) {
	if p.err == nil {
		e.Pos = int(p.tok.pos)
		p.err = &e
	}
	p.stop()
}

// failf makes what is wrong at pos the mistake, if it is the first one.
func (p *parser) failf(pos int, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	}
	p.stop()
}

// stop goes to the end of the text. Nodes that are not complete end there.
func (p *parser) stop() {
	p.take(endToken, len(p.text), 0)
	p.before = p.tok.end
}

// missing stands for an operand that isn't there.
func (p *parser) missing() *Node {
	if text := p.textOf(p.tok); p.tok.kind == badToken && strings.Contains("`'\"", text) {
		p.failf(int(p.tok.pos), "expected a closing quote, %s", text)
	}
	p.expect(Error{Want: "an operand"})
	return p.leaf(Missing, int32(p.err.Pos), "")
}
