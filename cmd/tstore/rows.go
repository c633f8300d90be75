package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/interchange/raw"
)

// rowFile is rows to append, of one source or of several.
type rowFile struct {
	io.Closer
	next func() (tstore.Source, error)
	size int64 // bytes to come, 0 if that is not known
}

// once yields one source.
func once(src tstore.Source) func() (tstore.Source, error) {
	done := false
	return func() (tstore.Source, error) {
		if done {
			return tstore.Source{}, io.EOF
		}
		done = true
		return src, nil
	}
}

// rowFiles are the rows of one source after another, each of which is opened when it is its turn.
type rowFiles struct {
	now  rowFile
	open []func() (rowFile, error)
}

// next yields the sources of all of them.
func (in *rowFiles) next() (tstore.Source, error) {
	for {
		if in.now.next != nil {
			src, err := in.now.next()
			if err != io.EOF {
				return src, err
			}
		}
		if len(in.open) == 0 {
			return tstore.Source{}, io.EOF
		}

		err := in.close()
		if err == nil {
			in.now, err = in.open[0]()
		}
		if err != nil {
			return tstore.Source{}, err
		}
		in.open = in.open[1:]
	}
}

func (in *rowFiles) close() error {
	was := in.now.Closer
	in.now = rowFile{}
	if was == nil {
		return nil
	}
	return was.Close()
}

// appendAll adds all rows in one commit.
func (a *app) appendAll(ctx context.Context, s *tstore.Store, name string, in *rowFiles) error {
	first, err := in.next()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("append to %q: %w", name, err)
	}

	// How much one source has is known when it is open; of several it is not.
	size := in.now.size
	if len(in.open) > 0 {
		size = 0
	}
	bar := a.progress("append to "+printable(name), size)
	defer bar.done()

	next := once(first)
	return s.AppendAll(ctx, name, func() (tstore.Source, error) {
		src, err := next()
		if err == io.EOF {
			src, err = in.next()
		}
		src.Progress = bar.update
		return src, err
	})
}

// openRead opens what a text selects or computes. Once all is read, and before the rows are
// committed, it must be of one state: afterwards it may be the rows that have changed it.
func (a *app) openRead(ctx context.Context, s *tstore.Store, text string, how *tstore.EvalOptions) (rowFile, error) {
	if err := a.tellNumbers(ctx, s, text); err != nil {
		return rowFile{}, err
	}
	r, err := s.Read(ctx, text, how)
	if errors.Is(err, tstore.ErrNotFound) && isSource(text) {
		err = fmt.Errorf("there is no file %s, and as elements to read: %w", printable(text), err)
	}
	if err != nil {
		return rowFile{}, err
	}

	next := once(r.Source())
	return rowFile{Closer: r, next: func() (tstore.Source, error) {
		src, err := next()
		if err == io.EOF {
			err = cmp.Or(r.Unchanged(), err)
		}
		return src, err
	}}, nil
}

// rowsOf is the shape of so many rows of a tensor.
func rowsOf(info *tstore.Info, rows int) ([]int, error) {
	shape := info.Layout.Shape()
	if len(shape) == 0 {
		return nil, fmt.Errorf("%q has no axis to grow along: its shape is ()", info.Record.Name)
	}
	shape[0] = rows
	return shape, nil
}

// valueRows returns rows of one value.
func valueRows(info *tstore.Info, value string, rows int) (tstore.Source, error) {
	shape, err := rowsOf(info, rows)
	if err != nil {
		return tstore.Source{}, err
	}

	src := tstore.Source{Spec: tstore.Spec{DType: info.Record.DType, Shape: shape}}
	n, err := src.NumElems()
	if err != nil {
		return src, err
	}

	v, err := dtype.ParseScalar(src.DType, value)
	if err != nil {
		return src, err
	}

	g, err := compute.Constant(src.DType, v)
	if err != nil {
		return src, err
	}

	src.Data = g.Take(n)
	return src, nil
}

// openRows opens a file of rows for a tensor.
func (a *app) openRows(ctx context.Context, info *tstore.Info, file string, f *appendFlags) (rowFile, error) {
	if !f.isRaw(file) {
		return a.openSequence(ctx, file, npy.Options{DType: info.Record.DType, AllowTrailing: f.cut})
	}

	rows := -1
	if f.hasRows {
		rows = f.rows
	}
	shape, err := rowsOf(info, rows)
	if err != nil {
		return rowFile{}, err
	}
	o := raw.Options{DType: info.Record.DType, Shape: shape, Offset: int64(f.offset), BigEndian: f.bigEndian, AllowTrailing: f.cut}
	if !f.hasRows && (file == "-" || isPipe(file)) {
		return a.openRawRows(ctx, file, o, f.batch)
	}

	in, err := a.openBare(ctx, file, o)
	if err != nil {
		return rowFile{}, err
	}
	src := in.Source()
	size, err := src.NumBytes()
	if err != nil {
		return rowFile{}, errors.Join(err, in.Close())
	}
	return rowFile{Closer: in, next: once(src), size: size}, nil
}

// openRawRows opens a stream of bare elements that has as many rows as come. It does not wait for
// more than batch rows at a time, if that is not 0.
func (a *app) openRawRows(ctx context.Context, file string, o raw.Options, batch int) (rowFile, error) {
	r, err := a.openStream(ctx, file)
	if err != nil {
		return rowFile{}, err
	}
	rows, err := raw.NewRows(&glance{r: r, skip: o.Offset, see: func(head []byte) { a.noteFormat(file, head, o) }}, o)
	if err != nil {
		return rowFile{}, errors.Join(err, r.Close())
	}
	next := rows.Next
	if batch > 0 {
		next = func() (tstore.Source, error) { return rows.NextRows(int64(batch)) }
	}
	return rowFile{Closer: r, next: next}, nil
}

// openSequence opens a .npy file, or a stream, of one array after another.
func (a *app) openSequence(ctx context.Context, file string, o npy.Options) (rowFile, error) {
	r, err := a.openStream(ctx, file)
	if err != nil {
		return rowFile{}, err
	}
	if r != nil {
		return rowFile{Closer: r, next: o.NewSequence(r).Next}, nil
	}
	seq, err := o.OpenSequence(file)
	if err != nil {
		return rowFile{}, err
	}
	return rowFile{Closer: seq, next: seq.Next, size: max(seq.Size(), 0)}, nil
}
