package blockscan

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/mmapstore"
)

const (
	// scanWorkers read side by side: one computes while the other waits.
	scanWorkers = 2
	// scanPiece is read at a time: many blocks, and little enough to stay in a core's cache until
	// they are summed.
	scanPiece = 16 * blocksum.BlockBytes
	// scanChunk is what a worker reads before the other's next: large enough for the disk to be
	// read in order.
	scanChunk = 8 << 20
	// folioBytes bounds the pages that the page cache keeps and drops as one.
	folioBytes = 2 << 20
)

// Scan reads a part of a payload block by block, in any order.
type Scan struct {
	File fsx.File
	// Base is where the payload begins in the file.
	Base int64
	// Lo and hi bound the part: lo is the start of a block, hi the end of one or of the payload.
	Lo, Hi int64
	// Cold reads from the disk, not from the page cache, and leaves nothing in the page cache.
	Cold bool
	Rate *Rate
	// Each is given whole blocks that lie at off of the payload. bad is given a block that can't be
	// read. Both run in several goroutines at once.
	Each func(p []byte, off int64)
	Bad  func(off, n int64, err error)
	// Progress, if set, is called with the bytes done. Calls do not overlap.
	Progress func(n int64)

	mu struct {
		sync.Mutex
		next int64
	}
}

// Run reads everything, until ctx ends.
func (sc *Scan) Run(ctx context.Context) error {
	if sc.Cold {
		sc.File.DropCache(sc.Base+sc.Lo, sc.Hi-sc.Lo)
	}
	sc.mu.next = sc.Lo
	workers, ctx := errgroup.WithContext(ctx)
	for range scanWorkers {
		workers.Go(func() error { return sc.work(ctx) })
	}
	return workers.Wait()
}

func (sc *Scan) work(ctx context.Context) error {
	buf := make([]byte, min(scanPiece, sc.Hi-sc.Lo))
	for {
		off, n := sc.nextChunk()
		if n == 0 {
			return nil
		}

		for at := off; at < off+n; at += scanPiece {
			p := buf[:min(scanPiece, off+n-at)]
			if err := sc.Rate.wait(ctx, int64(len(p))); err != nil {
				return err
			}
			sc.read(p, at)
			sc.done(int64(len(p)))
		}

		if sc.Cold {
			// The last pages of the chunk before may be one with the first of this one.
			start := max(sc.Base+off-folioBytes, 0)
			sc.File.DropCache(start, sc.Base+off+n-start)
		}
	}
}

// nextChunk takes the next part that is still to be read; none when n is 0.
func (sc *Scan) nextChunk() (off, n int64) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	off = sc.mu.next
	n = min(scanChunk-off%scanChunk, sc.Hi-off)
	sc.mu.next += n
	return off, n
}

// read reads whole blocks, one by one if some of them can't be read.
func (sc *Scan) read(p []byte, off int64) {
	if err := sc.readFull(p, off); err == nil {
		sc.Each(p, off)
		return
	}
	for len(p) > 0 {
		block := p[:min(blocksum.BlockBytes, len(p))]
		if err := sc.readFull(block, off); err != nil {
			sc.Bad(off, int64(len(block)), err)
		} else {
			sc.Each(block, off)
		}
		p, off = p[len(block):], off+int64(len(block))
	}
}

// readFull fills p. It returns ErrTruncated at the end of the file.
func (sc *Scan) readFull(p []byte, off int64) error {
	n, err := sc.File.ReadAt(p, sc.Base+off)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return mmapstore.ErrTruncated
	}
	return err
}

func (sc *Scan) done(n int64) {
	if sc.Progress == nil {
		return
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	sc.Progress(n)
}

// Rate bounds the bytes that are read a second. A nil rate does not.
type Rate struct {
	perSecond int64
	mu        struct {
		sync.Mutex
		next time.Time // when the next bytes may be read
	}
}

// NewRate returns nil for no bound.
func NewRate(perSecond int64) *Rate {
	if perSecond <= 0 {
		return nil
	}
	return &Rate{perSecond: perSecond}
}

// wait returns when n more bytes may be read. A pause does not earn credit for later.
func (r *Rate) wait(ctx context.Context, n int64) error {
	if r == nil {
		return ctx.Err()
	}

	// Reserve the time under the lock, and sleep outside of it: other readers queue behind this
	// one.
	r.mu.Lock()
	start := r.mu.next
	if now := time.Now(); start.Before(now) {
		start = now
	}
	r.mu.next = start.Add(time.Duration(float64(n) / float64(r.perSecond) * float64(time.Second)))
	r.mu.Unlock()

	d := time.Until(start)
	if d <= 0 {
		return ctx.Err()
	}

	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
