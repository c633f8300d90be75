package ptx

import "strconv"

// SegmentWords returns how many numbers of 8 bytes the table of a FoldKernel has for a segment.
func (l *Layouts) SegmentWords() int {
	if !l.has(Strided) {
		return 2
	}
	words := 5
	for _, of := range l.Inputs {
		if of == Strided {
			words++
		}
	}
	return words
}

// A segment is what the threads of a block know of the segment that they are at, in registers.
type segment struct {
	first     string            // its first element
	cols      string            // of 32 bits, as row and col
	row, col  string            // what is added to rows and to columns
	addresses map[string]string // of inputs
}

// eachSegment emits a loop over the segments of the block's box, whose body may change first.
func (c *compiler) eachSegment(body func(first, end string)) {
	size := strconv.Itoa(8 * c.layouts.SegmentWords())
	segments := c.emit("b64", "ld.param.b64", "[segments]")
	next := c.emit("b64", "mad.lo.u64", c.boxWord(0), size, segments)
	last := c.emit("b64", "mad.lo.u64", c.boxWord(1), size, segments)

	loop, done := c.newLabel(), c.newLabel()
	c.mark(loop)
	c.line("@%s bra %s", c.emit("pred", "setp.ge.u64", next, last), done)
	first := c.segmentWord(next, 0)
	c.loadSegment(next, first)
	body(first, c.segmentWord(next, 1))
	c.set(next, "add.u64", next, size)
	c.line("bra %s", loop)
	c.mark(done)
}

// segmentWord emits one of the numbers of the segment at an address.
func (c *compiler) segmentWord(at string, k int) string {
	return c.emit("b64", "ld.global.b64", "["+at+"+"+strconv.Itoa(8*k)+"]")
}

// loadSegment emits what strided inputs need of the segment at an address.
func (c *compiler) loadSegment(at, first string) {
	if !c.layouts.has(Strided) {
		return
	}
	narrow := func(k int) string { return c.emit("b32", "cvt.u32.u64", c.segmentWord(at, k)) }
	c.segment = &segment{first: c.emit("b64", "mov.b64", first), cols: narrow(2), row: narrow(3), col: narrow(4), addresses: map[string]string{}}
	for k := range c.program.Inputs {
		if c.layouts.input(k) == Strided {
			c.segment.addresses["in"+strconv.Itoa(k)] = c.segmentWord(at, 5+len(c.segment.addresses))
		}
	}
}

// inSegment emits the coordinates of element i of a thread, whose first one has a number.
func (c *compiler) inSegment(first string, i int, dims []string) (coordinates []string) {
	s, rows := c.segment, c.layouts.Rows
	col := c.emit("b32", "cvt.u32.u64", c.emit("b64", "sub.u64", first, s.first))
	if i > 0 {
		col = c.emit("b32", "add.u32", col, strconv.Itoa(i))
	}
	if rows > 0 {
		row := c.emit("b32", "div.u32", col, s.cols)
		col = c.emit("b32", "rem.u32", col, s.cols)
		coordinates = c.coordinates(c.emit("b32", "add.u32", row, s.row), dims[:rows])
	}
	return append(coordinates, c.coordinates(c.emit("b32", "add.u32", col, s.col), dims[rows:])...)
}
