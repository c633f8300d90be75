package reduce

import "unsafe"

// Extent returns the bytes [lo, hi) that hold all elements of an input in a chunk, counted from its
// Base, or, for an operand behind the inputs, all results of a reduction that the chunk has a part
// of. There may be others between them.
func (e *Engine) Extent(operand, chunk int) (lo, hi int) {
	var b box
	e.axes.locate(chunk, &b)
	if reduction := operand - len(e.spec.Inputs); reduction >= 0 {
		z := e.reducers[reduction]
		size := ResultType(z.Op, z.Type).Size()
		lo, hi = e.axes.extent(e.axes.out, &b)
		return lo * size, hi * size
	}
	return e.axes.extent(operand, &b)
}

// extent returns the bytes of an operand that hold its elements in a box.

func (a *axes) extent(operand int, b *box) (lo, hi int) {
	lo = a.nest.Start[operand]
	hi = lo + a.nest.ElemSizes[operand]
	if a.dims != nil {
		a.ranges(b, func(d *dim, low, size int) {
			first, last := low*d.strides[operand], (low+size-1)*d.strides[operand]
			lo, hi = lo+min(first, last), hi+max(first, last)
		})
		return lo, hi
	}
	for axis, s := range a.nest.Strides[operand] {
		first, last := b.low[axis]*s, (b.low[axis]+b.size[axis]-1)*s
		lo, hi = lo+min(first, last), hi+max(first, last)
	}
	return lo, hi
}

// maxSparse is how many times the bytes of its elements the extent of a chunk may be to be read
// whole.
const maxSparse = 4

// read reads the inputs of the box buffers to where they are needed, unless the bytes are many more
// than those of the elements.
func (w *worker) read() error {
	e := w.engine
	for k, in := range e.spec.Inputs {
		if in.Read == nil {
			w.inputs[k].Base, w.shift[k] = in.Base, 0
			continue
		}

		lo, hi := e.axes.extent(k, &w.box)
		w.inputs[k].Base, w.shift[k] = in.Base, 0
		if hi-lo > maxSparse*product(w.box.size)*e.axes.nest.ElemSizes[k] {
			continue
		}

		if cap(w.buffers[k]) < hi-lo {
			w.buffers[k] = make([]byte, hi-lo)
		}
		buf := w.buffers[k][:hi-lo]
		if err := in.Read(buf, lo); err != nil {
			return err
		}

		w.inputs[k].Base, w.shift[k] = unsafe.Pointer(unsafe.SliceData(buf)), lo
	}
	return nil
}
