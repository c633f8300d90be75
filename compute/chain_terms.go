package compute

import (
	"errors"
	"strings"

	"github.com/tstore/tstore/internal/syntax"
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
	for _, n := range step.Syntax().Args {
		it, err := fancyItem(n)
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

// fancyItem returns one item of advanced indexing.
func fancyItem(n *syntax.Node) (indexItem, error) {
	switch {
	case n.Kind == syntax.List, n.IsWord("True"), n.IsWord("False"):
		e, err := Parse(n.String())
		return indexItem{array: e.term}, err
	case n.Kind == syntax.Name:
		return indexItem{array: Name(n.Text).term}, nil
	}
	ix, err := view.ParseIndex(n.String())
	if err != nil {
		return indexItem{}, err
	}
	return indexItem{basic: ix[0]}, nil
}
