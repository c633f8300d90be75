package view

import "github.com/tstore/tstore/internal/syntax"

// Limits of ParseIndex. No valid index needs more items: MaxRank axes can be used and as many made,
// besides one ellipsis.
const (
	maxIndexText  = 4096
	maxIndexItems = 2*MaxRank + 1
)

// ParseIndex reads an index as it is written between the brackets of NumPy's basic indexing: items
// separated by commas (one more may follow), each an integer, a slice start:stop:step with any part
// left out or None, an ellipsis ("..." or "Ellipsis"), or a new axis ("newaxis", "np.newaxis" or
// "None"). "()" is the empty index. Space between the parts is ignored.
//
// Slice bounds beyond the range of int are clamped, as in Python; an integer index beyond it is an
// error. Errors are of type *SyntaxError.
func ParseIndex(text string) (Index, error) {
	r := &syntaxReader{tree: syntax.Items(text, maxIndexText)}
	defer r.tree.Free()
	ix, err := readItems(r, r.tree.Root, r.item)
	if err == nil {
		err = r.mistake()
	}
	if err != nil {
		return nil, err
	}
	return ix, nil
}

// readItems returns the items of an index. Each is read by read.
func readItems[T any](r *syntaxReader, n *syntax.Node, read func(*syntax.Node) (T, error)) ([]T, error) {
	if isEmptyIndex(n) {
		return []T{}, nil
	}

	if len(n.Args) == 0 {
		return nil, r.noItem(int(n.End))
	}

	// Give room for at most maxIndexItems: a hostile text may have millions.
	items := make([]T, 0, min(len(n.Args), maxIndexItems))
	for _, a := range n.Args {
		it, err := read(a)
		if err != nil {
			return nil, err
		}
		if len(items) == maxIndexItems {
			return nil, r.errorf(int(a.End), "more than %d items", maxIndexItems)
		}
		items = append(items, it)
	}

	return items, nil
}

// noItem returns the error for brackets without items that end at a position.
func (r *syntaxReader) noItem(end int) error {
	if r.tree.Err != nil {
		return r.mistake()
	}
	if text := r.tree.Text; end > 0 && text[end-1] == ']' {
		end--
	} else {
		end = len(text)
	}
	return r.expected(end, wantItem)
}

// isEmptyIndex reports whether the items are "()" alone.
func isEmptyIndex(n *syntax.Node) bool {
	return len(n.Args) == 1 && n.Args[0].Kind == syntax.Tuple && len(n.Args[0].Args) == 0
}

// item returns one item of basic indexing.
func (r *syntaxReader) item(n *syntax.Node) (Item, error) {
	switch n.Kind {
	case syntax.Ellipsis:
		return Ellipsis(), nil
	case syntax.None:
		return NewAxis(), nil
	case syntax.Slice:
		return r.slice(n)
	}

	v, fits, ok := n.Int()
	switch {
	case !ok:
		return Item{}, r.notItem(n)
	case !fits:
		return Item{}, r.errorf(int(n.Pos), "an integer index must fit in 64 bits")
	}

	return At(v), nil
}

// slice returns a slice. Its bounds are clamped to the range of int.
func (r *syntaxReader) slice(n *syntax.Node) (Item, error) {
	it := Item{}
	for i, v := range []*int{&it.start, &it.stop, &it.step} {
		bound := n.Args[i]
		if bound == nil || bound.Kind == syntax.None {
			continue
		}
		var ok bool
		if *v, _, ok = bound.Int(); !ok {
			return Item{}, r.notItem(bound)
		}
		it.given |= hasStart << i
	}
	return it, nil
}

// notItem is the error for something else than an item, with a hint for the forms of indexing that
// NumPy knows beyond the basic ones.
func (r *syntaxReader) notItem(n *syntax.Node) error {
	signed, _ := n.Signed()
	const basic = "are not basic indexing: expected " + wantItem
	switch {
	case signed.Kind == syntax.List, signed.Kind == syntax.Tuple:
		return r.errorf(int(signed.Pos), "lists of indexes "+basic)
	case isBool(signed):
		return r.errorf(int(signed.Pos), "masks "+basic)
	}
	return r.notInteger(n, wantItem)
}

// isBool reports whether n is True or False.
func isBool(n *syntax.Node) bool { return n.IsWord("True") || n.IsWord("False") }
