package plan

import "slices"

// A Box is a part of a nest: all axes but the two innermost have one index each, and these two a
// range.
type Box struct {
	At         []int // byte offset of each operand at the box's first element, Start included
	Rows, Cols int
}

// Chunks is a nest cut into pieces of similar size that can be worked on in any order.
type Chunks struct {
	nest       *Nest
	outer      int // pieces made of all axes but the two innermost
	rows, cols int // of a piece, at most
	down       int // pieces along the axis around the innermost
	across     int // pieces along the innermost axis
	group      int // pieces in one chunk, at most
	within     int // pieces that a chunk does not go beyond: all, or those of some inner axes
	rowSize    int // size of the axis around the innermost
}

// Chunks cuts n into chunks of about elems elements, each a run of pieces in the order of the nest.
// A piece has at most maxRows and maxCols elements of the two innermost axes. All three numbers are
// at least 1.
func (n *Nest) Chunks(elems, maxRows, maxCols int) *Chunks {
	inner := len(n.Sizes) - 1
	c := &Chunks{nest: n, outer: 1, rowSize: 1}
	if inner > 0 {
		c.rowSize = n.Sizes[inner-1]
		for _, size := range n.Sizes[:inner-1] {
			c.outer *= size
		}
	}
	c.cols = min(max(n.Sizes[inner], 1), maxCols)
	c.rows = min(max(1, elems/c.cols), maxRows, max(c.rowSize, 1))
	c.down, c.across = pieces(c.rowSize, c.rows), pieces(n.Sizes[inner], c.cols)
	c.group = max(1, elems/(c.rows*c.cols))
	c.within = max(c.outer*c.down*c.across, 1)
	return c
}

func pieces(size, of int) int { return (size + of - 1) / of }

// Len returns the number of chunks.
func (c *Chunks) Len() int {
	return c.outer * c.down * c.across / c.within * pieces(c.within, c.group)
}

// Box returns the rows and columns of a box, at most, and how many boxes a chunk has, at most.
func (c *Chunks) Box() (rows, cols, boxes int) { return c.rows, c.cols, c.group }

// Regular cuts the chunks, so that each is a box of the nest: a range of one axis, with one index of
// each axis around it and all of those inside. Boxes are ranges of at most axes axes, 2 or more.
func (c *Chunks) Regular(axes int) {
	most, inner := c.group, len(c.nest.Sizes)-1
	c.group, c.within = 1, 1
	if c.down*c.across > 1 {
		return
	}
	for axis := inner - 2; axis >= 0 && inner-axis < axes && c.group == c.within; axis-- {
		c.within *= max(c.nest.Sizes[axis], 1)
		c.group *= min(max(most/c.group, 1), c.nest.Sizes[axis])
	}
}

// Dims returns how many indexes of the innermost axes a regular chunk has, whose first box is b.
func (c *Chunks) Dims(chunk int, b *Box) []int {
	inner := len(c.nest.Sizes) - 1
	dims := []int{b.Cols}
	if inner > 0 {
		dims = []int{b.Rows, b.Cols}
	}
	first, end := c.pieces(chunk)
	rest := end - first
	for axis := inner - 2; rest > 1; axis-- {
		n := min(c.nest.Sizes[axis], rest)
		dims = slices.Insert(dims, 0, n)
		rest /= n
	}
	return dims
}

// First fills box with the first one of a chunk.
func (c *Chunks) First(chunk int, box *Box) {
	first, _ := c.pieces(chunk)
	c.locate(first, box)
}

// pieces returns the pieces [first, end) of a chunk.
func (c *Chunks) pieces(chunk int) (first, end int) {
	each := pieces(c.within, c.group)
	start := chunk / each * c.within
	first = start + chunk%each*c.group
	return first, min(first+c.group, start+c.within)
}

// Boxes calls fn with each piece of a chunk. The Box is valid during the call.
func (c *Chunks) Boxes(chunk int, box *Box, fn func(*Box) error) error {
	for piece, end := c.pieces(chunk); piece < end; piece++ {
		c.locate(piece, box)
		if err := fn(box); err != nil {
			return err
		}
	}
	return nil
}

// locate fills box for one piece.
func (c *Chunks) locate(piece int, box *Box) {
	n := c.nest
	inner := len(n.Sizes) - 1

	// Take the piece apart into column, row and what is left for the outer axes.
	col := piece % c.across * c.cols
	piece /= c.across
	row := piece % c.down * c.rows
	piece /= c.down
	box.Rows, box.Cols = min(c.rows, c.rowSize-row), min(c.cols, n.Sizes[inner]-col)

	if cap(box.At) < len(n.Strides) {
		box.At = make([]int, len(n.Strides))
	}
	box.At = box.At[:len(n.Strides)]

	for k := range box.At {
		box.At[k] = n.Start[k] + col*n.Strides[k][inner]
		if inner > 0 {
			box.At[k] += row * n.Strides[k][inner-1]
		}
	}

	for axis := inner - 2; axis >= 0; axis-- {
		index := piece % n.Sizes[axis]
		piece /= n.Sizes[axis]
		for k := range box.At {
			box.At[k] += index * n.Strides[k][axis]
		}
	}
}

// Extent returns the bytes [lo, hi) that hold all elements of operand k in a chunk, counted from
// its element with all indexes 0. There may be others between them.
func (c *Chunks) Extent(k, chunk int) (lo, hi int) {
	n, box, first := c.nest, Box{}, true
	for piece, end := c.pieces(chunk); piece < end; piece++ {
		c.locate(piece, &box)
		from, to := box.At[k], box.At[k]
		for _, span := range [2]int{(box.Rows - 1) * n.Outer(k), (box.Cols - 1) * n.Inner(k)} {
			from, to = from+min(span, 0), to+max(span, 0)
		}

		if first || from < lo {
			lo = from
		}
		if first || to+n.ElemSizes[k] > hi {
			hi = to + n.ElemSizes[k]
		}

		first = false
	}
	return lo, hi
}
