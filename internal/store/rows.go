package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tstore/tstore/internal/fsx"
)

// newRows are the rows that an append adds: those of first, then of what next yields until io.EOF.
type newRows struct {
	first Source
	next  func() (Source, error)
}

// oneSource returns the rows of src.
func oneSource(src Source) *newRows {
	return &newRows{first: src, next: func() (Source, error) { return Source{}, io.EOF }}
}

// write writes the rows to f, from offset end on, behind a tensor of the given description, and
// returns the description of the tensor with them. Nobody knows how many there are before the last
// has come.
func (r *newRows) write(ctx context.Context, f fsx.File, end int64, to Spec, see func(p []byte, off int64)) (Spec, error) {
	to = to.Clone()
	var done int64
	w := fsx.NewStreamWriter(f, end, &fsx.StreamOptions{Tee: see, Progress: func(n int64) {
		if r.first.Progress != nil {
			r.first.Progress(done + n)
		}
	}})
	for src, n := r.first, 1; ; n++ {
		// Check the rows first, and the size of the tensor with them.
		rows, err := to.fit(&src)
		if err != nil && n > 1 {
			err = fmt.Errorf("array %d: %w", n, err)
		}
		if err != nil {
			return to, err
		}
		added, err := src.NumBytes()
		if err != nil {
			return to, err
		}
		to.Shape[0] += rows
		if _, err := to.NumBytes(); err != nil {
			return to, err
		}

		// Take the space, so that a full disk shows before the elements are written.
		if err := fsx.Reserve(f, end+done, added); err != nil {
			return to, fmt.Errorf("reserve %d bytes: %w", added, err)
		}
		if err := w.ReadFrom(ctx, src.elements(added), added); err != nil {
			return to, err
		}
		done += added

		src, err = r.next()
		if errors.Is(err, io.EOF) {
			return to, nil
		}
		if err != nil {
			return to, err
		}
	}
}

// elements returns the n bytes of src's elements, also where it has no Data.
func (src *Source) elements(n int64) io.Reader {
	if src.Data == nil {
		return io.LimitReader(zeros{}, n)
	}
	return src.Data
}

// fit checks that src can follow the rows of a tensor, completes its shape, and returns the number
// of rows it adds.
func (sp Spec) fit(src *Source) (int, error) {
	have := sp.Shape
	if len(have) == 0 {
		return 0, errors.New("the tensor has no axis to grow along (its shape is ())")
	}

	if src.DType != sp.DType {
		return 0, fmt.Errorf("expected elements of dtype %v, found %v", sp.DType, src.DType)
	}

	// A source without the first axis is one row.
	if len(src.Shape) == len(have)-1 {
		src.Shape = slices.Insert(slices.Clone(src.Shape), 0, 1)
	}
	if len(src.Shape) != len(have) || !slices.Equal(src.Shape[1:], have[1:]) {
		return 0, fmt.Errorf("expected shape %s, found %s", wantedRows(have), ShapeText(src.Shape))
	}

	if src.Order == ColumnMajor && len(have) > 1 {
		if err := src.toRowMajor(); err != nil {
			return 0, err
		}
	}
	return src.Shape[0], nil
}

// wantedRows spells the shapes that fit after a tensor of the given shape.
func wantedRows(have []int) string {
	return "(n" + ShapeText(have)[1+len(fmt.Sprint(have[0])):]
}

// rowsOf describes a tensor that rows are added to.
func rowsOf(i *Info) Spec { return Spec{DType: i.Record.DType, Shape: i.Layout.Shape()} }
