package raw

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/interchange/internal/payload"
)

// Rows reads a stream of bare elements to its end, whole rows at a time. It is not safe for
// concurrent use.
type Rows struct {
	opts Options
	spec tstore.Spec // of one row, with the first axis
	row  int64       // bytes of a row
	r    *bufio.Reader
	last io.Reader // the row of the last Source, if it is not in memory
}

// rowsInMemory is how many bytes of rows one Source has, if a row is not longer.
const rowsInMemory = 1 << 20

// NewRows reads rows from a stream, from its present position plus o.Offset on. The first axis of
// o.Shape is not looked at; a nil Shape is one axis. The elements are in C order.
func NewRows(r io.Reader, o Options) (*Rows, error) {
	rows, err := newRows(r, o)
	if err != nil {
		return nil, fmt.Errorf("read raw stream: %w", err)
	}
	return rows, nil
}

func newRows(r io.Reader, o Options) (*Rows, error) {
	shape := slices.Clone(o.Shape)
	if o.Shape == nil {
		shape = []int{1}
	}
	if len(shape) == 0 {
		return nil, errors.New("shape (): expected a first axis, along which rows follow one another")
	}
	if o.Order == tstore.ColumnMajor && len(shape) > 1 {
		return nil, errors.New("column-major elements of a stream need a shape without -1")
	}
	shape[0] = 1

	sp, row, err := Options{DType: o.DType, Shape: shape, Offset: o.Offset}.spec(unknownSize)
	if err == nil && row == 0 {
		err = fmt.Errorf("shape %v: a row has no elements", shape)
	}
	if err != nil {
		return nil, err
	}
	if n, err := io.CopyN(io.Discard, r, o.Offset); err != nil {
		return nil, fmt.Errorf("skip %d bytes: found %d: %w", o.Offset, n, err)
	}
	return &Rows{opts: o, spec: sp, row: row, r: bufio.NewReader(r)}, nil
}

// Spec describes the rows: their dtype, and their shape with a first axis of 0.
func (s *Rows) Spec() tstore.Spec {
	sp := s.spec
	sp.Shape = slices.Clone(sp.Shape)
	sp.Shape[0] = 0
	return sp
}

// Next returns the next rows, as many as 1 MiB holds but at least one, or io.EOF behind the last.
// Bytes behind them that are no whole row are an error without AllowTrailing. It skips what is left
// of the Source before.
func (s *Rows) Next() (tstore.Source, error) { return s.NextRows(max(1, rowsInMemory/s.row)) }

// NextRows is Next of at most limit rows.
func (s *Rows) NextRows(limit int64) (tstore.Source, error) {
	if s.last != nil {
		if _, err := io.Copy(io.Discard, s.last); err != nil {
			return tstore.Source{}, err
		}
		s.last = nil
	}
	if _, err := s.r.Peek(1); err != nil {
		return tstore.Source{}, err // io.EOF: the last row has been read
	}

	// A long row is read when it is asked for.
	src := tstore.Source{Spec: s.spec}
	if s.row > rowsInMemory {
		s.last = payload.Stream(s.r, s.row, s.spec.DType, s.opts.BigEndian, false)
		src.Data = s.last
		return src, nil
	}

	b := make([]byte, s.row*min(limit, rowsInMemory/s.row))
	n, err := io.ReadFull(s.r, b)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return src, err
	}
	got, rest := int64(n)/s.row, int64(n)%s.row
	switch {
	case rest > 0 && !s.opts.AllowTrailing:
		return src, fmt.Errorf("the stream ends with %d bytes that are no whole row of %d: %w", rest, s.row, payload.TrailingError(rest, false))
	case got == 0:
		return src, io.EOF
	}
	src.Shape = slices.Clone(src.Shape)
	src.Shape[0] = int(got)
	src.Data = payload.Stream(bytes.NewReader(b), got*s.row, s.spec.DType, s.opts.BigEndian, false)
	return src, nil
}
