package view

// A sequence is the elements of a layout, numbered in C order, over the bytes of a storage. It
// moves any stretch of them to and from packed bytes. It is immutable and may be shared by
// goroutines.
type sequence struct {
	axes   []axis // coalesced
	offset int
	n      int // number of elements
	size   int // bytes of an element
}

func newSequence(l Layout, size int) sequence {
	return sequence{
		axes:   coalesce(make([]axis, 0, len(l.axes)), l.axes),
		offset: l.offset,
		n:      l.NumElems(),
		size:   size,
	}
}

// isPacked reports whether the elements lie side by side, in order.
func (q *sequence) isPacked() bool {
	return q.n == 0 || len(q.axes) == 0 || len(q.axes) == 1 && q.axes[0].stride == 1
}

// packed returns count elements from number first in place; q is packed.
func (q *sequence) packed(b []byte, first, count int) []byte {
	start := (q.offset + first) * q.size
	return b[start : start+count*q.size]
}

// buffer returns memory for fetch to gather count elements in, if it has to.
func (q *sequence) buffer(count int) []byte {
	if q.isPacked() {
		return nil
	}
	return make([]byte, min(count, q.n)*q.size)
}

// fetch returns count elements from number first as packed bytes: in place if they lie so,
// otherwise gathered in buf.
func (q *sequence) fetch(buf, b []byte, first, count int) []byte {
	if q.isPacked() {
		return q.packed(b, first, count)
	}
	buf = buf[:count*q.size]
	q.gather(buf, b, first, count)
	return buf
}

// pos returns the position of element number k.
func (q *sequence) pos(k int) int {
	pos := q.offset
	for i := len(q.axes) - 1; i >= 0; i-- {
		a := q.axes[i]
		pos += k % a.n * a.stride
		k /= a.n
	}
	return pos
}

// gather copies count elements from number first out of b into packed.
func (q *sequence) gather(packed, b []byte, first, count int) {
	var p movePlan
	for done := 0; done < count; {
		n := q.planBox(&p, done, first+done, count-done)
		p.arrange()
		p.move(packed, b, q.size)
		done += n
	}
}

// scatter copies count elements from packed into b, from number first on.
func (q *sequence) scatter(packed, b []byte, first, count int) {
	var p movePlan
	for done := 0; done < count; {
		n := q.planBox(&p, done, first+done, count-done)
		p.reverse()
		p.arrange()
		p.move(b, packed, q.size)
		done += n
	}
}

// planBox plans the move of as many elements from number k on as make a box (a range of one axis
// and all of the axes inside it), at most count, to position at of packed elements. It returns
// their number.
func (q *sequence) planBox(p *movePlan, at, k, count int) int {
	p.reset(at, q.pos(k))
	if len(q.axes) == 0 {
		return 1
	}
	level, inner := q.boxLevel(k, count)
	a := q.axes[level]
	n := min(a.n-k/inner%a.n, count/inner)
	p.add(n, inner, a.stride)
	step := inner
	for _, a := range q.axes[level+1:] {
		step /= a.n
		p.add(a.n, step, a.stride)
	}
	return n * inner
}

// boxLevel returns an axis, and the number of elements in a step of it. It is the outermost axis
// with a whole step that starts at element k and fits into count elements.
func (q *sequence) boxLevel(k, count int) (level, inner int) {
	level, inner = len(q.axes)-1, 1
	for level > 0 {
		whole := inner * q.axes[level].n
		if k%whole != 0 || count < whole {
			break
		}
		inner = whole
		level--
	}
	return level, inner
}
