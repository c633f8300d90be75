package view

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// CountNonzero returns the number of elements of t that are not zero: true, NaN and values other
// than 0 count.
func CountNonzero(ctx context.Context, t *Tensor) (int, error) {
	array := arrayOfTensor(t)
	n, err := countNonzero(ctx, &array)
	if err != nil {
		return 0, fmt.Errorf("count elements other than zero: %w", err)
	}
	return n, nil
}

// Nonzero returns the indexes of the elements of t that are not zero: a list for each axis, which
// all have CountNonzero elements, in C order. A tensor without axes is an error, as in NumPy.
func Nonzero(ctx context.Context, t *Tensor) ([][]int, error) {
	if t.Rank() == 0 {
		return nil, fmt.Errorf("indexes of elements other than zero: a tensor without axes has no indexes")
	}
	array := arrayOfTensor(t)
	n, err := countNonzero(ctx, &array)
	if err != nil {
		return nil, fmt.Errorf("indexes of elements other than zero: %w", err)
	}
	lists, err := nonzeroLists(ctx, &array, n)
	if err != nil {
		return nil, fmt.Errorf("indexes of elements other than zero: %w", err)
	}
	return lists, nil
}

// ArgWhere writes the indexes of the elements of src that are not zero to dst, in C order: a row
// for each of them, with the index on each axis. dst has the shape (CountNonzero, Rank) and any
// type; what it can't hold is converted by the rules of dtype.Convert. It streams, so both may be
// larger than memory. If they share bytes, the result goes through a temporary on the heap.
func ArgWhere(ctx context.Context, dst, src *Tensor) error {
	if err := argWhere(ctx, dst, src); err != nil {
		return fmt.Errorf("indexes of elements other than zero: %w", err)
	}
	return nil
}

func argWhere(ctx context.Context, dst, src *Tensor) error {
	array := arrayOfTensor(src)
	n, err := countNonzero(ctx, &array)
	if err != nil {
		return err
	}

	rank := src.Rank()
	if err := checkShape("indexes", dst, []int{n, rank}); err != nil {
		return err
	}

	return intoApart(ctx, dst, []*Tensor{src}, func(dst *Tensor) error {
		w := dst.Writer()
		rows := make([]int, 0, arrayChunk*max(1, rank))
		packed := make([]byte, cap(rows)*dst.dt.Size())

		flush := func() error {
			out := packed[:len(rows)*dst.dt.Size()]
			dtype.Convert(out, dst.dt, intBytes(rows), dtype.Int64)
			rows = rows[:0]
			_, err := w.Write(out)
			return err
		}

		err := eachNonzero(ctx, &array, func(idx []int) error {
			rows = append(rows, idx...)
			if len(rows) < cap(rows) {
				return nil
			}
			return flush()
		})

		if err != nil {
			return err
		}

		return flush()
	})
}

// countNonzero counts the elements of an array that are not zero.
func countNonzero(ctx context.Context, a *indexArray) (int, error) {
	r := newArrayReader(a)
	bits := make([]byte, min(arrayChunk, r.seq.n))
	count := 0
	for r.next < r.seq.n {
		part := bits[:min(arrayChunk, r.seq.n-r.next)]
		if err := r.readBools(ctx, part); err != nil {
			return 0, err
		}
		for _, bit := range part {
			count += truth(bit)
		}
	}
	return count, nil
}

// nonzeroLists returns the indexes of the n elements of an array that are not zero, a list for each
// axis.
func nonzeroLists(ctx context.Context, a *indexArray, n int) ([][]int, error) {
	lists := make([][]int, a.layout.Rank())
	for i := range lists {
		lists[i] = make([]int, 0, n)
	}

	// Elements may change between the count and this walk. Never grow a list beyond n, the room
	// that was made for it.
	err := eachNonzero(ctx, a, func(idx []int) error {
		if len(lists[0]) == n {
			return errChanged
		}
		for i, v := range idx {
			lists[i] = append(lists[i], v)
		}
		return nil
	})

	if err == nil && len(lists[0]) < n {
		err = errChanged
	}

	return lists, err
}

// eachNonzero calls fn with the indexes of the elements that are not zero, in C order. The slice is
// reused.
func eachNonzero(ctx context.Context, a *indexArray, fn func(idx []int) error) error {
	r := newArrayReader(a)
	bits := make([]byte, min(arrayChunk, r.seq.n))
	axes := a.layout.axes
	idx := make([]int, len(axes))
	unused := 0

	for r.next < r.seq.n {
		part := bits[:min(arrayChunk, r.seq.n-r.next)]
		if err := r.readBools(ctx, part); err != nil {
			return err
		}

		for _, bit := range part {
			if bit != 0 {
				if err := fn(idx); err != nil {
					return err
				}
			}
			advance(idx, axes, &unused)
		}
	}
	return nil
}
