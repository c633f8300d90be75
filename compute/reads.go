package compute

import (
	"slices"

	"github.com/tstore/tstore/view"
)

// Read is a part of a name that an expression reads at most.
type Read struct {
	Name  string
	Chain view.Chain // what is read of it, as far as views say that; empty: all of it
}

// Reads returns the parts of names that e reads, each once: "x[:5]*x[5:].T + y" reads x[:5],
// x[5:].T and y. An operand of an index array or of a function counts whole, even if only some of
// its elements are read.
func (e Expr) Reads() []Read {
	var all []Read
	seen := map[*term]bool{}

	var visit func(t *term)
	visit = func(t *term) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true

		// Stop at a name with views: the name below it would count as read whole.
		if r, ok := readOf(t); ok {
			same := func(o Read) bool { return o.Name == r.Name && o.Chain.String() == r.Chain.String() }
			if !slices.ContainsFunc(all, same) {
				all = append(all, r)
			}
			return
		}

		for _, a := range t.args {
			visit(a)
		}
		for _, it := range t.items {
			visit(it.array)
			for _, b := range it.bounds {
				visit(b)
			}
		}
	}

	visit(e.term)
	return all
}

// readOf returns the read of a name, or of views of a name.
func readOf(t *term) (r Read, ok bool) {
	for t.kind == termView && t.args[0] != nil {
		r.Chain = append(slices.Clone(t.step), r.Chain...)
		t = t.args[0]
	}
	r.Name = t.name
	return r, t.kind == termName
}
