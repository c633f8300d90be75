package view

import "context"

// places yields positions, in elements, one for each box that a jumpMove moves.
type places interface {
	// next fills the start of buf with the next positions and returns their number, which is 0 only
	// at the end. It stops reading when ctx ends.
	next(ctx context.Context, buf []int) (int, error)
}

// placeChunk is the number of positions that are worked out at a time.
const placeChunk = arrayChunk

// regularPlaces yields the positions of a layout in C order.
type regularPlaces struct {
	seq   sequence
	first int
}

func newRegularPlaces(l Layout) *regularPlaces {
	return &regularPlaces{seq: newSequence(l, 1)}
}

func (p *regularPlaces) next(_ context.Context, buf []int) (int, error) {
	n := min(len(buf), p.seq.n-p.first)
	p.seq.positions(buf[:n], p.first)
	p.first += n
	return n, nil
}

// positions fills out with the positions of the elements from number first on.
func (q *sequence) positions(out []int, first int) {
	if len(q.axes) == 0 {
		for i := range out {
			out[i] = q.offset
		}
		return
	}

	inner := q.axes[len(q.axes)-1]
	// A step fills what is left of one line of the innermost axis.
	for len(out) > 0 {
		n := min(inner.n-first%inner.n, len(out))
		pos := q.pos(first)
		for i := range out[:n] {
			out[i] = pos
			pos += inner.stride
		}

		out = out[n:]
		first += n
	}
}

// An indexTerm adds to a position what an array of indexes says about one axis, or about all
// elements in C order.
type indexTerm struct {
	array     indexArray
	axis      int // for errors
	n, stride int
	flat      *sequence // of all elements, n in number; stride is not used
	mode      IndexMode
}

// apply adds the term for each of the indexes to pos.
func (t *indexTerm) apply(pos, indexes []int) error {
	pos = pos[:len(indexes)]
	for i, v := range indexes {
		j := v
		if j < 0 {
			j += t.n
		}
		// A negative index counts from the end. Under IndexClip it is clipped instead, as in NumPy.
		if uint(j) >= uint(t.n) || t.mode == IndexClip && v < 0 {
			if t.mode == IndexRaise || t.n == 0 {
				return &IndexError{Axis: t.axis, Index: v, Size: t.n}
			}
			j = t.mode.fold(v, t.n)
		}

		if t.flat != nil {
			pos[i] += t.flat.pos(j)
		} else {
			pos[i] += j * t.stride
		}
	}
	return nil
}

// indexPlaces yields the sums of terms whose arrays have one shape.
type indexPlaces struct {
	offset  int
	left    int
	terms   []indexTerm
	readers []arrayReader
	indexes [arrayChunk]int
}

// newIndexPlaces returns n places; all arrays have n elements.
func newIndexPlaces(offset, n int, terms []indexTerm) *indexPlaces {
	p := &indexPlaces{offset: offset, left: n, terms: terms}
	for i := range terms {
		p.readers = append(p.readers, newArrayReader(&terms[i].array))
	}
	return p
}

func (p *indexPlaces) next(ctx context.Context, buf []int) (int, error) {
	n := min(len(buf), p.left, arrayChunk)
	for i := range buf[:n] {
		buf[i] = p.offset
	}
	for i := range p.terms {
		if err := p.readers[i].read(ctx, p.indexes[:n]); err != nil {
			return 0, err
		}
		if err := p.terms[i].apply(buf[:n], p.indexes[:n]); err != nil {
			return 0, err
		}
	}
	p.left -= n
	return n, nil
}

// A maskTerm is a mask over some axes of a tensor.
type maskTerm struct {
	array indexArray
	to    Layout // the axes, at offset 0
	axis  int    // of the tensor, where they begin
}

// count returns how often the mask is true.
func (m *maskTerm) count(ctx context.Context) (int, error) { return countNonzero(ctx, &m.array) }

// terms returns the mask as one list of indexes for each of its axes. A mask without axes has one
// term that changes nothing.
func (m *maskTerm) terms(ctx context.Context) ([]indexTerm, error) {
	n, err := m.count(ctx)
	if err != nil {
		return nil, err
	}

	if m.to.Rank() == 0 {
		return []indexTerm{{array: arrayOfList(make([]int, n)), axis: m.axis, n: 1}}, nil
	}

	lists, err := nonzeroLists(ctx, &m.array, n)
	if err != nil {
		return nil, err
	}

	terms := make([]indexTerm, len(lists))
	for i, list := range lists {
		a := m.to.axes[i]
		terms[i] = indexTerm{array: arrayOfList(list), axis: m.axis + i, n: a.n, stride: a.stride}
	}

	return terms, nil
}

// maskPlaces yields the positions where a mask is true.
type maskPlaces struct {
	reader arrayReader
	to     sequence
	left   int // elements of the mask that were not looked at
	bits   [arrayChunk]byte
	pos    [arrayChunk]int
}

func newMaskPlaces(offset int, m *maskTerm) *maskPlaces {
	to := m.to
	to.offset = offset
	return &maskPlaces{reader: newArrayReader(&m.array), to: newSequence(to, 1), left: to.NumElems()}
}

func (p *maskPlaces) next(ctx context.Context, buf []int) (int, error) {
	found := 0
	for p.left > 0 && found < max(1, len(buf)/2) {
		n := min(len(buf)-found, p.left, arrayChunk)
		p.to.positions(p.pos[:n], p.reader.next)
		if err := p.reader.readBools(ctx, p.bits[:n]); err != nil {
			return 0, err
		}
		for i, bit := range p.bits[:n] {
			buf[found] = p.pos[i]
			found += truth(bit)
		}
		p.left -= n
	}
	return found, nil
}

// truth is 1 for every byte but 0. There is no branch in it, which a mask without a pattern would
// have mispredicted.
func truth(bit byte) int { return int((bit | -bit) >> 7) }

// cyclicPlaces yields the positions of a layout again and again.
type cyclicPlaces struct{ regularPlaces }

func (p *cyclicPlaces) next(ctx context.Context, buf []int) (int, error) {
	if p.first == p.seq.n {
		p.first = 0
	}
	return p.regularPlaces.next(ctx, buf)
}
