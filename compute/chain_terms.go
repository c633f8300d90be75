package compute

import (
	"errors"
	"strings"

	"github.com/tstore/tstore/view"
)

// viewStep returns a step of a chain on an operand. Between brackets of a chain, names are written as view.ParseFancy
// reads them, which is not how Parse does.
func viewStep(operand *term, step view.Step) (*term, error) {
	text := view.Chain{step}.String()
	if !strings.HasPrefix(text, "[") {
		return Expr{operand}.Slice(text).built()
	}
	inner := text[1 : len(text)-1]
	if ix, err := view.ParseIndex(inner); err == nil {
		return indexTerm(place{}, operand, ix), nil
	}
	var items []indexItem
	for _, part := range splitItems(inner) {
		it, err := fancyItem(part)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return itemsTerm(place{}, operand, items), nil
}

// built returns the term of an expression, or the mistake that was made when it was built.
func (e Expr) built() (*term, error) {
	switch {
	case e.term == nil:
		return nil, errors.New("an empty expression")
	case e.term.kind == termError:
		return nil, e.term.err
	}
	return e.term, nil
}

// splitItems cuts an index at its commas outside of brackets and quotes.
func splitItems(text string) []string {
	var items []string
	depth, quoted, start := 0, false, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			items = append(items, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(items, strings.TrimSpace(text[start:]))
}

// fancyItem returns one item of advanced indexing as view writes it.
func fancyItem(text string) (indexItem, error) {
	switch {
	case strings.HasPrefix(text, "["), text == "True", text == "False":
		e, err := Parse(text)
		return indexItem{array: e.term}, err
	case strings.HasPrefix(text, `"`):
		return indexItem{array: Name(strings.Trim(text, `"`)).term}, nil
	}
	ix, err := view.ParseIndex(text)
	if err == nil && len(ix) == 1 {
		return indexItem{basic: ix[0]}, nil
	}
	return indexItem{array: Name(text).term}, nil
}
