package pieces

import (
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/tstore/tstore/dtype"
)

// A sequence is elements that come in order, and that several goroutines take in chunks of
// ChunkElems. Whoever is ahead of the others reads their chunks for them.
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

// OpenSequence returns the elements of type t, n of them, that blocks yields in order. Close ends
// it.
func OpenSequence(t dtype.Type, n int, blocks iter.Seq2[[]byte, error]) *Operand {
	o := &Operand{DType: t, NumElems: n, sequence: &sequence{size: t.Size(), early: map[int][]byte{}}}
	o.sequence.next, o.sequence.stop = iter.Pull2(blocks)
	return o
}

// fetch returns n elements from first on. first starts a chunk, and each chunk is fetched once. The
// bytes are in buf or in memory of their own.
func (s *sequence) fetch(buf []byte, first, n int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	// The sequence can only be read in order. Chunks before the wanted one belong to other workers,
	// so they are kept until those ask.
	for s.at < first {
		b := AlignedBytes(ChunkElems * s.size)
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
		return nil, fmt.Errorf("BUG: pieces: chunk at element %d of a sequence fetched twice", first)
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
