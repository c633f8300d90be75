package graph

import (
	"fmt"
	"strings"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// A Joint says how the operands of a NodeJoin lie in what they make together. In C order, that is
// runs of elements, and each run has a stretch of every operand.
type Joint struct {
	Axis  int
	Run   int   // elements of a run
	First []int // where the stretch of each operand begins in a run; the end of the run comes last
}

// Join returns arrays one behind the other along an axis. They are of one type, and of one shape but
// for that axis. No elements are moved: whoever reads the result reads them from its parts.
func (b *Builder) Join(parts []*Node, axis int) (*Node, error) {
	j, kept := &Joint{Axis: axis}, []*Node(nil)
	shape := append([]int{}, parts[0].Shape...)
	shape[axis] = 0
	for _, n := range parts {
		if shape[axis] += n.Shape[axis]; shape[axis] < 0 {
			return nil, fmt.Errorf("axis %d: more elements than can be addressed", axis)
		}
		if n.Shape[axis] > 0 {
			kept = append(kept, n)
		}
	}

	// A part that is all there is needs no joint.
	if len(kept) <= 1 {
		return append(kept, parts[0])[0], nil
	}
	if err := checkBytes(shape, kept[0].DType); err != nil {
		return nil, err
	}

	inner := NumElems(shape[axis+1:])
	for _, n := range kept {
		j.First = append(j.First, j.Run)
		j.Run += n.Shape[axis] * inner
	}
	j.First = append(j.First, j.Run)
	return b.joined(kept, j, Whole(shape)), nil
}

// joined returns the elements of joined parts at the positions of a layout, counted in C order.
func (b *Builder) joined(parts []*Node, j *Joint, l view.Layout) *Node {
	var key strings.Builder
	fmt.Fprint(&key, "join ", j.Axis, " ", l)
	for _, n := range parts {
		fmt.Fprint(&key, " ", n.ID)
	}
	n := Node{Kind: NodeJoin, Args: parts, DType: parts[0].DType, Shape: l.Shape(), Layout: l, Joint: j}
	return b.Add(n, key.String())
}

// seenJoin returns a join as a layout of its elements shows it. Parts before and behind all that is
// shown are left out where each follows the one before as a whole.
func (b *Builder) seenJoin(n *Node, l view.Layout) (*Node, error) {
	j, lo, hi := n.Joint, 0, 0
	if lo, hi = l.Bounds(); NumElems(n.Args[0].Shape[:j.Axis]) != 1 || lo >= hi {
		return b.joined(n.Args, j, l), nil
	}
	from, to := 0, len(n.Args)
	for from < to-1 && j.First[from+1] <= lo {
		from++
	}
	for to-1 > from && j.First[to-1] >= hi {
		to--
	}
	less := &Joint{Axis: j.Axis, Run: j.First[to] - j.First[from]}
	for _, first := range j.First[from : to+1] {
		less.First = append(less.First, first-j.First[from])
	}

	// What is left counts from its own beginning. One part that lies in order is seen where it is.
	start := -j.First[from]
	if part := n.Args[from]; to-from == 1 && !part.isComputed() && part.Kind != NodeScalar && !part.IsKept() {
		if at, err := part.leafLayout(); err == nil && at.IsContiguous() {
			return b.withLayout(part, moved(l, start+at.Offset()))
		}
	}
	return b.joined(n.Args[from:to], less, moved(l, start)), nil
}

// moved returns a layout some elements further on, where there is room for it.
func moved(l view.Layout, by int) view.Layout {
	l, err := view.MakeLayout(l.Shape(), l.Strides(), l.Offset()+by)
	if err != nil {
		panic("BUG: compute: " + err.Error())
	}
	return l
}

// Before returns how many elements of an operand come before element number n of the joined array.
func (j *Joint) Before(operand, n int) int {
	first, end := j.First[operand], j.First[operand+1]
	return n/j.Run*(end-first) + min(max(n%j.Run-first, 0), end-first)
}

// checkBytes returns an error if elements of a shape are more than can be addressed.
func checkBytes(shape []int, t dtype.Type) error {
	l, err := view.NewLayout(shape...)
	if err == nil && l.NumElems() > maxBytes/t.Size() {
		err = fmt.Errorf("shape %s of %s is more than can be addressed", syntax.FormatShape(shape), t)
	}
	return err
}
