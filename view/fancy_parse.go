package view

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tstore/tstore/internal/syntax"
)

// ParseFancy reads an index as it is written between the brackets of NumPy's indexing: what
// ParseIndex reads, and besides lists of integers ("[1, 5, 7]", "[[0], [2]]"), lists of True and
// False, True and False alone, and names of tensors, which are integers to be used as indexes or a
// mask:
//
//	[1, 5, 7], ::2
//	[[0], [1]], [2, 3]
//	mask
//	..., `weather/by day`
//
// A name goes up to the next space or one of ,:[]()" and does not start with a digit, a dot or a
// sign; other names stand in back quotes or in double quotes. lookup finds the tensor of a name,
// and its errors are wrapped; without a lookup, a name is an error. The tensors are borrowed by the
// Fancy. Other errors are of type *SyntaxError.
func ParseFancy(text string, lookup func(name string) (*Tensor, error)) (Fancy, error) {
	r := &syntaxReader{tree: syntax.Items(text, syntax.MaxText)}
	defer r.tree.Free()

	f, err := readItems(r, r.tree.Root, func(n *syntax.Node) (FancyItem, error) {
		it, err := r.fancyItem(n)
		if err != nil || it.kind != namedArray {
			return it, err
		}
		return it.lookUp(lookup, func(msg string) error { return r.errorf(int(n.Pos), "%s", msg) })
	})

	if err == nil {
		err = r.mistake()
	}
	if err != nil {
		return nil, err
	}

	return f, nil
}

// fancyItem returns one item of an index. Names are not looked up.
func (r *syntaxReader) fancyItem(n *syntax.Node) (FancyItem, error) {
	switch {
	case n.Kind == syntax.List:
		return r.list(n)
	case isBool(n):
		l := listReader{r: *r}
		err := l.element(n, -1)
		return FancyItem{kind: boolArray, values: l.values, shape: []int{}}, err
	case n.Kind == syntax.Name && !utf8.ValidString(n.Text):
		return FancyItem{}, r.errorf(int(n.Pos), "expected an item of an index, found %s", syntax.FoundRune(r.tree.Text, int(n.Pos)))
	case n.Kind == syntax.Name:
		return FancyItem{kind: namedArray, name: n.Text}, nil
	}
	it, err := r.item(n)
	return Basic(it), err
}

// isArray reports whether an item is one of advanced indexing.
func isArray(n *syntax.Node) bool {
	return n.Kind == syntax.List || n.Kind == syntax.Name
}

// lookUp returns the index with the tensors of its names.
func (f Fancy) lookUp(lookup func(name string) (*Tensor, error)) (Fancy, error) {
	found := slices.Clone(f)
	for i, it := range f {
		if it.kind != namedArray {
			continue
		}
		var err error
		found[i], err = it.lookUp(lookup, func(msg string) error {
			before := len(f[:i+1].String()) - len(it.String())
			return &SyntaxError{Text: f.String(), Pos: before, Msg: msg}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// lookUp returns a namedArray with its tensor. fail makes the error for what is no index.
func (it FancyItem) lookUp(lookup func(name string) (*Tensor, error), fail func(msg string) error) (FancyItem, error) {
	if lookup == nil {
		return it, fail(fmt.Sprintf("%q stands for a tensor, and no tensors are known here", it.name))
	}
	t, err := lookup(it.name)
	if err != nil {
		return it, fmt.Errorf("look up %q: %w", it.name, err)
	}
	it.t, it.kind = t, intArray
	if isMask(t) {
		it.kind = boolArray
	} else if !isInteger(t) {
		return it, fail(fmt.Sprintf("%q has dtype %s: indexes are integers or bool", it.name, t.DType()))
	}
	return it, nil
}

// list reads nested lists of integers, or of True and False.
func (r *syntaxReader) list(n *syntax.Node) (FancyItem, error) {
	l := listReader{r: *r}
	if err := l.read(n, 0); err != nil {
		return FancyItem{}, err
	}
	it := FancyItem{kind: intArray, values: l.values, shape: l.shape}
	if l.bools {
		it.kind = boolArray
	}
	return it, nil
}

// A listReader collects the elements of nested lists and proves that all lists of one depth are of
// one length.
type listReader struct {
	r      syntaxReader
	values []int
	shape  []int
	leaves int // the depth of the elements, once one was seen, otherwise 0
	bools  bool
}

// read reads one list.
func (l *listReader) read(n *syntax.Node, depth int) error {
	if depth == MaxRank {
		return l.r.errorf(int(n.Pos), "lists are nested deeper than %d", MaxRank)
	}

	known := depth < len(l.shape)
	if !known {
		l.shape = append(l.shape, len(n.Args))
	}

	for _, element := range n.Args {
		if err := l.element(element, depth); err != nil {
			return err
		}
	}
	// The length is checked last, so that a mistake inside the list is reported first.
	if known && l.shape[depth] != len(n.Args) {
		return l.r.errorf(int(n.Pos), "a list of %d elements beside one of %d: an array has lists of one length", len(n.Args), l.shape[depth])
	}
	return nil
}

// element reads a list, a number or a bool inside a list of the given depth.
func (l *listReader) element(n *syntax.Node, depth int) error {
	pos := int(n.Pos)
	if n.Kind == syntax.List {
		if l.leaves == depth+1 {
			return l.r.errorf(pos, "a list beside single elements")
		}
		return l.read(n, depth+1)
	}

	v, fits, ok := n.Int()
	bools := isBool(n)
	if n.IsWord("True") {
		v = 1
	}

	switch {
	case !bools && !ok:
		return l.r.notInteger(n, wantElement)
	case !bools && !fits:
		return l.r.errorf(pos, "an integer index must fit in 64 bits")
	case len(l.shape) > depth+1:
		return l.r.errorf(pos, "a single element beside lists")
	}

	if len(l.values) > 0 && l.bools != bools {
		return l.r.errorf(pos, "numbers and bools in one list")
	}

	l.leaves, l.bools = depth+1, bools
	l.values = append(l.values, v)
	return nil
}
