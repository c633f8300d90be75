package payload

import (
	"fmt"
	"io"

	"github.com/tstore/tstore/dtype"
)

// Stream reads n bytes of elements of type t from r, on which they come next. A stream that ends
// before is an error that is io.ErrUnexpectedEOF; with strict, one that goes on behind them is an
// error, too.
func Stream(r io.Reader, n int64, t dtype.Type, swapped, strict bool) io.Reader {
	exact := &exactReader{r: r, size: n, left: n, strict: strict}
	if !swapped {
		return exact
	}
	return &swapReader{r: exact, typ: t, buf: make([]byte, swapBytes)}
}

// short returns the error for elements that end after got of want bytes.
func short(want, got int64) error {
	return fmt.Errorf("expected %d bytes of elements, found %d: %w", want, got, io.ErrUnexpectedEOF)
}

// TrailingError returns the error for n bytes behind the elements; with atLeast there may be more.
func TrailingError(n int64, atLeast bool) error {
	more := ""
	if atLeast {
		more = "at least "
	}
	return fmt.Errorf("found %s%d bytes behind the elements: cut them off, or leave them out with --allow-trailing (Options.AllowTrailing)", more, n)
}

// An exactReader ends after size bytes.
type exactReader struct {
	r      io.Reader
	size   int64
	left   int64
	strict bool
}

// Read implements io.Reader.
func (e *exactReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if e.left == 0 {
		return 0, e.end()
	}

	// Never read beyond the payload: another array may follow.
	if int64(len(p)) > e.left {
		p = p[:e.left]
	}

	n, err := e.r.Read(p)
	e.left -= int64(n)
	if err == io.EOF {
		err = nil
		if e.left > 0 {
			err = short(e.size, e.size-e.left)
		}
	}

	return n, err
}

// end is io.EOF, unless more bytes follow and must not.
func (e *exactReader) end() error {
	if !e.strict {
		return io.EOF
	}
	// One read is enough: a stream may be endless, or slow.
	more := make([]byte, trailingBytes)
	switch n, err := io.ReadAtLeast(e.r, more, 1); {
	case n > 0:
		return TrailingError(int64(n), true)
	case err != io.EOF:
		return err
	}
	e.strict = false
	return io.EOF
}

// trailingBytes bounds how many bytes behind the elements of a stream are counted.
const trailingBytes = 4 << 10

// swapBytes is how much is swapped at once, a whole number of elements of any type.
const swapBytes = 64 << 10

// A swapReader turns big-endian elements into little-endian ones.
type swapReader struct {
	r    io.Reader
	typ  dtype.Type
	buf  []byte
	have []byte // the part of buf that is swapped and not yet read
	err  error  // what follows it
}

// Read implements io.Reader.
func (s *swapReader) Read(p []byte) (int, error) {
	if len(s.have) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.refill()
	}
	n := copy(p, s.have)
	s.have = s.have[n:]
	if len(s.have) == 0 {
		return n, s.err
	}
	return n, nil
}

func (s *swapReader) refill() {
	n, err := io.ReadFull(s.r, s.buf)
	if err == io.ErrUnexpectedEOF { // the last buffer; too short a stream has an error of its own text
		err = io.EOF
	}
	s.have, s.err = s.buf[:n], err
	dtype.SwapBytes(s.have, s.typ)
}
