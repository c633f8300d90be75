package view

import (
	"context"

	"github.com/tstore/tstore/mmapstore"
)

// A transport moves elements between packed host memory and a storage, wherever that is. What it
// moves from or to a device at once is a run of bytes.
type transport struct {
	ctx   context.Context
	spare []byte // of a run
}

// load carries out a plan from the storage of o to packed memory. A run on a device may have gaps,
// if they are shorter than what another transfer costs: they are read as well. p is changed.
func (t *transport) load(o *owner, p *movePlan, packed []byte, size int) error {
	if o.isHost() {
		return t.host(o, func(b []byte) {
			p.arrange()
			p.move(packed, b, size)
		})
	}
	p.arrangeBySource()
	return p.eachBox(p.loaded(size), func(run *movePlan) error { return t.loadRun(o, run, packed, size) })
}

// store is the reverse of load. A run on a device has no gaps, since what is in them may be written
// by others meanwhile.
func (t *transport) store(o *owner, p *movePlan, packed []byte, size int) error {
	p.arrange()
	if o.isHost() {
		return t.host(o, func(b []byte) { p.move(b, packed, size) })
	}
	return p.eachBox(p.stored(), func(run *movePlan) error { return t.storeRun(o, run, packed, size) })
}

// host calls fn with the bytes of a storage in host memory, unless ctx has ended.
func (t *transport) host(o *owner, fn func(b []byte)) error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	return o.with(func(b []byte) error {
		fn(b)
		return nil
	})
}

// loaded returns the boxes of a plan, arranged by its source, that load reads at once.
func (p *movePlan) loaded(size int) (box [MaxRank]int) {
	span := 1 // positions from the first to the last element of a box
	i := p.rank - 1
	for ; i >= 0; i-- {
		a := p.all[i]
		if (a.src-span)*size > apartBytes {
			break
		}
		if most := stagedBytes / size; (a.n-1)*a.src+span > most {
			box[i] = max((most-span)/max(a.src, 1)+1, 1)
			i--
			break
		}
		box[i] = a.n
		span += (a.n - 1) * a.src
	}
	for ; i >= 0; i-- {
		box[i] = 1
	}
	return box
}

// stored returns the boxes of an arranged plan that are runs without gaps in the destination.
func (p *movePlan) stored() (box [MaxRank]int) {
	n := 1
	for i := p.rank - 1; i >= 0; i-- {
		box[i] = 1
		if a := p.all[i]; a.dst == n {
			box[i] = a.n
			n *= a.n
		}
	}
	return box
}

// loadRun reads the bytes of a box, all of which are less than stagedBytes or those of its elements,
// and moves its elements.
func (t *transport) loadRun(o *owner, p *movePlan, packed []byte, size int) error {
	st, err := t.device(o)
	if err != nil {
		return err
	}
	lo, n := p.src, 1
	for _, a := range p.axes() {
		n += (a.n - 1) * a.src
	}
	p.arrange()
	if p.isRun() {
		_, err = st.ReadAt(packed[p.dst*size:][:n*size], int64(lo)*int64(size))
		return err
	}

	b := t.room(n * size)
	if _, err := st.ReadAt(b, int64(lo)*int64(size)); err != nil {
		return err
	}
	p.src -= lo
	p.move(packed, b, size)
	return nil
}

// storeRun moves the elements of a box together, and writes them.
func (t *transport) storeRun(o *owner, p *movePlan, packed []byte, size int) error {
	st, err := t.device(o)
	if err != nil {
		return err
	}
	lo, n := p.dst, p.numElems()
	p.arrange()
	if p.isRun() {
		_, err = st.WriteAt(packed[p.src*size:][:n*size], int64(lo)*int64(size))
		return err
	}

	b := t.room(n * size)
	p.dst = 0
	p.move(b, packed, size)
	_, err = st.WriteAt(b, int64(lo)*int64(size))
	return err
}

// device returns the storage of o, unless o is closed or ctx has ended.
func (t *transport) device(o *owner) (*mmapstore.Storage, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	return o.storage()
}

// room returns n bytes, which the next call takes again.
func (t *transport) room(n int) []byte {
	if cap(t.spare) < n {
		t.spare = make([]byte, n)
	}
	return t.spare[:n]
}
