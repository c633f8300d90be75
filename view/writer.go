package view

import (
	"errors"
	"fmt"
	"io"
)

// errFull says that more was written than the tensor holds.
var errFull = errors.New("more bytes than the tensor holds")

// A Writer fills a tensor with bytes of elements in C order, the reverse of Reader: Size bytes in
// native little-endian form. It is an io.Writer, io.ReaderFrom and io.WriterAt. Nothing is held
// back, so it needs no Close; bytes beyond Size are an error.
//
// WriteAt may be called from several goroutines at once for bytes of different elements, the other
// methods move the position and may not.
type Writer struct {
	t   *Tensor
	seq sequence
	off int64
}

// Writer returns a Writer at the first element of t. It borrows from t. The first write fails if
// the tensor cannot be written.
func (t *Tensor) Writer() *Writer {
	return &Writer{t: t, seq: newSequence(t.layout, t.dt.Size())}
}

// Size returns the number of bytes that fill the tensor.
func (w *Writer) Size() int64 { return int64(w.seq.n) * int64(w.seq.size) }

// Remaining returns the number of bytes that are still to be written.
func (w *Writer) Remaining() int64 { return w.Size() - w.off }

// Write writes the next bytes.
func (w *Writer) Write(p []byte) (int, error) {
	n, err := w.WriteAt(p, w.off)
	w.off += int64(n)
	return n, err
}

// WriteAt writes bytes at byte off of the stream.
func (w *Writer) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("write at the negative offset %d", off)
	}
	if err := w.t.checkWritable(); err != nil {
		return 0, err
	}

	var tooMuch error
	if room := max(0, w.Size()-off); room < int64(len(p)) {
		tooMuch = fmt.Errorf("write of %d bytes at offset %d: %w: %d bytes", len(p), off, errFull, w.Size())
		p = p[:room]
	}

	done := 0
	for done < len(p) {
		piece := p[done:min(len(p), done+moveStep)]
		if err := w.t.own.write(&w.seq, piece, off+int64(done)); err != nil {
			return done, fmt.Errorf("write tensor: %w", err)
		}
		done += len(piece)
	}

	return done, tooMuch
}

// ReadFrom writes what r has, up to its end. The tensor may be filled only in part; see Remaining.
func (w *Writer) ReadFrom(r io.Reader) (int64, error) {
	buf := make([]byte, min(bufferBytes, w.Remaining()+1)) // one more, to see data that does not fit

	total := int64(0)
	for {
		n, err := r.Read(buf)

		if n > 0 {
			written, werr := w.Write(buf[:n])
			total += int64(written)
			if werr != nil {
				return total, werr
			}
		}

		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
