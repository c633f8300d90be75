package view

import (
	"fmt"
	"strings"

	"github.com/tstore/tstore/internal/syntax"
)

// A syntaxReader makes indexes and steps of the tree of a text.
type syntaxReader struct {
	tree syntax.Tree
	what string // what the text is, for errors; an index if it is empty
}

// errorf returns an error at a position, or the mistake that the text has before it.
func (r *syntaxReader) errorf(pos int, format string, args ...any) error {
	if r.tree.Err != nil && r.tree.Err.Pos <= pos {
		return r.mistake()
	}
	return r.error(pos, fmt.Sprintf(format, args...))
}

func (r *syntaxReader) error(pos int, msg string) error {
	return &SyntaxError{What: r.what, Text: r.tree.Text, Pos: pos, Msg: msg}
}

// mistake returns the mistake in the text, if it has one.
func (r *syntaxReader) mistake() error {
	e := r.tree.Err
	switch {
	case e == nil:
		return nil
	case e.Want == "":
		return r.error(e.Pos, e.Msg)
	case e.In == syntax.Index && e.Pos == len(r.tree.Text):
		return r.error(e.Pos, fmt.Sprintf("expected the ']' of the '[' at position %d, found the end", e.Open))
	}
	return r.expected(e.Pos, e.Want)
}

// expected returns the error for something unwanted at a position.
func (r *syntaxReader) expected(pos int, want string) error {
	return r.error(pos, "expected "+want+", found "+syntax.FoundRune(r.tree.Text, pos))
}

// integer returns the integer that n is. What else it might be is for errors.
func (r *syntaxReader) integer(n *syntax.Node, want string) (int, error) {
	v, fits, ok := n.Int()
	switch {
	case ok && fits:
		return v, nil
	case ok:
		return 0, r.errorf(int(n.Pos), "an integer must fit in 64 bits")
	}
	return 0, r.notInteger(n, want)
}

// notInteger returns the error for something that is not an integer.
func (r *syntaxReader) notInteger(n *syntax.Node, want string) error {
	n, _ = n.Signed()
	digits := len(n.Text) - len(strings.TrimLeft(n.Text, "0123456789"))
	pos := int(n.Pos) + digits
	switch {
	case n.Kind != syntax.Number:
		return r.unexpected(n, want)
	case digits == 0, want == wantElement:
		return r.expected(pos, want)
	}
	return r.errorf(pos, "a number goes on with %s: indexes are whole decimal numbers", syntax.FoundRune(r.tree.Text, pos))
}

// unexpected returns the error for a node in the wrong place. If the node stands for a mistake, it
// returns that.
func (r *syntaxReader) unexpected(n *syntax.Node, want string) error {
	if n.Kind == syntax.Missing && r.tree.Err.Want == "" {
		return r.mistake()
	}
	return r.expected(int(n.Pos), want)
}

// What errors say is expected.
const (
	wantItem    = "an integer, a slice, '...' or newaxis"
	wantElement = "an integer, True, False or a list"
	wantInteger = "an integer"
)
