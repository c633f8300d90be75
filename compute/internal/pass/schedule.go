package pass

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A pass is one walk over memory. It stores the values of statements, or computes nodes that
// element-wise programs can't: reductions, scans and counts, whose elements are kept for later
// passes.
type pass struct {
	shape  []int         // of what is walked
	stores []int         // statements whose values it stores
	keeps  []*graph.Node // nodes that it computes, all of one kind, shape and axes
	level  int
}

// A schedule puts the nodes of statements into passes.
type schedule struct {
	passes []*pass
	levels map[*graph.Node]int // of kept nodes: that of their pass
	depths []int               // of other nodes, by id: the level that a pass which uses them has at least, plus 1; 0 if not known
	direct map[*graph.Node]int // of kept nodes whose elements go straight to where a statement wants them: the statement
	last   map[*graph.Node]int // of all nodes: the last statement that uses them; nil if nobody has asked
}

// newSchedule orders the statements' work into passes. Values of one shape are stored in one pass,
// and reductions of one shape over the same axes share one, unless something they need comes later.
// A statement that writes in place has passes of its own, after those of earlier statements and
// before those of later ones. Elements of its destination that it reads in another order, or that
// later statements need, are copied first. If a statement stores nothing but a kept node and direct
// allows it, the node is computed straight into the destination, unless that overwrites one of its
// inputs.
func newSchedule(stmts []graph.Statement, direct bool) (*schedule, error) {
	s := &schedule{}
	floor, nodes := 0, 0
	for i := range stmts {
		nodes = max(nodes, stmts[i].Stored.ID+1)
	}
	s.depths = make([]int, nodes)

	// Statements come one by one; floor is the level below which nothing may read or write from
	// here on.
	for i := range stmts {
		st := &stmts[i]
		if st.Replaced {
			continue
		}
		written := floor // the level after the last write in place
		if st.Dst != nil {
			floor = s.top() + 1
		}

		// What the value needs comes first, so that its level is known.
		inside := direct && (st.Dst == nil || s.overwrites(stmts, i))
		level := max(s.require(st.Stored, floor), floor)
		inside = inside && s.keepInside(i, st)

		// A new tensor is written by a pass that it may share with others.
		if st.Dst == nil {
			if !inside {
				s.store(i, st.Stored.Shape, level, false)
			}
			continue
		}

		// A tensor that is there is written by a pass of its own. What that would overwrite before
		// it is read is kept first.
		if inside {
			floor = s.top() + 1
			continue
		}
		overlapping, err := s.overlapping(st)
		if err != nil {
			return nil, err
		}
		for _, leaf := range overlapping {
			level = max(level, s.keep(leaf, max(s.require(leaf, floor), floor)))
		}
		for _, n := range st.Keeps {
			level = max(level, s.keep(n, max(s.require(n, written), written)))
		}

		// Nothing that follows may come before this pass.
		s.store(i, st.Stored.Shape, level, true)
		floor = s.top() + 1
	}

	// Levels are the order in which passes run.
	slices.SortStableFunc(s.passes, func(a, b *pass) int { return a.level - b.level })
	return s, nil
}

// keepInside has the value of a statement kept in its destination, if that can be, and reports
// whether it is.
func (s *schedule) keepInside(statement int, st *graph.Statement) bool {
	n := st.Stored
	_, taken := s.direct[n]
	if taken || !n.IsKept() || st.DType != n.DType || st.Out != nil && !takesKept(st.Out, n) {
		return false
	}
	if s.direct == nil {
		s.direct = map[*graph.Node]int{}
	}
	s.direct[n] = statement
	return true
}

// takesKept reports whether what keeps a node can write t. On a device these are products, and moves
// of parts of arrays.
func takesKept(t *view.Tensor, n *graph.Node) bool {
	return t.Layout().IsContiguous() && (t.Storage().Place() == mmapstore.CPU || isMadeOnDevice(n))
}

// isMadeOnDevice reports whether a device can compute a kept node to where it has memory.
func isMadeOnDevice(n *graph.Node) bool {
	if n.Kind == graph.NodeMatmul {
		return graph.NumElems(n.Args[0].Shape) > 0
	}
	_, moves := n.Bulk.(*graph.Relocating)
	return moves
}

// overwrites reports whether the value of a statement that writes in place may be computed straight
// into its destination: nothing else uses the value, and neither the value nor a later statement
// needs the elements that are overwritten.
func (s *schedule) overwrites(stmts []graph.Statement, i int) bool {
	st := &stmts[i]
	if _, kept := s.levels[st.Stored]; kept || !st.Stored.IsKept() || len(st.Keeps) > 0 || st.Stored.Reads(st.Dst) {
		return false
	}
	if s.last == nil {
		s.last = lastUses(stmts)
	}
	return s.last[st.Stored] == i
}

// lastUses returns the last statement that uses each node.
func lastUses(stmts []graph.Statement) map[*graph.Node]int {
	last := map[*graph.Node]int{}
	var visit func(n *graph.Node, statement int)
	visit = func(n *graph.Node, statement int) {
		if _, seen := last[n]; seen {
			return
		}
		last[n] = statement
		for _, arg := range n.Args {
			visit(arg, statement)
		}
	}

	// From the last statement on, so that whoever comes first to a node is its last use.
	for i := len(stmts) - 1; i >= 0; i-- {
		visit(stmts[i].Stored, i)
		for _, n := range stmts[i].Keeps {
			visit(n, i)
		}
	}
	return last
}

// overlapping returns the tensors that the pass which stores a statement reads, and that share
// elements with its destination in another order than that has.
func (s *schedule) overlapping(st *graph.Statement) ([]*graph.Node, error) {
	dst, err := inShape(st.Dst, st.Stored.Shape)
	if err != nil {
		return nil, err
	}

	// Nodes that earlier passes keep are read from where those have put them.
	type place struct {
		node   *graph.Node
		joined bool // whether it is below a join, which moves its elements
	}
	var leaves []*graph.Node
	seen := map[place]bool{}
	var visit func(n *graph.Node, joined bool) error
	visit = func(n *graph.Node, joined bool) error {
		if _, kept := s.levels[n]; kept || seen[place{n, joined}] {
			return nil
		}
		seen[place{n, joined}] = true

		// What is picked of elements that are overwritten is kept, and not the elements.
		if n.Kind == graph.NodePick && n.Reads(dst) {
			leaves = append(leaves, n)
			return nil
		}

		// The same elements in the same order do no harm: each is read before it is written.
		if n.Kind == graph.NodeTensor && (joined || !graph.SameElements(dst, n.Tensor)) {
			overlaps, err := view.Overlaps(dst, n.Tensor)
			if overlaps {
				leaves = append(leaves, n)
			}
			return err
		}

		for _, arg := range n.Args {
			if err := visit(arg, joined || n.Kind == graph.NodeJoin); err != nil {
				return err
			}
		}
		return nil
	}

	return leaves, visit(st.Stored, false)
}

// top returns the highest level there is.
func (s *schedule) top() int {
	top := -1
	for _, p := range s.passes {
		top = max(top, p.level)
	}
	return top
}

// require puts the kept nodes that n needs into passes of level floor or higher, and returns the
// level that a pass which uses n must have at least.
func (s *schedule) require(n *graph.Node, floor int) int {
	if level, ok := s.levels[n]; ok {
		return level + 1
	}
	if depth := s.depths[n.ID]; depth > 0 {
		return depth - 1
	}

	// The operands come first, and then the nodes that must be in memory for n.
	level := 0
	for _, arg := range n.Args {
		level = max(level, s.require(arg, floor))
		if wantsKept(n, arg) {
			level = max(level, s.keep(arg, max(level, floor)))
		}
	}

	// A node that is not kept has no level of its own.
	if !n.IsKept() {
		s.depths[n.ID] = level + 1
		return level
	}
	return s.keep(n, max(level, floor))
}

// wantsKept reports whether n works on the elements of arg in memory, and arg has none yet.
func wantsKept(n, arg *graph.Node) bool {
	switch n.Kind {
	case graph.NodeView:
		return !arg.IsKept()
	case graph.NodeBulk:
		return !arg.IsKept() && arg.Kind != graph.NodeTensor
	case graph.NodeHistogram, graph.NodeBincount:
		fed := isFed(n) && arg == n.Args[0] && !slices.Contains(n.Args[1:], arg) // one element can be an edge, too
		return !arg.IsKept() && arg.Kind != graph.NodeTensor && !fed
	case graph.NodeMatmul:
		return slices.Index(n.Args, arg) >= 2 || !arg.IsKept() && arg.Kind != graph.NodeTensor && arg.Kind != graph.NodeView
	}
	return false
}

// isCount reports whether n counts elements.
func isCount(n *graph.Node) bool {
	return n.Kind == graph.NodeHistogram || n.Kind == graph.NodeBincount
}

// isFed reports whether n counts elements as they are computed, in any order, so that they need not
// be in memory. Those with weights are added up in order.
func isFed(n *graph.Node) bool {
	x, weighted := n.Args[0], n.Kind == graph.NodeHistogram && len(n.Args) > 3 || n.Kind == graph.NodeBincount && len(n.Args) > 1
	return isCount(n) && !weighted && !x.IsKept() && x.Kind != graph.NodeTensor
}

// keep makes a pass of some level keep the elements of n, if none does yet, and returns the level
// after it.
func (s *schedule) keep(n *graph.Node, level int) int {
	if at, ok := s.levels[n]; ok {
		return at + 1
	}
	if s.levels == nil {
		s.levels = map[*graph.Node]int{}
	}
	s.levels[n] = level

	// One of the passes of this level may do it beside its own work.
	for _, p := range s.passes {
		if p.level == level && p.takes(n) {
			p.keeps = append(p.keeps, n)
			return level + 1
		}
	}

	// None does: n has a pass of its own, which walks what n is made of.
	shape := n.Shape
	if n.IsKept() {
		shape = n.Args[0].Shape
	}
	s.passes = append(s.passes, &pass{shape: shape, keeps: []*graph.Node{n}, level: level})
	return level + 1
}

// takes reports whether a pass can keep the elements of n beside its other work.
func (p *pass) takes(n *graph.Node) bool {
	if len(p.keeps) > 0 {
		return sharePass(p.keeps[0], n)
	}
	return !n.IsKept() && slices.Equal(p.shape, n.Shape)
}

// sharePass reports whether two kept nodes can be computed in one walk.
func sharePass(n, m *graph.Node) bool {
	return n.Kind == graph.NodeReduce && m.Kind == graph.NodeReduce &&
		slices.Equal(n.Args[0].Shape, m.Args[0].Shape) && slices.Equal(n.Reduce.Axes, m.Reduce.Axes)
}

// store adds a statement to a pass of its shape. Levels of stores come after the levels of the
// nodes that they use.
func (s *schedule) store(statement int, shape []int, level int, alone bool) {
	for _, p := range s.passes {
		if !alone && p.level == level && len(p.stores) > 0 && slices.Equal(p.shape, shape) {
			p.stores = append(p.stores, statement)
			return
		}
	}
	s.passes = append(s.passes, &pass{shape: shape, stores: []int{statement}, level: level})
}
