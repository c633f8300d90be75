package term

import (
	"slices"

	"github.com/tstore/tstore/view"
)

// A read is a part of a name.
type read struct {
	name  string
	chain view.Chain
}

// Reads calls fn with the parts of names that t reads, each once. chain is what is read of a name,
// as far as views say that.
func (t *Term) Reads(fn func(name string, chain view.Chain)) {
	var all []read
	t.walk(func(t *Term) (into bool) {
		r, ok := readOf(t)
		if !ok {
			return true
		}

		same := func(o read) bool { return o.name == r.name && o.chain.String() == r.chain.String() }
		if !slices.ContainsFunc(all, same) {
			all = append(all, r)
			fn(r.name, r.chain)
		}
		return false // the name below views would count as read whole
	})
}

// readOf returns the read of a name, or of views of a name.
func readOf(t *Term) (r read, ok bool) {
	for t.Kind == View && t.Args[0] != nil {
		r.chain = append(slices.Clone(t.Step), r.chain...)
		t = t.Args[0]
	}
	r.name = t.Name
	return r, t.Kind == Name
}

// HasIndexArrays reports whether brackets in t hold anything but literal numbers.
func (t *Term) HasIndexArrays() bool {
	found := false
	t.walk(func(t *Term) (into bool) {
		found = found || slices.ContainsFunc(t.Items, func(it Item) bool { return it.Array != nil || it.IsSpan })
		return !found
	})
	return found
}

// walk calls fn with t and the terms it is made of, each once, and goes into those for which fn
// returns true. Terms are shared, so the tree is a graph.
func (t *Term) walk(fn func(t *Term) (into bool)) {
	seen := map[*Term]bool{}
	var visit func(t *Term)
	visit = func(t *Term) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true

		if !fn(t) {
			return
		}
		for _, a := range t.Args {
			visit(a)
		}
		for _, it := range t.Items {
			visit(it.Array)
			for _, b := range it.Bounds {
				visit(b)
			}
		}
	}
	visit(t)
}
