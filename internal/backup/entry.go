package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// readEntry gives fn one file, and sums it. file, if not nil, is the file that in reads.
func (a *archive) readEntry(ctx context.Context, f *manifest.File, in io.Reader, file *os.File, fn func(*manifest.File, []byte, *entryReader) error) (sums []string, head uint32, err error) {
	header := make([]byte, f.Header)
	if _, err := io.ReadFull(in, header); err != nil {
		return nil, 0, cutEntry(err)
	}

	if f.Header > 0 {
		head = storefile.HeaderSum(header)
	}

	if a.buf == nil {
		a.buf = make([]byte, manifest.ChunkBytes)
	}

	payload := &entryReader{ctx: ctx, in: in, at: f.From, buf: a.buf}
	end, err := payload.seek(file)
	if err != nil {
		return nil, 0, err
	}

	if err := fn(f, header, payload); err != nil {
		return nil, 0, err
	}

	// What fn has left is read here: the sums are of all pieces.
	if err := payload.upTo(f.Size, func(backupPiece) error { return nil }); err != nil {
		return nil, 0, err
	}
	return payload.sums.Sums(), head, end()
}

func cutEntry(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends in the middle", store.ErrTruncated)
	}
	return err
}

// entryReader reads a payload from its beginning to its end, and sums it.
type entryReader struct {
	ctx  context.Context
	in   io.Reader
	at   int64 // in the payload
	sums manifest.Summer
	buf  []byte
	// file, if set, has the payload from start on. Its data is read and its holes are skipped.
	file  *os.File
	start int64
	holes *fsx.Holes
}

// seek makes the reader skip the holes of a file, if file can be positioned; it stands where the
// reader does. end positions it behind what was read.
func (r *entryReader) seek(file *os.File) (end func() error, err error) {
	end = func() error { return nil }
	if file == nil {
		return end, nil
	}
	pos, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return end, nil // a pipe
	}
	fi, err := file.Stat()
	if err != nil {
		return end, err
	}
	r.file, r.start, r.holes = file, pos-r.at, fsx.HolesOf(file, fi.Size())
	return func() error { _, err := file.Seek(pos, io.SeekStart); return err }, nil
}

// upTo calls fn with the pieces before end, in order.
func (r *entryReader) upTo(end int64, fn func(backupPiece) error) error {
	for r.at < end {
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		p, err := r.next(end)
		if err != nil {
			return err
		}
		r.at += p.len()
		p.sum(&r.sums)
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

func (r *entryReader) next(end int64) (p backupPiece, err error) {
	p.off = r.at
	// A stream has no holes to skip.
	if r.file == nil {
		p.b = r.buf[:min(end-r.at, int64(len(r.buf)))]
		_, err = io.ReadFull(r.in, p.b)
		return p, cutEntry(err)
	}

	n, zeros := nextBackupPiece(r.holes, r.start, r.at, end)
	if zeros {
		p.zeros = n
		return p, nil
	}

	p.b = r.buf[:n]
	if got, err := r.file.ReadAt(p.b, r.start+r.at); got < len(p.b) {
		return p, cutEntry(err)
	}
	return p, nil
}
