package model

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// Names that steps use: few, so that steps meet.
var (
	pool      = []string{"a", "b", "c", "d", "g/a", "g/b", "h/a", "v", "w"}
	groups    = []string{"g", "h", "k"}
	snapNames = []string{"s1", "s2", "s3"}
	dtypes    = []string{"int32", "int32", "int64", "float64"}
)

// generator makes random steps.
type generator struct {
	rng     *rand.Rand
	weights map[string]int
	total   int
	steps   int
	handles int
	// again are steps that were made before, and are to be made once more.
	past, again []step
	// faults says that file operations fail.
	faults bool
}

// newGenerator chooses how often each kind of step is made. Each history leaves some kinds out, so
// that what the others make of each other has more room.
func newGenerator(seed uint64, kinds map[string]int) *generator {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 0)), weights: map[string]int{}, handles: 2}
	g.faults = g.chance(25)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		w := kinds[kind] * []int{0, 1, 1, 1, 4}[g.rng.IntN(5)]
		if kind == "create" || kind == "append" || kind == "keep" {
			w = max(w, kinds[kind])
		}
		g.weights[kind] = w
		g.total += w
	}
	return g
}

func (g *generator) kind() string {
	n := g.rng.IntN(g.total)
	for _, kind := range slices.Sorted(maps.Keys(g.weights)) {
		if n -= g.weights[kind]; n < 0 {
			return kind
		}
	}
	panic("BUG: weights do not add up")
}

func oneOf[T any](rng *rand.Rand, all []T) T { return all[rng.IntN(len(all))] }

func (g *generator) chance(percent int) bool { return g.rng.IntN(100) < percent }

// name is mostly one that is there.
func (g *generator) name(s *state) string {
	if names := s.sorted(); len(names) > 0 && !g.chance(10) {
		return oneOf(g.rng, names)
	}
	return oneOf(g.rng, pool)
}

// tensorName is mostly that of a tensor.
func (g *generator) tensorName(s *state) string {
	for range 4 {
		name := g.name(s)
		if o := s.names[name]; o != nil && o.kind == catalog.KindTensor {
			return name
		}
	}
	return g.name(s)
}

// freeName is mostly one that is free.
func (g *generator) freeName(s *state) string {
	for range 6 {
		name := oneOf(g.rng, pool)
		if s.free(name) == nil {
			return name
		}
	}
	return oneOf(g.rng, pool)
}

func (g *generator) shape() []int {
	switch n := g.rng.IntN(100); {
	case n < 3:
		return []int{16384} // of int32, blocks of checksums to the byte
	case n < 4:
		return []int{140_000} // more than is patched in place
	case n < 50:
		return []int{g.rng.IntN(6)}
	case n < 55:
		return []int{}
	}
	return []int{g.rng.IntN(5), 1 + g.rng.IntN(3)}
}

// first is a value that nothing had before.
func (g *generator) first() int64 { return int64(g.steps) * 1000 }

func (g *generator) order() string {
	if g.chance(15) {
		return "F"
	}
	return ""
}

// part is one that mostly fits a tensor.
func (g *generator) part(s *state, name string, picks bool) part {
	rank, n, m := 1, 3, 2
	if o := s.names[name]; o != nil && o.kind == catalog.KindTensor {
		rank = len(o.shape)
		if rank > 0 {
			n = o.shape[0]
		}
		if rank > 1 {
			m = o.shape[1]
		}
	}
	if rank == 0 || g.chance(25) {
		return part{}
	}
	switch k := g.rng.IntN(10); {
	case k < 4:
		lo := g.rng.IntN(n + 1)
		return part{Kind: "span", I: lo, J: lo + g.rng.IntN(n-lo+1)}
	case k < 6:
		return part{Kind: "every", I: oneOf(g.rng, []int{2, 3, -1})}
	case k < 7 && n > 0:
		return part{Kind: "row", I: g.rng.IntN(n)}
	case k < 8 && rank == 2 && m > 0:
		return part{Kind: "column", I: g.rng.IntN(m)}
	case k < 9 && n > 1 && picks:
		i := g.rng.IntN(n)
		return part{Kind: "pick", I: i, J: (i + 1 + g.rng.IntN(n-1)) % n}
	}
	return part{Kind: "turned"}
}

func (g *generator) expr(s *state) expr {
	switch g.rng.IntN(5) {
	case 0:
		return expr{Op: "copy", A: g.tensorName(s)}
	case 1:
		a := g.tensorName(s)
		return expr{Op: "sub", A: a, B: g.alike(s, a)}
	case 2:
		return expr{Op: "sum", A: g.tensorName(s), B: g.tensorName(s)}
	}
	return expr{Op: "add", A: g.tensorName(s), K: 1 + int64(g.rng.IntN(500))}
}

// alike is a tensor of the shape of another, if there is one.
func (g *generator) alike(s *state, name string) string {
	var alike []string
	for _, other := range s.sorted() {
		a, b := s.names[name], s.names[other]
		if a != nil && a.kind == catalog.KindTensor && b.kind == catalog.KindTensor && slices.Equal(a.shape, b.shape) {
			alike = append(alike, other)
		}
	}
	if len(alike) == 0 {
		return name
	}
	return oneOf(g.rng, alike)
}

func (g *generator) constant() expr { return expr{Op: "const", K: 1 + int64(g.rng.IntN(99))} }

// stmts are statements that make tensors, or change elements of one or of two.
func (g *generator) stmts(s *state) []stmt {
	switch g.rng.IntN(5) {
	case 0:
		return []stmt{{Target: g.name(s), Op: "=", Expr: g.expr(s)}}
	case 1:
		return []stmt{{Target: g.freeName(s), Op: "=", Expr: g.expr(s)}, g.change(s)}
	case 2:
		return []stmt{g.change(s)}
	case 3:
		first := g.freeName(s)
		return []stmt{{Target: first, Op: "=", Expr: g.expr(s)}, {Target: g.name(s), Op: "=", Expr: expr{Op: "add", A: first, K: 1}}}
	}
	return []stmt{g.change(s), g.change(s)}
}

// change is a statement that changes elements by a number.
func (g *generator) change(s *state) stmt {
	name := g.tensorName(s)
	x := stmt{Target: name, Part: g.part(s, name, false), Op: oneOf(g.rng, []string{"+=", "-=", "="}), Expr: g.constant()}
	if x.replaces() {
		x.Op = "+="
	}
	return x
}

// rowsFor describes rows to be appended to a tensor.
func (g *generator) rowsFor(s *state, name string, st *step) {
	st.DType, st.Shape = "int32", []int{1}
	if o := s.names[name]; o != nil && o.kind == catalog.KindTensor {
		st.DType = s.bufs[o.buf].dtype
		if len(o.shape) > 0 {
			st.Shape = slices.Clone(o.shape)
		}
	}
	st.Shape[0] = g.rng.IntN(4)
}
