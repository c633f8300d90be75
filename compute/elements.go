package compute

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Elements are the elements of an array, to be read from front to back: a *view.Tensor, where they are stored, or a
// *[Stream], which computes them.
type Elements interface {
	DType() dtype.Type
	Shape() []int
	NumElems() int
	// Blocks calls fn with all elements as packed bytes in C order, in pieces of at most maxBytes, but at least one
	// element; 0 or less leaves the size open. fn must neither change b nor keep it. Its error ends the walk and is
	// returned as it is.
	Blocks(maxBytes int, fn func(b []byte) error) error
}

// openElements opens what Stats and Diff read.
func openElements(x Elements) (*operand, error) {
	if t, ok := x.(*view.Tensor); ok {
		return openOperand(t)
	}
	o := &operand{dtype: x.DType(), numElems: x.NumElems(), sequence: &sequence{size: x.DType().Size(), early: map[int][]byte{}}}
	o.sequence.next, o.sequence.stop = iter.Pull2(blocks(x))
	return o, nil
}

// isStored reports whether elements are read in any order, as those of a tensor are.
func isStored(x Elements) bool {
	_, ok := x.(*view.Tensor)
	return ok
}

// errStopped ends a walk over blocks.
var errStopped = errors.New("stopped")

// blocks yields the blocks of x, or an error at the end.
func blocks(x Elements) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		err := x.Blocks(0, func(b []byte) error {
			if !yield(b, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// A sequence is elements that come in order, and that several goroutines take in chunks of chunkElems. Whoever is ahead
// of the others reads their chunks for them.
type sequence struct {
	size int // bytes of an element
	next func() ([]byte, error, bool)
	stop func()

	mu    sync.Mutex
	block []byte         // what is left of the last one
	at    int            // the number of the element that comes next
	early map[int][]byte // chunks that nobody has taken yet, by the number of their first element
	err   error          // why no more come
}

// fetch returns n elements from number first on, which start a chunk that is fetched once, in buf or in other memory.
func (s *sequence) fetch(buf []byte, first, n int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.at < first {
		b := alignedBytes(chunkElems * s.size)
		at := s.at
		if err := s.readLocked(b); err != nil {
			return nil, err
		}
		s.early[at] = b
	}
	if s.at == first {
		b := buf[:n*s.size]
		return b, s.readLocked(b)
	}
	b, ok := s.early[first]
	if !ok {
		return nil, fmt.Errorf("BUG: compute: chunk at element %d of a sequence fetched twice", first)
	}
	delete(s.early, first)
	return b[:n*s.size], nil
}

// readLocked fills b with the elements that come next.
func (s *sequence) readLocked(b []byte) error {
	s.at += len(b) / s.size
	for len(b) > 0 {
		if len(s.block) == 0 && s.err == nil {
			var more bool
			if s.block, s.err, more = s.next(); !more {
				s.err = io.ErrUnexpectedEOF
			}
		}
		if s.err != nil {
			return s.err
		}
		n := copy(b, s.block)
		b, s.block = b[n:], s.block[n:]
	}
	return nil
}
