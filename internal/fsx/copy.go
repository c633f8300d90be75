package fsx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"
)

// copyWorkers copy from a source that can be read at any offset. Two keep a fast disk busy.
const copyWorkers = 2

// pieceBytes is what a worker reads and writes at a time: little enough to stay in a core's cache
// in between. (copy_file_range would save the detour and is not faster, but on xfs and btrfs it
// makes the new file share the bytes of its source, and give up its reserved space.)
const pieceBytes = 1 << 20

// ReadFrom writes the n bytes that src has left. A source with fewer is an io.ErrUnexpectedEOF, one
// with more an [ErrSourceLong], so a reader that may block for ever must be bounded by its caller.
// ctx is checked before each chunk. (This is not io.ReaderFrom, which knows no length and no
// context.)
//
// A source that can seek and read at offsets, as an *os.File, an io.SectionReader or a
// bytes.Reader, is read as by [StreamWriter.CopyAt] and left at its end. Others are read in order,
// by the calling goroutine.
func (w *StreamWriter) ReadFrom(ctx context.Context, src io.Reader, n int64) error {
	at, isReaderAt := src.(io.ReaderAt)
	seeker, isSeeker := src.(io.Seeker)

	// Read at offsets where the source can: several chunks are then read at a time.
	if isReaderAt && isSeeker {
		if off, err := seeker.Seek(0, io.SeekCurrent); err == nil { // fails for a pipe, which is no ReaderAt either
			if err := w.CopyAt(ctx, at, off, n); err != nil {
				return err
			}
			_, err := seeker.Seek(off+n, io.SeekStart)
			return err
		}
	}

	c, err := w.newCopy(n)
	if err != nil {
		return err
	}

	source := sequential{src}
	return c.finish(source, c.work(ctx, source))
}

// CopyAt writes the n bytes of src from off to its end, in chunks that two goroutines read and
// write side by side. Lengths are checked as in [StreamWriter.ReadFrom]. src must allow ReadAt from
// two goroutines, as io.ReaderAt asks.
func (w *StreamWriter) CopyAt(ctx context.Context, src io.ReaderAt, off, n int64) error {
	if off < 0 || off > math.MaxInt64-max(n, 0) {
		return fmt.Errorf("copy %d bytes from offset %d: want 0 or more and a sum below 2^63", n, off)
	}
	c, err := w.newCopy(n)
	if err != nil {
		return err
	}
	source := newRandomAccess(src, off, w.opts.DropSource)
	workers, ctx := errgroup.WithContext(ctx)
	for range copyWorkers {
		workers.Go(func() error { return c.work(ctx, source) })
	}
	return c.finish(source, workers.Wait())
}

// copying is one copy of a StreamWriter.
type copying struct {
	*StreamWriter
	start int64 // of the copy in the file
	want  int64
	state struct {
		sync.Mutex
		next int64 // where the next chunk starts in the file
		done int64
	}
}

// copySource fills p from offset off of the copy, and is told of each span that is copied.
type copySource interface {
	readFull(p []byte, off int64) (int, error)
	copied(s span)
}

func (w *StreamWriter) newCopy(n int64) (*copying, error) {
	if n < 0 {
		return nil, fmt.Errorf("copy %d bytes: want 0 or more", n)
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	c := &copying{StreamWriter: w, want: n, start: w.pos}
	c.state.next = c.start
	return c, nil
}

// finish is given the outcome of all work and checks that the source ends there.
func (c *copying) finish(src copySource, err error) error {
	if err != nil {
		return c.fail(err)
	}
	c.pos += c.want
	return c.fail(c.checkEnd(src))
}

// work copies chunks until none is left.
func (c *copying) work(ctx context.Context, src copySource) error {
	buf := make([]byte, min(pieceBytes, c.want))
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s, ok := c.nextChunk()
		if !ok {
			return nil
		}
		if err := c.copyChunk(src, s, buf); err != nil {
			return err
		}
		src.copied(span{s.off - c.start, s.n})
		c.progress(s.n)
	}
}

// nextChunk takes the next chunk of the file that is still to be copied.
func (c *copying) nextChunk() (s span, ok bool) {
	c.state.Lock()
	defer c.state.Unlock()
	s.off = c.state.next
	c.state.next = min(c.chunkEnd(s.off), c.start+c.want)
	s.n = c.state.next - s.off
	return s, s.n > 0
}

// copyChunk copies s through buf.
func (c *copying) copyChunk(src copySource, s span, buf []byte) error {
	for off, left := s.off, s.n; left > 0; {
		piece := buf[:min(left, int64(len(buf)))]
		if n, err := src.readFull(piece, off-c.start); err != nil {
			return c.readError(err, off-c.start+int64(n))
		}
		if err := c.writeAt(piece, off); err != nil {
			return err
		}
		off, left = off+int64(len(piece)), left-int64(len(piece))
	}
	return c.paced(s)
}

func (c *copying) progress(n int64) {
	c.state.Lock()
	defer c.state.Unlock()
	c.state.done += n
	if c.opts.Progress != nil {
		c.opts.Progress(c.state.done)
	}
}

// checkEnd tries to read one byte more than wanted, which must fail at the end of the source.
func (c *copying) checkEnd(src copySource) error {
	switch _, err := src.readFull(make([]byte, 1), c.want); err {
	case nil:
		return fmt.Errorf("%w: it has more than %d bytes", ErrSourceLong, c.want)
	case io.EOF:
		return nil
	default:
		return c.readError(err, c.want)
	}
}

// readError words the failure to read past the first got bytes of the source.
func (c *copying) readError(err error, got int64) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the source ends after %d of %d bytes: %w", got, c.want, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("read the source after %d of %d bytes: %w", got, c.want, err)
}
