package exec

import "unsafe"

// maxSparse is the greatest ratio of the extent of a chunk to the bytes of its elements at which
// the extent is read whole.
const maxSparse = 4

// A source is where the elements of an input are: in memory where the operand says, or in a buffer.
type source struct {
	base   unsafe.Pointer
	shift  int // bytes from the operand's Base to base
	buffer []byte
}

// at returns the address of an offset from the operand's Base.
func (s *source) at(off int) unsafe.Pointer { return unsafe.Add(s.base, off-s.shift) }

// read fills a buffer with the extent of a chunk and makes it the source of input k. If the extent
// is much larger than the elements, the source stays in memory.
func (w *loopWorker) read(k, chunk int, read func(p []byte, off int) error) error {
	l, s := w.loop, &w.sources[k]
	lo, hi := l.chunks.Extent(k, chunk)
	if hi-lo > maxSparse*l.elems*l.nest.ElemSizes[k] {
		s.base, s.shift = l.operands[k].Base, 0
		w.inputs[k].Base = s.base
		return nil
	}
	if cap(s.buffer) < hi-lo {
		s.buffer = make([]byte, hi-lo)
	}
	s.buffer = s.buffer[:hi-lo]
	s.base, s.shift = unsafe.Pointer(unsafe.SliceData(s.buffer)), lo
	w.inputs[k].Base = s.base
	return read(s.buffer, lo)
}
