package fsx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
)

// copyWorkers copy from a source that can be read at any offset. Two keep the disk and both directions of the copy
// busy; more only add memory.
const copyWorkers = 2

// ReadFrom writes the n bytes that src has left. (It is not io.ReaderFrom, which knows no length and no context.) A source with fewer is an io.ErrUnexpectedEOF, one with more an
// [ErrSourceLong], so a reader that may block for ever must be bounded by its caller, as by io.LimitReader.
//
// A source that can seek and read at offsets, as an *os.File, an io.SectionReader or a bytes.Reader, is read as by
// [StreamWriter.CopyAt] and left at its end. Others are read from the calling goroutine. ctx is checked before each
// chunk.
func (w *StreamWriter) ReadFrom(ctx context.Context, src io.Reader, n int64) error {
	at, isReaderAt := src.(io.ReaderAt)
	seeker, isSeeker := src.(io.Seeker)
	if isReaderAt && isSeeker {
		if off, err := seeker.Seek(0, io.SeekCurrent); err == nil { // fails for a pipe, which is no ReaderAt either
			if err := w.CopyAt(ctx, at, off, n); err != nil {
				return err
			}
			_, err := seeker.Seek(off+n, io.SeekStart)
			return err
		}
	}
	if n < 0 {
		return fmt.Errorf("copy %d bytes: want 0 or more", n)
	}
	return w.newCopy(n).fromReader(ctx, src)
}

// CopyAt writes the n bytes of src from off to its end, in chunks that two goroutines read and write side by side.
// Lengths are checked as in [StreamWriter.ReadFrom]. src must allow ReadAt from two goroutines, as io.ReaderAt asks.
func (w *StreamWriter) CopyAt(ctx context.Context, src io.ReaderAt, off, n int64) error {
	if off < 0 || n < 0 || off+n < off {
		return fmt.Errorf("copy %d bytes from offset %d: want 0 or more and a sum below 2^63", n, off)
	}
	return w.newCopy(n).fromReaderAt(ctx, src, off)
}

// copying is one copy of a StreamWriter.
type copying struct {
	*StreamWriter
	start int64 // of the copy in the file
	want  int64
	mu    struct {
		sync.Mutex
		next int64 // where the next chunk starts in the file
		done int64
	}
}

func (w *StreamWriter) newCopy(n int64) *copying {
	c := &copying{StreamWriter: w, want: n, start: w.Offset()}
	c.mu.next = c.start
	return c
}

func (c *copying) fromReader(ctx context.Context, src io.Reader) error {
	if err := c.Flush(); err != nil {
		return err
	}
	var buf []byte
	for {
		s, ok := c.nextChunk()
		if !ok {
			break
		}
		if err := ctx.Err(); err != nil {
			return c.fail(context.Cause(ctx))
		}
		buf = sized(buf, s.n)
		if n, err := io.ReadFull(src, buf); err != nil {
			return c.fail(c.readError(err, s.off-c.start+int64(n)))
		}
		if err := c.put(buf); err != nil {
			return err
		}
		c.progress(s.n)
	}
	_, err := io.ReadFull(src, make([]byte, 1))
	return c.checkEnd(err)
}

func (c *copying) fromReaderAt(ctx context.Context, src io.ReaderAt, off int64) error {
	if err := c.Flush(); err != nil {
		return err
	}
	source := newSource(src)
	source.adviseSequential()
	workers, ctx := errgroup.WithContext(ctx)
	for range copyWorkers {
		workers.Go(func() error { return c.work(ctx, source, off-c.start) })
	}
	if err := workers.Wait(); err != nil {
		return c.fail(err)
	}
	c.pos += c.want
	n, err := src.ReadAt(make([]byte, 1), off+c.want)
	if n == 1 {
		err = nil
	}
	return c.checkEnd(err)
}

// work copies chunks until none is left. shift is the way from an offset in the file to that in the source.
func (c *copying) work(ctx context.Context, src *source, shift int64) error {
	var buf []byte
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s, ok := c.nextChunk()
		if !ok {
			return nil
		}
		buf = sized(buf, s.n)
		if n, err := src.ReadAt(buf, s.off+shift); n < len(buf) {
			return c.readError(err, s.off-c.start+int64(n))
		}
		if err := c.WriteChunk(buf, s.off); err != nil {
			return err
		}
		if c.opts.DropSource {
			src.drop(s.off+shift, s.n)
		}
		c.progress(s.n)
	}
}

// nextChunk takes the next chunk of the file that is still to be copied.
func (c *copying) nextChunk() (s span, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.off = c.mu.next
	c.mu.next = min(c.chunkEnd(s.off), c.start+c.want)
	s.n = c.mu.next - s.off
	return s, s.n > 0
}

func (c *copying) progress(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.done += n
	if c.opts.Progress != nil {
		c.opts.Progress(c.mu.done)
	}
}

// readError words the failure to read past the first got bytes of the source.
func (c *copying) readError(err error, got int64) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the source ends after %d of %d bytes: %w", got, c.want, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("read the source after %d of %d bytes: %w", got, c.want, err)
}

// checkEnd is given the error of reading one byte more than wanted.
func (c *copying) checkEnd(err error) error {
	switch {
	case err == nil:
		return c.fail(fmt.Errorf("%w: it has more than %d bytes", ErrSourceLong, c.want))
	case errors.Is(err, io.EOF):
		return nil
	}
	return c.fail(c.readError(err, c.want))
}

// sized returns a buffer of n bytes, buf if it is large enough.
func sized(buf []byte, n int64) []byte {
	if int64(cap(buf)) < n {
		return make([]byte, n)
	}
	return buf[:n]
}
