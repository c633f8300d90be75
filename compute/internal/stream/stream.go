package stream

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/tstore/tstore/mmapstore"
)

// An Operand is a storage that chunks read or write.
type Operand struct {
	Storage *mmapstore.Storage

	// Range returns the bytes of the storage that a chunk touches, and those between them. n = 0
	// means none. It is called more than once for a chunk, by one goroutine at a time.
	Range func(chunk int) (off, n int64)

	// Write says that the bytes are stored to; they may be read as well.
	Write bool
}

// Options change how a Stream works. The zero value is the default.
type Options struct {
	// Ahead is the number of windows, of about 8 MiB for the largest operand, that are read before
	// the workers reach them; 0 means 2.
	Ahead int

	// DropBehind writes back and drops what is behind the workers, for passes that exceed the
	// memory. Inputs of up to 256 MiB that are in memory stay there.
	DropBehind bool

	// Workers is the number of goroutines that take the chunks. Each takes one at a time, and
	// together they take all of them in order. No worker gets a window far beyond the first
	// unfinished one, so that memory is bounded if one of them is held up. After a failed chunk,
	// call Close. 0 means that chunks may be taken in any order.
	Workers int
}

// A Stream prepares the operands of chunks in the order of their numbers. Its methods may be called
// from several goroutines.
type Stream struct {
	perWindow int
	left      []atomic.Int32 // chunks of each window that are not done
	prepared  atomic.Int64   // windows
	wanted    atomic.Int64   // windows that somebody waits for

	wake    chan struct{} // holds one: something has changed for the helper
	closing chan struct{}
	ended   chan struct{} // closed when the helper has ended; nil if there is none

	mu struct {
		sync.Mutex
		err    error
		closed bool
	}
	changed *sync.Cond // of prepared and mu: for those who wait
}

// Start begins to prepare the first of numChunks chunks, and returns at once. nil options are the
// defaults. If ctx ends, workers stop waiting. The stream must be closed.
func Start(ctx context.Context, operands []Operand, numChunks int, o *Options) *Stream {
	var options Options
	if o != nil {
		options = *o
	}
	if options.Ahead <= 0 {
		options.Ahead = 2
	}
	tracks := newTracks(operands, options.DropBehind)
	if numChunks <= 0 || len(tracks) == 0 {
		return &Stream{}
	}
	w := newWindows(tracks, numChunks)
	return startHelper(ctx, &tracked{tracks: tracks, windows: w}, w, options)
}

// Wait returns when the operands of a chunk are prepared. It returns a *mmapstore.FaultError if
// reading them failed, an error of writing back finished chunks, or the error of the context.
func (s *Stream) Wait(chunk int) error {
	if s.ended == nil {
		return nil
	}
	window := int64(chunk / s.perWindow)
	if window < s.prepared.Load() {
		return nil
	}
	s.want(window + 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	for window >= s.prepared.Load() && s.mu.err == nil && !s.mu.closed {
		s.changed.Wait()
	}
	return s.mu.err
}

// want raises the number of windows that are wanted, and wakes the helper.
func (s *Stream) want(windows int64) {
	for old := s.wanted.Load(); old < windows; old = s.wanted.Load() {
		if s.wanted.CompareAndSwap(old, windows) {
			break
		}
	}
	s.notify()
}

// notify wakes the helper. If the helper is busy, its next wait ends at once.
func (s *Stream) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Done says that the work on a chunk is over. It is called once for each chunk.
func (s *Stream) Done(chunk int) {
	if s.ended == nil {
		return
	}
	if s.left[chunk/s.perWindow].Add(-1) == 0 {
		s.notify()
	}
}

// Close ends the stream and its goroutine. If all chunks are done, it first writes back and drops
// the rest. It returns the first error. Chunks that are waited for during or after Close count as
// prepared. A second Close returns the same error.
func (s *Stream) Close() error {
	if s.ended == nil {
		return nil
	}
	s.mu.Lock()
	if !s.mu.closed {
		s.mu.closed = true
		close(s.closing)
	}
	s.mu.Unlock()
	<-s.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.err
}
