package view

import (
	"slices"
	"strings"

	"github.com/tstore/tstore/internal/chains"
	"github.com/tstore/tstore/internal/syntax"
)

// Limits of ParseMethods.
const (
	maxSteps = 64
	maxInts  = 1024 // of one argument
)

// ParseMethods reads what may follow the name of a tensor: indexes in brackets, as ParseIndex and
// ParseFancy read them, and attributes and methods with the names and arguments that they have in
// NumPy or PyTorch:
//
//	T mT real imag
//	reshape(4, -1) view(4, -1) view(int16) ravel() flatten(start_dim, end_dim)
//	transpose(2, 0, 1) permute(2, 0, 1) swapaxes(0, 1) swapdims(0, 1) moveaxis(0, -1) movedim((0, 1), (2, 3))
//	squeeze() squeeze(0) unsqueeze(0) expand_dims((0, 2)) broadcast_to(3, 4) expand(3, -1)
//	flip() flip(0, 1) flipud() fliplr() rot90(k, axes)
//	diagonal(offset, axis1, axis2) narrow(axis, start, length) select(axis, index) unfold(axis, size, step)
//	astype(float32) copy() clone() contiguous()
//	take([1, 2], axis) repeat(2, axis) roll(shift, axis) tile(2, 3)
//
// Arguments are integers, tuples or lists of them, and names of element types, plain, quoted or
// with a prefix ("np.int16"); they can be named ("axis=0"), and None stands for one that is left
// out. Space between the parts is ignored.
//
// Names of tensors in brackets are not looked up; Eval does that. Errors are of type *SyntaxError,
// with positions in the whole text.
func ParseMethods(text string) (Chain, error) {
	r := &syntaxReader{tree: syntax.Steps(text, true), what: "methods"}
	defer r.tree.Free()

	c := Chain{}
	if n := r.tree.Root; n.Kind == syntax.Chain {
		var err error
		if c, err = r.steps(n.Args[1:]); err != nil {
			return nil, err
		}
	}
	if err := r.mistake(); err != nil {
		return nil, err
	}
	return c, nil
}

// Package compute can't be lent this as exported functions: they are of types that users don't see.
func init() {
	chains.Register(chains.Form[Chain]{
		Of: func(tree syntax.Tree, nodes ...*syntax.Node) (Chain, error) {
			r := &syntaxReader{tree: tree, what: "methods"}
			return r.steps(nodes)
		},
		Tree: Chain.syntax,
		Knows: func(name string) (attribute, method bool) {
			m := findMethod(name)
			return m != nil && m.attribute, m != nil && !m.attribute
		},
	})
}

// steps returns the chain that nodes are.
func (r *syntaxReader) steps(nodes []*syntax.Node) (Chain, error) {
	c := make(Chain, min(len(nodes), maxSteps))
	for i, n := range nodes {
		if i == maxSteps {
			return nil, r.errorf(int(n.Pos), "more than %d steps", maxSteps)
		}
		var err error
		if c[i], err = r.step(n); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// CutMethods cuts text such as "weather/t2m[0].T" where the methods begin: at the first bracket, or
// before it at a dot that the name of an attribute follows, or any word with a parenthesis. It
// checks neither part. A tensor's name may itself end in such a word, so a caller that knows the
// names should look for the whole text first.
func CutMethods(text string) (name, methods string) {
	name = text
	for before, rest := range syntax.Cuts(text) {
		if isStep(rest) {
			name, methods = before, rest
		}
	}
	return name, methods
}

// isStep reports whether a text begins with an index, a call or a known attribute. It begins with a
// bracket or a dot, or is empty.
func isStep(text string) bool {
	if text == "" || text[0] == '[' {
		return text != ""
	}
	word := syntax.Word(text, 1)
	rest := strings.TrimLeft(text[1+len(word):], " \t\r\n")
	if strings.HasPrefix(rest, "(") {
		return true
	}
	m := findMethod(word)
	return m != nil && m.attribute
}

// step returns one step.
func (r *syntaxReader) step(n *syntax.Node) (Step, error) {
	switch n.Kind {
	case syntax.Missing:
		return Step{}, r.mistake()
	case syntax.Index:
		return r.brackets(n)
	}

	m := findMethod(n.Text)
	if m == nil {
		return Step{}, r.errorf(int(n.Pos), "there is no method %q, but %s", n.Text, methodNames())
	}

	if n.Kind == syntax.Attribute {
		if !m.attribute {
			end := r.behind(int(n.End))
			return Step{}, r.errorf(end, "%s is a method: expected '(', found %s", n.Text, syntax.FoundRune(r.tree.Text, end))
		}
		return Step{method: m}, nil
	}

	if m.attribute {
		return Step{}, r.errorf(r.behind(int(n.Pos)+len(n.Text)), "%s is an attribute: expected no parentheses", n.Text)
	}

	a, err := r.arguments(m, n)
	return Step{method: m, args: a}, err
}

// behind returns the position behind the space at a position.
func (r *syntaxReader) behind(pos int) int {
	return len(r.tree.Text) - len(strings.TrimLeft(r.tree.Text[pos:], " \t\r\n"))
}

// brackets returns an index, as basic indexing if it is that and as advanced indexing otherwise.
func (r *syntaxReader) brackets(n *syntax.Node) (Step, error) {
	if slices.ContainsFunc(n.Args, isArray) {
		pick, err := readItems(r, n, r.fancyItem)
		return Step{pick: pick}, err
	}
	ix, err := readItems(r, n, r.item)
	return Step{index: ix}, err
}
