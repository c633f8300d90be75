package compute

import (
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// brackets reads an index behind an operand: basic indexing as view.ParseIndex reads it, and otherwise expressions.
func (p *parser) brackets(operand *term) (*term, error) {
	at := p.here()
	length, ok := closing(p.text[p.pos:])
	if !ok {
		return nil, p.errorf("expected a closing %q", "]")
	}
	if ix, err := view.ParseIndex(p.text[p.pos+1 : p.pos+length-1]); err == nil && p.text[p.pos+length-1] == ']' {
		p.advance(length)
		return indexTerm(at, operand, ix), nil
	}
	p.advance(1)
	var items []indexItem
	for comma := true; !p.accept("]"); comma = p.accept(",") {
		if !comma {
			return nil, p.errorf("expected an operator, ',', ':' or \"]\", found %s", p.found())
		}
		if len(items) == 2*view.MaxRank+1 {
			return nil, p.errorf("more than %d items", len(items))
		}
		it, err := p.indexItem()
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	if len(items) == 0 {
		return nil, at.errorf("an index without items")
	}
	return itemsTerm(at, operand, items), nil
}

func indexTerm(at place, operand *term, ix view.Index) *term {
	return &term{kind: termView, at: at, args: []*term{operand}, step: view.Chain{view.IndexStep(ix)}}
}

// itemsTerm returns an index, as basic indexing if it is that.
func itemsTerm(at place, operand *term, items []indexItem) *term {
	ix := make(view.Index, len(items))
	for i := range items {
		if items[i].isSpan || items[i].array != nil {
			return &term{kind: termIndex, at: at, args: []*term{operand}, items: items}
		}
		ix[i] = items[i].basic
	}
	return indexTerm(at, operand, ix)
}

// indexItem reads one item of an index.
func (p *parser) indexItem() (indexItem, error) {
	if p.accept("...") || p.acceptWord("Ellipsis") {
		return indexItem{basic: view.Ellipsis()}, nil
	}
	var bounds [3]*term
	colons := 0
	for {
		if p.accept(":") {
			if colons++; colons > 2 {
				return indexItem{}, p.errorf("a slice has no more than two colons")
			}
			continue
		}
		if s := p.symbol(); s == "," || s == "]" {
			break
		}
		if bounds[colons] != nil {
			break // brackets says what is wrong
		}
		e, err := p.expression(precCompare)
		if err != nil {
			return indexItem{}, err
		}
		bounds[colons] = e
	}
	if colons > 0 {
		return spanItem(bounds), nil
	}
	if bounds[0] == nil {
		return indexItem{}, p.errorf("expected an item of an index, found %s", p.found())
	}
	return arrayItem(bounds[0]), nil
}

// spanItem returns a slice, as a literal one if its bounds are.
func spanItem(bounds [3]*term) indexItem {
	var given [3]bool
	var at [3]int
	for i, t := range bounds {
		switch {
		case t == nil:
		case t.kind == termNone:
			bounds[i] = nil
		default:
			v, ok := smallInt(t)
			if !ok {
				return indexItem{isSpan: true, bounds: dropNone(bounds)}
			}
			given[i], at[i] = true, v
		}
	}
	return indexItem{basic: spanOf(given, at)}
}

// dropNone leaves bounds out that are None.
func dropNone(bounds [3]*term) [3]*term {
	for i, t := range bounds {
		if t != nil && t.kind == termNone {
			bounds[i] = nil
		}
	}
	return bounds
}

// spanOf returns the slice of the bounds that are given: start, stop and step.
func spanOf(given [3]bool, at [3]int) view.Item {
	it := view.All()
	switch {
	case given[0] && given[1]:
		it = view.Span(at[0], at[1])
	case given[0]:
		it = view.From(at[0])
	case given[1]:
		it = view.Until(at[1])
	}
	if given[2] {
		it = it.By(at[2])
	}
	return it
}

// arrayItem returns an item that is no slice: literal integers and new axes are basic.
func arrayItem(t *term) indexItem {
	if i, ok := smallInt(t); ok {
		return indexItem{basic: view.At(i)}
	}
	if t.kind == termNone {
		return indexItem{basic: view.NewAxis()}
	}
	return indexItem{array: t}
}

// smallInt returns the literal integer that a term is.
func smallInt(t *term) (int, bool) {
	if t.kind != termNumber || t.number.kind != dtype.KindInt || !t.number.i.IsInt64() {
		return 0, false
	}
	return int(t.number.i.Int64()), true
}
