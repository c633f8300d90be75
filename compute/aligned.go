package compute

import "slices"

// Aligned returns the names in e, if e does nothing but work on elements one by one: the axes of each are then the last
// axes of the result, as broadcasting lines them up. ok is false for an expression that slices, reduces or makes arrays.
func (e Expr) Aligned() (names []string, ok bool) {
	if !e.term.aligned() {
		return nil, false
	}
	return e.Names(), true
}

// aligned reports whether the elements of t are made of those at the same place of the names in it.
func (t *term) aligned() bool {
	switch {
	case t == nil:
		return true
	case t.kind == termCall && !isElementwise(t.fn):
		return false
	}
	switch t.kind {
	case termName, termNumber, termTyped, termText, termNone:
		return true
	case termCall:
		return !slices.ContainsFunc(t.args, func(arg *term) bool { return !arg.aligned() })
	}
	return false
}

// elementwiseTopics are those of the tables whose functions work on elements one by one.
var elementwiseTopics = []string{
	"Operators", "Arithmetic", "Rounding", "Exponents and logarithms", "Angles", "Special functions", "Logic and comparisons",
	"Complex numbers", "Choices",
}

func isElementwise(fn *function) bool {
	for _, group := range allFunctions {
		for i := range group.table {
			if &group.table[i] == fn {
				return slices.Contains(elementwiseTopics, group.topic) && fn.name != "matmul"
			}
		}
	}
	return false
}
