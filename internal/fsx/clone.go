package fsx

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Clone makes dst, a new and empty file, a copy of the n bytes of src, by the first of these ways that works, which
// it names:
//
//   - "reflink": dst shares the bytes of src until either is written to (FICLONE: xfs, btrfs);
//   - "copy_file_range": copied inside the kernel, which may share them too;
//   - "copy": read and written.
//
// Holes stay holes in all of them, and space that was only reserved may become one. So never store to a clone
// through a mapping: a store into shared bytes or into a hole kills where the disk is full. Write with WriteAt.
//
// src must have exactly n bytes and must not change meanwhile; its position moves. ctx is checked before each 8 MiB. After an error dst
// holds anything; an empty dst can be tried again. The clone is not durable until dst.Sync.
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
	if from.Size() != n {
		return fmt.Errorf("it has %d bytes, expected %d", from.Size(), n)
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
	if err := dst.CloneFrom(src); !errors.Is(err, ErrCloneUnsupported) {
		return "reflink", err
	}
	if err := dst.Truncate(n); err != nil {
		return "copy", err
	}
	c := cloning{dst: dst, src: src, pacer: pacer{file: dst}}
	err = dataSpans(src, n, func(s span) error { return c.copySpan(ctx, s) })
	return c.how(), err
}

// cloning is one clone that copies.
type cloning struct {
	dst, src File
	pacer    pacer
	through  bool // by pread and pwrite, as the kernel can't
}

func (c *cloning) how() string {
	if c.through {
		return "copy"
	}
	return "copy_file_range"
}

func (c *cloning) copySpan(ctx context.Context, s span) error {
	for s.n > 0 && !c.through {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		copied, err := c.dst.CopyFrom(s.off, c.src, s.off, min(s.n, DefaultChunkBytes))
		if err != nil && !errors.Is(err, ErrCloneUnsupported) {
			return err
		}
		if copied == 0 { // some file systems say so instead of failing
			c.through = true
			break
		}
		if err := c.pacer.wrote(span{s.off, copied}); err != nil {
			return err
		}
		s.off, s.n = s.off+copied, s.n-copied
	}
	if s.n == 0 {
		return nil
	}
	return c.copyThrough(ctx, s)
}

func (c *cloning) copyThrough(ctx context.Context, s span) error {
	w := NewStreamWriter(c.dst, s.off, nil)
	return w.CopyAt(ctx, io.NewSectionReader(c.src, s.off, s.n), 0, s.n)
}
