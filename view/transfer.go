package view

// read copies the bytes of the elements from byte off of the sequence on into p; b is the storage.
// All of p is within the sequence.
func (q *sequence) read(p, b []byte, off int64) {
	first, skip := int(off/int64(q.size)), int(off%int64(q.size))
	if skip > 0 {
		n := copy(p, q.element(b, first)[skip:])
		p = p[n:]
		first++
	}
	count := len(p) / q.size
	q.gather(p, b, first, count)
	if rest := p[count*q.size:]; len(rest) > 0 {
		copy(rest, q.element(b, first+count))
	}
}

// write is the reverse of read.
func (q *sequence) write(p, b []byte, off int64) {
	first, skip := int(off/int64(q.size)), int(off%int64(q.size))
	if skip > 0 && len(p) > 0 {
		n := copy(q.element(b, first)[skip:], p)
		p = p[n:]
		first++
	}
	count := len(p) / q.size
	q.scatter(p, b, first, count)
	if rest := p[count*q.size:]; len(rest) > 0 {
		copy(q.element(b, first+count), rest)
	}
}

// element returns the bytes of element number k.
func (q *sequence) element(b []byte, k int) []byte {
	start := q.pos(k) * q.size
	return b[start : start+q.size]
}
