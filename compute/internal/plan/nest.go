package plan

// An Operand is how the elements of one tensor lie: the stride of each axis of the common shape, 0
// where the tensor is repeated, and the size of an element. Both count bytes.
type Operand struct {
	Strides  []int
	ElemSize int
}

// A Nest is a nest of loops over the elements of several operands. It visits the same elements as
// the shape that it was made of, in another order.
type Nest struct {
	Sizes     []int   // of the axes, outermost first; at least one
	Strides   [][]int // in bytes, of each operand and axis
	Start     []int   // in bytes, where each operand is at the first element of the nest, relative to its element 0, 0, …
	ElemSizes []int   // in bytes, of each operand
}

// New returns the nest of operands of one shape. lead is the operand that decides the order of the
// axes and their directions, normally the destination, or -1 for the first ones that care: its
// elements are visited in the order of memory.
func New(shape []int, operands []Operand, lead int) Nest {
	// All slices share one allocation.
	room := make([]int, (len(operands)+1)*(len(shape)+3)+len(shape))
	take := func(n int) []int {
		taken := room[:n:n]
		room = room[n:]
		return taken
	}

	n := Nest{Strides: make([][]int, len(operands)), Start: take(len(operands)), ElemSizes: take(len(operands))}

	// Leave out axes of size 1: they move nothing, and would keep others from merging.
	axes := take(len(shape))[:0]
	for axis, size := range shape {
		if size != 1 {
			axes = append(axes, axis)
		}
	}

	if len(axes) > 1 {
		order(axes, shape, byRank(operands, lead))
	}

	n.Sizes = take(len(axes) + 1)[:0]
	for _, axis := range axes {
		n.Sizes = append(n.Sizes, shape[axis])
	}

	for k, operand := range operands {
		n.ElemSizes[k] = operand.ElemSize
		n.Strides[k] = take(len(axes) + 1)[:len(axes)]
		for i, axis := range axes {
			n.Strides[k][i] = operand.Strides[axis]
		}
	}

	n.flip(lead)
	n.coalesce()

	return n
}

// byRank puts the leading operand first.
func byRank(operands []Operand, lead int) []Operand {
	if lead <= 0 {
		return operands
	}
	ranked := make([]Operand, 0, len(operands))
	ranked = append(ranked, operands[lead])
	for k, operand := range operands {
		if k != lead {
			ranked = append(ranked, operand)
		}
	}
	return ranked
}

// order sorts axes by insertion, so that the longer stride is outside for the first operand that
// distinguishes two axes. Axes that no operand distinguishes keep their order. Strides of 0 say
// nothing, so comparisons need not be transitive: an insertion sort ends for any input (as in
// NumPy's nditer).
func order(axes, shape []int, operands []Operand) {
	for i := 1; i < len(axes); i++ {
		for j := i; j > 0 && outside(axes[j], axes[j-1], operands); j-- {
			axes[j], axes[j-1] = axes[j-1], axes[j]
		}
	}
}

// outside reports whether axis a belongs outside axis b.
func outside(a, b int, operands []Operand) bool {
	for _, operand := range operands {
		sa, sb := magnitude(operand.Strides[a]), magnitude(operand.Strides[b])
		if sa != 0 && sb != 0 && sa != sb {
			return sa > sb
		}
	}
	return false
}

func magnitude(stride int) int {
	if stride < 0 {
		return -stride
	}
	return stride
}

// flip turns axes round that run backwards in the leading operand, or, without one, in all operands
// that have a stride there.
func (n *Nest) flip(lead int) {
	for axis, size := range n.Sizes {
		if size == 0 || !n.backwards(axis, lead) {
			continue
		}
		for k := range n.Strides {
			n.Start[k] += (size - 1) * n.Strides[k][axis]
			n.Strides[k][axis] = -n.Strides[k][axis]
		}
	}
}

func (n *Nest) backwards(axis, lead int) bool {
	if lead >= 0 && n.Strides[lead][axis] != 0 {
		return n.Strides[lead][axis] < 0
	}
	some := false
	for k := range n.Strides {
		if n.Strides[k][axis] > 0 {
			return false
		}
		some = some || n.Strides[k][axis] < 0
	}
	return some
}

// coalesce merges neighbouring axes that are one run in every operand. What is left has at least
// one axis.
func (n *Nest) coalesce() {
	kept := 0
	for axis := 1; axis < len(n.Sizes); axis++ {
		if n.oneRun(kept, axis) {
			n.Sizes[kept] *= n.Sizes[axis]
			n.move(kept, axis)
			continue
		}
		kept++
		n.Sizes[kept] = n.Sizes[axis]
		n.move(kept, axis)
	}

	if len(n.Sizes) == 0 {
		n.Sizes = append(n.Sizes, 1)
		for k := range n.Strides {
			n.Strides[k] = append(n.Strides[k], n.ElemSizes[k])
		}
		return
	}

	n.Sizes = n.Sizes[:kept+1]
	for k := range n.Strides {
		n.Strides[k] = n.Strides[k][:kept+1]
	}
}

// oneRun reports whether stepping over the whole of the inner axis is one step of the outer one.
func (n *Nest) oneRun(outer, inner int) bool {
	for k := range n.Strides {
		if n.Strides[k][outer] != n.Strides[k][inner]*n.Sizes[inner] {
			return false
		}
	}
	return true
}

func (n *Nest) move(to, from int) {
	for k := range n.Strides {
		n.Strides[k][to] = n.Strides[k][from]
	}
}

// NumElems returns the number of elements that the nest visits.
func (n *Nest) NumElems() int {
	total := 1
	for _, size := range n.Sizes {
		total *= size
	}
	return total
}

// Inner returns the stride of operand k on the innermost axis.
func (n *Nest) Inner(k int) int { return n.Strides[k][len(n.Sizes)-1] }

// Outer returns the stride of operand k on the axis around the innermost one, or 0 if there is
// none.
func (n *Nest) Outer(k int) int {
	if len(n.Sizes) < 2 {
		return 0
	}
	return n.Strides[k][len(n.Sizes)-2]
}

// Packed reports whether operand k is one contiguous run in the order of the nest.
func (n *Nest) Packed(k int) bool {
	return len(n.Sizes) == 1 && n.Strides[k][0] == n.ElemSizes[k]
}

// Tile reports whether blocks should be rectangles of the two innermost axes: some operand is
// contiguous along an axis other than the innermost, which is then moved beside it.
func (n *Nest) Tile() bool {
	inner := len(n.Sizes) - 1
	for k := range n.Strides {
		if s := n.Strides[k][inner]; s == 0 || magnitude(s) == n.ElemSizes[k] {
			continue
		}
		for axis := range inner {
			if magnitude(n.Strides[k][axis]) == n.ElemSizes[k] {
				n.moveBesideInner(axis)
				return true
			}
		}
	}
	return false
}

func (n *Nest) moveBesideInner(axis int) {
	to := len(n.Sizes) - 2
	rotate := func(s []int) {
		v := s[axis]
		copy(s[axis:to], s[axis+1:to+1])
		s[to] = v
	}
	rotate(n.Sizes)
	for k := range n.Strides {
		rotate(n.Strides[k])
	}
}
