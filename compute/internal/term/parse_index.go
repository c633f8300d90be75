package term

import (
	"cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// index returns an index of an operand. It is a view if all items are literals, else a termIndex.
func (m *termMaker) index(operand *Term, n *syntax.Node) (*Term, error) {
	if len(n.Args) == 0 {
		return nil, cmp.Or(m.incomplete(n), m.at(n).Errorf("an index without items"))
	}

	if ix, ok := basicIndex(n); ok {
		return m.terms.One(Term{Kind: View, At: m.at(n), Args: m.list(operand), Step: view.Chain{view.IndexStep(ix)}}), nil
	}

	items := make([]Item, len(n.Args))
	for i, a := range n.Args {
		if i == 2*view.MaxRank+1 {
			return nil, m.at(a).Errorf("more than %d items", i)
		}
		var err error
		if items[i], err = m.item(a); err != nil {
			return nil, err
		}
	}

	return itemsTerm(m.at(n), operand, items), nil
}

// basicIndex returns an index whose items are literals of basic indexing, as most are.
func basicIndex(n *syntax.Node) (view.Index, bool) {
	if a := n.Args[0]; len(n.Args) == 1 && a.Kind == syntax.Tuple && len(a.Args) == 0 {
		return view.Index{}, true
	}
	if len(n.Args) > 2*view.MaxRank+1 {
		return nil, false
	}
	ix := make(view.Index, len(n.Args))
	for i, a := range n.Args {
		var ok bool
		if ix[i], ok = basicItem(a); !ok {
			return nil, false
		}
	}
	return ix, true
}

// basicItem returns a literal item of basic indexing.
func basicItem(n *syntax.Node) (view.Item, bool) {
	switch n.Kind {
	case syntax.Ellipsis:
		return view.Ellipsis(), true
	case syntax.None:
		return view.NewAxis(), true
	case syntax.Slice:
		return basicSlice(n.Args)
	}
	v, fits, ok := n.Int()
	return view.At(v), ok && fits
}

// basicSlice returns a slice whose bounds are literals; those beyond the range of int are clamped.
func basicSlice(nodes []*syntax.Node) (view.Item, bool) {
	var given [3]bool
	var bounds [3]int
	for i, n := range nodes {
		if n == nil || n.Kind == syntax.None {
			continue
		}
		if bounds[i], _, given[i] = n.Int(); !given[i] {
			return view.Item{}, false
		}
	}
	return Span(given, bounds), true
}

// itemsTerm returns an index, as basic indexing if it is that.
func itemsTerm(at Place, operand *Term, items []Item) *Term {
	ix := make(view.Index, len(items))
	for i := range items {
		if items[i].IsSpan || items[i].Array != nil {
			return &Term{Kind: Index, At: at, Args: []*Term{operand}, Items: items}
		}
		ix[i] = items[i].Basic
	}
	return &Term{Kind: View, At: at, Args: []*Term{operand}, Step: view.Chain{view.IndexStep(ix)}}
}

// item returns one item of an index.
func (m *termMaker) item(n *syntax.Node) (Item, error) {
	if it, ok := basicItem(n); ok {
		return Item{Basic: it}, nil
	}
	if n.Kind == syntax.Slice {
		return m.slice(n)
	}
	t, err := m.term(n)
	if err != nil {
		return Item{}, err
	}
	if t.Kind == Text {
		t = &Term{Kind: Name, At: t.At, Name: t.Name} // as in selectors
	}
	return arrayItem(t), nil
}

// slice returns a slice. It is a literal one if its bounds are numbers.
func (m *termMaker) slice(n *syntax.Node) (Item, error) {
	var bounds [3]*Term
	var given [3]bool
	var at [3]int
	literal := true

	for i, b := range n.Args {
		if b == nil {
			continue
		}
		t, err := m.term(b)
		if err != nil {
			return Item{}, err
		}
		if t.Kind == None {
			continue
		}

		bounds[i] = t
		at[i], given[i] = smallInt(t)
		literal = literal && given[i]
	}

	if !literal {
		return Item{IsSpan: true, Bounds: bounds}, nil
	}
	return Item{Basic: Span(given, at)}, nil
}

// Span returns the slice of the bounds that are given: start, stop and step.
func Span(given [3]bool, at [3]int) view.Item {
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
func arrayItem(t *Term) Item {
	if i, ok := smallInt(t); ok {
		return Item{Basic: view.At(i)}
	}
	if t.Kind == None {
		return Item{Basic: view.NewAxis()}
	}
	return Item{Array: t}
}

// smallInt returns the literal integer that a term is.
func smallInt(t *Term) (int, bool) {
	if t.Kind != Number || t.Number.Kind != dtype.KindInt || !t.Number.Int.IsInt64() {
		return 0, false
	}
	return int(t.Number.Int.Int64()), true
}
