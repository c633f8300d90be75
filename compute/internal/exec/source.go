package exec

import "unsafe"

// maxSparse is the greatest ratio of the extent of a chunk to the bytes of its elements at which
// the extent is read whole.
const maxSparse = 4

// A Source is where the elements of an input are: in memory where the operand says, or in a buffer.
type Source struct {
	Base   unsafe.Pointer
	shift  int // bytes from the operand's Base to Base
	buffer []byte
}

// Offset returns where an offset from the operand's Base is, counted from Base.
func (s *Source) Offset(off int) int { return off - s.shift }

// At returns the address of an offset from the operand's Base.
func (s *Source) At(off int) unsafe.Pointer { return unsafe.Add(s.Base, s.Offset(off)) }

// Load makes s the source of the elements of o in the bytes [lo, hi), counted from its Base. If o is
// read, they are read into a buffer, unless they are much more than the elements, which take some
// bytes: then, and if o is not read, the source is in memory.
func (s *Source) Load(o *Operand, lo, hi, bytes int) error {
	if o.Read == nil || hi-lo > maxSparse*bytes {
		s.Base, s.shift = o.Base, 0
		return nil
	}
	if cap(s.buffer) < hi-lo {
		s.buffer = make([]byte, hi-lo)
	}
	s.buffer = s.buffer[:hi-lo]
	s.Base, s.shift = unsafe.Pointer(unsafe.SliceData(s.buffer)), lo
	return o.Read(s.buffer, lo)
}
