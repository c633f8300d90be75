package view

import "context"

// gather copies count elements of q from number first on into packed, wherever the storage is.
func (o *owner) gather(q *sequence, packed []byte, first, count int) error {
	if o.isHost() {
		return o.with(func(b []byte) error {
			q.gather(packed, b, first, count)
			return nil
		})
	}
	t := transport{ctx: context.Background()}
	return q.eachBox(first, count, func(p *movePlan) error { return t.load(o, p, packed, q.size) })
}

// scatter is the reverse of gather, for a storage on a device.
func (o *owner) scatter(q *sequence, packed []byte, first, count int) error {
	t := transport{ctx: context.Background()}
	return q.eachBox(first, count, func(p *movePlan) error {
		p.reverse()
		return t.store(o, p, packed, q.size)
	})
}

// eachBox calls fn with plans that move count elements from number first on to packed ones.
func (q *sequence) eachBox(first, count int, fn func(*movePlan) error) error {
	var p movePlan
	for done := 0; done < count; {
		n := q.planBox(&p, done, first+done, count-done)
		if err := fn(&p); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// read copies the bytes of the elements of q from byte off on into p, all of which is within q.
func (o *owner) read(q *sequence, p []byte, off int64) error {
	if o.isHost() {
		return o.with(func(b []byte) error {
			q.read(p, b, off)
			return nil
		})
	}

	// Whole elements are read, also where p begins or ends within one.
	size := int64(q.size)
	first, end := off/size, (off+int64(len(p))+size-1)/size
	elements := p
	if n := (end - first) * size; n > int64(len(p)) {
		elements = make([]byte, n)
	}
	if err := o.gather(q, elements, int(first), int(end-first)); err != nil {
		return err
	}
	if len(elements) > len(p) {
		copy(p, elements[off-first*size:])
	}
	return nil
}

// write is the reverse of read.
func (o *owner) write(q *sequence, p []byte, off int64) error {
	if o.isHost() {
		return o.with(func(b []byte) error {
			q.write(p, b, off)
			return nil
		})
	}

	// A part of an element is written by itself.
	size := int64(q.size)
	for len(p) > 0 {
		first, skip := int(off/size), off%size
		n := int64(len(p)) / size * size
		var err error
		if skip > 0 || n == 0 {
			n = min(size-skip, int64(len(p)))
			err = o.writeBytes(p[:n], int64(q.pos(first))*size+skip)
		} else {
			err = o.scatter(q, p[:n], first, int(n/size))
		}
		if err != nil {
			return err
		}
		p, off = p[n:], off+n
	}
	return nil
}

// writeBytes writes bytes of the storage.
func (o *owner) writeBytes(p []byte, off int64) error {
	st, err := o.storage()
	if err != nil {
		return err
	}
	_, err = st.WriteAt(p, off)
	return err
}
