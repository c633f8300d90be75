package compute

// HasIndexArrays reports whether brackets in e hold anything but literal numbers: arrays of
// indexes, masks or names, which binding e may have to compute.
func (e Expr) HasIndexArrays() bool {
	// Terms are shared, so the tree is a graph: seen makes the walk visit each term once.
	seen := map[*term]bool{}
	var visit func(t *term) bool
	visit = func(t *term) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true

		for _, it := range t.items {
			if it.array != nil || it.isSpan {
				return true
			}
		}
		for _, a := range t.args {
			if visit(a) {
				return true
			}
		}
		return false
	}

	return visit(e.term)
}
