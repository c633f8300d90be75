package compute

import (
	"slices"

	"github.com/tstore/tstore/view"
)

// A pass is one walk over memory. It stores the values of statements, or computes nodes that element-wise programs
// can't: reductions, scans and counts, whose elements are kept for later passes.
type pass struct {
	shape  []int   // of what is walked
	stores []int   // statements whose values it stores
	keeps  []*node // nodes that it computes, all of one kind, shape and axes
	level  int
}

// A schedule puts the nodes of statements into passes.
type schedule struct {
	passes []*pass
	levels map[*node]int // of kept nodes: that of their pass
	depths []int         // of other nodes, by id: the level that a pass which uses them has at least, plus 1; 0 if not known
	direct map[*node]int // of kept nodes whose elements go straight to where a statement wants them: the statement
	last   map[*node]int // of all nodes: the last statement that uses them; nil if nobody has asked
}

// newSchedule returns the passes of statements in the order they are to run. Values of one shape are stored in one
// pass, and reductions of one shape over the same axes share one, where nothing they need comes later. A statement
// that writes in place has passes of its own, after those of the statements before it and before those of later ones;
// what it reads of its destination in another order is copied first, and so is what later statements need of it. A
// kept node that is all that a statement stores is kept in its destination if direct allows that, and if it is not of what is
// overwritten there.
func newSchedule(stmts []boundStatement, direct bool) (*schedule, error) {
	s := &schedule{}
	floor, nodes := 0, 0
	for i := range stmts {
		nodes = max(nodes, stmts[i].stored.id+1)
	}
	s.depths = make([]int, nodes)
	for i := range stmts {
		st := &stmts[i]
		if st.replaced {
			continue
		}
		written := floor // the level after the last write in place
		if st.dst != nil {
			floor = s.top() + 1
		}
		inside := direct && (st.dst == nil || s.overwrites(stmts, i))
		level := max(s.require(st.stored, floor), floor)
		inside = inside && s.keepInside(i, st)
		if st.dst == nil {
			if !inside {
				s.store(i, st.stored.shape, level, false)
			}
			continue
		}
		if inside {
			floor = s.top() + 1
			continue
		}
		overlapping, err := s.overlapping(st)
		if err != nil {
			return nil, err
		}
		for _, leaf := range overlapping {
			level = max(level, s.keep(leaf, floor))
		}
		for _, n := range st.keeps {
			level = max(level, s.keep(n, max(s.require(n, written), written)))
		}
		s.store(i, st.stored.shape, level, true)
		floor = s.top() + 1
	}
	slices.SortStableFunc(s.passes, func(a, b *pass) int { return a.level - b.level })
	return s, nil
}

// keepInside has the value of a statement kept in its destination, if that can be, and reports whether it is.
func (s *schedule) keepInside(statement int, st *boundStatement) bool {
	n := st.stored
	_, taken := s.direct[n]
	if taken || !n.isKept() || st.dtype != n.dtype || st.out != nil && !st.out.Layout().IsContiguous() {
		return false
	}
	if s.direct == nil {
		s.direct = map[*node]int{}
	}
	s.direct[n] = statement
	return true
}

// overwrites reports whether the value of a statement that writes in place may be kept in its destination: nothing else uses
// it, and neither it nor a later statement needs what is overwritten.
func (s *schedule) overwrites(stmts []boundStatement, i int) bool {
	st := &stmts[i]
	if _, kept := s.levels[st.stored]; kept || !st.stored.isKept() || len(st.keeps) > 0 || st.stored.reads(st.dst) {
		return false
	}
	if s.last == nil {
		s.last = lastUses(stmts)
	}
	return s.last[st.stored] == i
}

// lastUses returns the last statement that uses each node.
func lastUses(stmts []boundStatement) map[*node]int {
	last := map[*node]int{}
	var visit func(n *node, statement int)
	visit = func(n *node, statement int) {
		if _, seen := last[n]; seen {
			return
		}
		last[n] = statement
		for _, arg := range n.args {
			visit(arg, statement)
		}
	}
	for i := len(stmts) - 1; i >= 0; i-- {
		visit(stmts[i].stored, i)
		for _, n := range stmts[i].keeps {
			visit(n, i)
		}
	}
	return last
}

// overlapping returns the tensors that the pass which stores a statement reads, and that share elements with its
// destination in another order than that has.
func (s *schedule) overlapping(st *boundStatement) ([]*node, error) {
	dst, err := inShape(st.dst, st.stored.shape)
	if err != nil {
		return nil, err
	}
	var leaves []*node
	seen := map[*node]bool{}
	var visit func(*node) error
	visit = func(n *node) error {
		if _, kept := s.levels[n]; kept || seen[n] {
			return nil
		}
		seen[n] = true
		if n.kind == nodeTensor && !sameElements(dst, n.tensor) {
			overlaps, err := view.Overlaps(dst, n.tensor)
			if overlaps {
				leaves = append(leaves, n)
			}
			return err
		}
		for _, arg := range n.args {
			if err := visit(arg); err != nil {
				return err
			}
		}
		return nil
	}
	return leaves, visit(st.stored)
}

// top returns the highest level there is.
func (s *schedule) top() int {
	top := -1
	for _, p := range s.passes {
		top = max(top, p.level)
	}
	return top
}

// require puts the kept nodes that n needs into passes of level floor or higher, and returns the level that a pass
// which uses n must have at least.
func (s *schedule) require(n *node, floor int) int {
	if level, ok := s.levels[n]; ok {
		return level + 1
	}
	if depth := s.depths[n.id]; depth > 0 {
		return depth - 1
	}
	level := 0
	for _, arg := range n.args {
		level = max(level, s.require(arg, floor))
		if wantsKept(n, arg) {
			level = max(level, s.keep(arg, max(level, floor)))
		}
	}
	if !n.isKept() {
		s.depths[n.id] = level + 1
		return level
	}
	return s.keep(n, max(level, floor))
}

// wantsKept reports whether n works on the elements of arg in memory, and arg has none yet.
func wantsKept(n, arg *node) bool {
	switch n.kind {
	case nodeView:
		return !arg.isKept()
	case nodeBulk:
		return !arg.isKept() && arg.kind != nodeTensor
	case nodeHistogram, nodeBincount:
		fed := isFed(n) && arg == n.args[0] && !slices.Contains(n.args[1:], arg) // one element can be an edge, too
		return !arg.isKept() && arg.kind != nodeTensor && !fed
	case nodeMatmul:
		return slices.Index(n.args, arg) >= 2 || !arg.isKept() && arg.kind != nodeTensor && arg.kind != nodeView
	}
	return false
}

// isCount reports whether n counts elements.
func isCount(n *node) bool { return n.kind == nodeHistogram || n.kind == nodeBincount }

// isFed reports whether n counts elements as they are computed, in any order, so that they need not be in memory. Those
// with weights are added up in order.
func isFed(n *node) bool {
	x, weighted := n.args[0], n.kind == nodeHistogram && len(n.args) > 3 || n.kind == nodeBincount && len(n.args) > 1
	return isCount(n) && !weighted && !x.isKept() && x.kind != nodeTensor
}

// keep makes a pass of some level keep the elements of n, if none does yet, and returns the level after it.
func (s *schedule) keep(n *node, level int) int {
	if at, ok := s.levels[n]; ok {
		return at + 1
	}
	if s.levels == nil {
		s.levels = map[*node]int{}
	}
	s.levels[n] = level
	for _, p := range s.passes {
		if p.level == level && p.takes(n) {
			p.keeps = append(p.keeps, n)
			return level + 1
		}
	}
	shape := n.shape
	if n.isKept() {
		shape = n.args[0].shape
	}
	s.passes = append(s.passes, &pass{shape: shape, keeps: []*node{n}, level: level})
	return level + 1
}

// takes reports whether a pass can keep the elements of n as well as what it does already.
func (p *pass) takes(n *node) bool {
	if len(p.keeps) > 0 {
		return sharePass(p.keeps[0], n)
	}
	return !n.isKept() && slices.Equal(p.shape, n.shape)
}

// sharePass reports whether two kept nodes can be computed in one walk.
func sharePass(n, m *node) bool {
	return n.kind == nodeReduce && m.kind == nodeReduce &&
		slices.Equal(n.args[0].shape, m.args[0].shape) && slices.Equal(n.reduce.axes, m.reduce.axes)
}

// store adds a statement to a pass of its shape. Levels of stores come after the levels of the nodes that they use.
func (s *schedule) store(statement int, shape []int, level int, alone bool) {
	for _, p := range s.passes {
		if !alone && p.level == level && len(p.stores) > 0 && slices.Equal(p.shape, shape) {
			p.stores = append(p.stores, statement)
			return
		}
	}
	s.passes = append(s.passes, &pass{shape: shape, stores: []int{statement}, level: level})
}
