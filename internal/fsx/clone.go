package fsx

import (
	"context"
	"errors"
	"fmt"
)

// Clone makes dst, a new and empty file, a copy of the first n bytes of src, by the first of these
// ways that works, which it names:
//
//   - "reflink": dst shares the bytes of src until either is written to (FICLONE: xfs, btrfs);
//   - "copy_file_range": copied inside the kernel, which may share them too;
//   - "copy": read and written.
//
// Holes stay holes in all of them, and space that was only reserved may become one. So never store
// to a clone through a mapping: a store into shared bytes or into a hole kills where the disk is
// full. Write with WriteAt.
//
// src must have n bytes or more and must not change meanwhile; its position moves. ctx is checked
// every 8 MiB. After an error dst holds anything. The clone is not durable until dst.Sync.
func Clone(ctx context.Context, dst, src File, n int64) (how string, err error) {
	if err := checkClone(dst, src, n); err != nil {
		return "", fmt.Errorf("clone %q: %w", src.Name(), err)
	}
	how, err = clone(ctx, dst, src, n)
	if err != nil {
		return how, fmt.Errorf("clone %q to %q (%s): %w", src.Name(), dst.Name(), how, err)
	}
	return how, nil
}

func checkClone(dst, src File, n int64) error {
	from, err := src.Stat()
	if err != nil {
		return err
	}
	to, err := dst.Stat()
	if err != nil {
		return err
	}

	if from.Size() < n {
		return fmt.Errorf("it has %d bytes, expected at least %d", from.Size(), n)
	}
	if to.Size() != 0 {
		return fmt.Errorf("the copy %q must be empty and has %d bytes", dst.Name(), to.Size())
	}
	return nil
}

func clone(ctx context.Context, dst, src File, n int64) (how string, err error) {
	if err := ctx.Err(); err != nil {
		return "reflink", context.Cause(ctx)
	}

	err = dst.CloneFrom(src)
	if err != nil && !errors.Is(err, ErrCloneUnsupported) {
		return "reflink", err
	}

	// A reflink shares the whole file: cut it to n bytes. Without one, this makes a hole of n
	// bytes, which the copies below fill.
	if cut := dst.Truncate(n); cut != nil || err == nil {
		return "reflink", cut
	}

	c := cloning{dst: dst, src: src, pacer: pacer{file: dst}}
	err = dataSpans(src, n, func(s span) error { return c.copySpan(ctx, s) })
	return c.how(), err
}

// cloning is one clone that copies.
type cloning struct {
	dst, src File
	pacer    pacer
	unpaced  int64  // where the bytes start that the pacer has not been told of
	buf      []byte // not nil once the kernel has turned out not to copy
}

func (c *cloning) how() string {
	if c.buf != nil {
		return "copy"
	}
	return "copy_file_range"
}

func (c *cloning) copySpan(ctx context.Context, s span) error {
	for s.n > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}

		copied, err := c.copyPiece(s)
		if err != nil {
			return err
		}
		s.off, s.n = s.off+copied, s.n-copied
		if err := c.pace(s.off); err != nil {
			return err
		}
	}
	return nil
}

// copyPiece copies some bytes from the start of s.
func (c *cloning) copyPiece(s span) (int64, error) {
	if c.buf == nil {
		copied, err := c.dst.CopyFrom(s.off, c.src, s.off, min(s.n, DefaultChunkBytes))
		if copied > 0 || err != nil && !errors.Is(err, ErrCloneUnsupported) {
			return copied, err
		}
		c.buf = make([]byte, pieceBytes) // some file systems say 0 instead of failing
	}
	piece := c.buf[:min(s.n, pieceBytes)]
	if n, err := c.src.ReadAt(piece, s.off); n < len(piece) {
		return 0, fmt.Errorf("read after %d bytes: %w", s.off+int64(n), err)
	}
	n, err := c.dst.WriteAt(piece, s.off)
	return int64(n), err
}

// pace tells the pacer of the bytes before end, once they are enough. Holes among them do no harm.
func (c *cloning) pace(end int64) error {
	if end-c.unpaced < DefaultChunkBytes {
		return nil
	}
	s := span{c.unpaced, end - c.unpaced}
	c.unpaced = end
	return c.pacer.wrote(s)
}
