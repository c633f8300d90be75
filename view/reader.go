package view

import (
	"fmt"
	"io"
)

// bufferBytes is the largest number of bytes gathered at once. They are still in the second-level
// cache when they are used.
const bufferBytes = 512 << 10

// A Reader streams the bytes of a tensor's elements in C order, whatever the layout: Size bytes in
// native little-endian form, with memory for one buffer. It is an io.Reader, io.WriterTo and
// io.ReaderAt; io.NewSectionReader makes it seekable.
//
// Bytes are copied out of the storage before anybody else sees them, so a mapped file that fails is
// an error of the read and not a fault elsewhere. ReadAt may be called from several goroutines at
// once, the other methods move the position and may not.
type Reader struct {
	own *owner
	seq sequence
	off int64
}

// Reader returns a Reader at the first element of t. It borrows from t.
func (t *Tensor) Reader() *Reader {
	return &Reader{own: t.own, seq: newSequence(t.layout, t.dt.Size())}
}

// Size returns the number of bytes from the first to the last element.
func (r *Reader) Size() int64 { return int64(r.seq.n) * int64(r.seq.size) }

// Read reads the next bytes into p; at the end it is io.EOF.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := r.ReadAt(p, r.off)
	r.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// ReadAt reads the bytes from byte off of the stream on. Fewer than len(p) bytes come with an
// error, which is io.EOF at the end.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read at the negative offset %d", off)
	}

	left := r.Size() - off
	if left <= 0 {
		return 0, io.EOF
	}

	var atEnd error
	if left < int64(len(p)) {
		p, atEnd = p[:left], io.EOF
	}

	// A step at a time, so that no guard is held long.
	done := 0
	for done < len(p) {
		piece := p[done:min(len(p), done+moveStep)]
		if err := r.own.read(&r.seq, piece, off+int64(done)); err != nil {
			return done, fmt.Errorf("read tensor: %w", err)
		}
		done += len(piece)
	}

	return done, atEnd
}

// WriteTo writes the bytes from the position to the end to w.
func (r *Reader) WriteTo(w io.Writer) (int64, error) {
	buf := make([]byte, min(bufferBytes, max(0, r.Size()-r.off)))
	written := int64(0)
	for r.off < r.Size() {
		n, err := r.Read(buf)
		if err != nil {
			return written, err
		}
		n, err = w.Write(buf[:n])
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}
