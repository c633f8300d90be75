package tstore

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
)

const (
	// scanWorkers read side by side: one computes while the other waits.
	scanWorkers = 2
	// scanPiece is read at a time: many blocks, and little enough to stay in a
	// core's cache until they are summed.
	scanPiece = 16 * blocksum.BlockBytes
	// scanChunk is what a worker reads before the other's next: large enough
	// for the disk to be read in order.
	scanChunk = 8 << 20
	// folioBytes bounds the pages that the page cache keeps and drops as one.
	folioBytes = 2 << 20
)

// scan reads a part of a payload block by block, in any order.
type scan struct {
	file fsx.File
	// base is where the payload begins in the file.
	base int64
	// lo and hi bound the part: lo is the start of a block, hi the end of one
	// or of the payload.
	lo, hi int64
	// cold reads from the disk, not from the page cache, and leaves nothing in
	// the page cache.
	cold bool
	rate *rate
	// each is given whole blocks that lie at off of the payload. bad is given
	// a block that can't be read. Both run in several goroutines at once.
	each func(p []byte, off int64)
	bad  func(off, n int64, err error)
	// progress, when set, is called with the bytes done. Calls do not overlap.
	progress func(n int64)

	mu struct {
		sync.Mutex
		next int64
	}
}

// run reads everything, until ctx ends.
func (sc *scan) run(ctx context.Context) error {
	if sc.cold {
		sc.file.DropCache(sc.base+sc.lo, sc.hi-sc.lo)
	}
	sc.mu.next = sc.lo
	workers, ctx := errgroup.WithContext(ctx)
	for range scanWorkers {
		workers.Go(func() error { return sc.work(ctx) })
	}
	return workers.Wait()
}

func (sc *scan) work(ctx context.Context) error {
	buf := make([]byte, min(scanPiece, sc.hi-sc.lo))
	for {
		off, n := sc.nextChunk()
		if n == 0 {
			return nil
		}
		for at := off; at < off+n; at += scanPiece {
			p := buf[:min(scanPiece, off+n-at)]
			if err := sc.rate.wait(ctx, int64(len(p))); err != nil {
				return err
			}
			sc.read(p, at)
			sc.done(int64(len(p)))
		}
		if sc.cold {
			// The last pages of the chunk before may be one with the first of this one.
			start := max(sc.base+off-folioBytes, 0)
			sc.file.DropCache(start, sc.base+off+n-start)
		}
	}
}

// nextChunk takes the next part that is still to be read; none when n is 0.
func (sc *scan) nextChunk() (off, n int64) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	off = sc.mu.next
	n = min(scanChunk-off%scanChunk, sc.hi-off)
	sc.mu.next += n
	return off, n
}

// read reads whole blocks, one by one if some of them can't be read.
func (sc *scan) read(p []byte, off int64) {
	if err := sc.readFull(p, off); err == nil {
		sc.each(p, off)
		return
	}
	for len(p) > 0 {
		block := p[:min(blocksum.BlockBytes, len(p))]
		if err := sc.readFull(block, off); err != nil {
			sc.bad(off, int64(len(block)), err)
		} else {
			sc.each(block, off)
		}
		p, off = p[len(block):], off+int64(len(block))
	}
}

// readFull fills p. The end of the file is ErrTruncated.
func (sc *scan) readFull(p []byte, off int64) error {
	n, err := sc.file.ReadAt(p, sc.base+off)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return ErrTruncated
	}
	return err
}

func (sc *scan) done(n int64) {
	if sc.progress == nil {
		return
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.progress(n)
}

// rate bounds the bytes that are read a second. A nil rate does not.
type rate struct {
	perSecond int64
	mu        struct {
		sync.Mutex
		next time.Time // when the next bytes may be read
	}
}

// newRate returns nil for no bound.
func newRate(perSecond int64) *rate {
	if perSecond <= 0 {
		return nil
	}
	return &rate{perSecond: perSecond}
}

// wait returns when n bytes more may be read. What was not read in time is not
// made up for.
func (r *rate) wait(ctx context.Context, n int64) error {
	if r == nil {
		return ctx.Err()
	}
	r.mu.Lock()
	start := r.mu.next
	if now := time.Now(); start.Before(now) {
		start = now
	}
	r.mu.next = start.Add(time.Duration(float64(n) / float64(r.perSecond) * float64(time.Second)))
	r.mu.Unlock()
	if d := time.Until(start); d > 0 {
		return engine.Pause(ctx, d)
	}
	return ctx.Err()
}
