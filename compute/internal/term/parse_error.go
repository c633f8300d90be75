package term

import (
	"fmt"

	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// Place returns a position in the text.
func (m *termMaker) place(pos int) Place { return Place{m.tree.Text, pos} }

// at returns where a node stands.
func (m *termMaker) at(n *syntax.Node) Place { return m.place(int(n.Pos)) }

// errorf returns an error at a position in the text.
func (m *termMaker) errorf(pos int, format string, args ...any) error {
	return &Error{Text: m.tree.Text, Pos: pos, Err: fmt.Errorf(format, args...)}
}

// mistake returns the first mistake in the text, or nil.
func (m *termMaker) mistake() error {
	e := m.tree.Err
	if e == nil {
		return nil
	}

	found := syntax.Found(m.tree.Text, e.Pos)
	// Some errors are told by where the parser was, whatever it found.
	switch {
	case e.Want == "":
		return m.errorf(e.Pos, "%s", e.Msg)
	case e.In == syntax.Statements, e.In == syntax.Chain:
		return m.unexpected(e.Pos)
	case e.In == syntax.Missing, e.In == syntax.Attribute:
		return m.errorf(e.Pos, "expected %s, found %s", e.Want, found)
	case e.In == syntax.Index && e.Pos == len(m.tree.Text):
		return m.errorf(e.Open, "expected a closing %q", "]")
	case e.In == syntax.Index && m.tree.Text[e.Pos] == ':':
		return m.errorf(e.Pos+1, "a slice has no more than two colons")
	}

	// Words that are operators in Python get a hint.
	switch syntax.Word(m.tree.Text, e.Pos) {
	case "and", "or", "if":
		return m.unexpected(e.Pos)
	}

	switch e.In {
	case syntax.Index:
		return m.errorf(e.Pos, "expected an operator, ',', ':' or \"]\", found %s", found)
	case syntax.List:
		return m.errorf(e.Pos, "expected an operator, ',' or \"]\", found %s", found)
	}

	return m.errorf(e.Pos, "expected an operator, ',' or \")\", found %s", found)
}

// incomplete returns the mistake, if it is inside of a node or before its end.
func (m *termMaker) incomplete(n *syntax.Node) error {
	if e := m.tree.Err; e != nil && e.Pos <= int(n.End) {
		return m.mistake()
	}
	return nil
}

// viewError returns an error of view as one of the text.
func (m *termMaker) viewError(err error) error {
	if e, ok := err.(*view.SyntaxError); ok {
		return m.errorf(e.Pos, "%s", e.Msg)
	}
	return err
}

// unexpected returns the error for text after a complete expression.
func (m *termMaker) unexpected(pos int) error {
	text := m.tree.Text
	switch word := syntax.Word(text, pos); word {
	case "and", "or":
		return m.errorf(pos, "%q is no operator of arrays: write %s, and comparisons in parentheses", word, map[string]string{"and": "&", "or": "|"}[word])
	case "if":
		return m.errorf(pos, "there is no %q: write where(condition, x, y)", word)
	}

	switch symbol := syntax.Symbol(text, pos); symbol {
	case "&&", "||":
		return m.errorf(pos, "there is no %q: write %s, and comparisons in parentheses", symbol, symbol[:1])
	case "<>":
		return m.errorf(pos, "there is no %q: write !=", symbol)
	case "=":
		return m.errorf(pos, "expected an operator, found \"=\": to the left of it stands a name, in back quotes if it has other characters than letters, digits and _; == compares")
	}

	return m.errorf(pos, "expected an operator or the end, found %s", syntax.Found(text, pos))
}
