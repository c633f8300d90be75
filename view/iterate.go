package view

import (
	"fmt"
	"iter"

	"github.com/tstore/tstore/dtype"
)

// Indexes yields the indexes of all elements in C order. The slice is reused: it may be kept only
// as a copy, and must not be changed.
func (l Layout) Indexes() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if l.NumElems() == 0 {
			return
		}
		idx, pos := make([]int, len(l.axes)), 0
		for yield(idx) && advance(idx, l.axes, &pos) {
		}
	}
}

// Indexes yields the indexes of all elements in C order; see Layout.Indexes.
func (t *Tensor) Indexes() iter.Seq[[]int] { return t.layout.Indexes() }

// elementChunk is the number of elements that iterations read at a time.
const elementChunk = 1 << 10

// Elements yields all elements in C order, each with a nil error. If the tensor can't be read, the
// last pair is the zero Scalar and an error. Elements are read a few thousand bytes ahead, so an
// element that is written during the iteration may come with its old value.
func (t *Tensor) Elements() iter.Seq2[dtype.Scalar, error] {
	return func(yield func(dtype.Scalar, error) bool) {
		size := t.dt.Size()
		err := t.eachChunk(func(b []byte) bool {
			for i := 0; i < len(b); i += size {
				if !yield(dtype.Load(t.dt, b[i:]), nil) {
					return false
				}
			}
			return true
		})
		if err != nil {
			yield(dtype.Scalar{}, err)
		}
	}
}

// Elements yields all elements in C order; see Tensor.Elements.
func (a Array[T]) Elements() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var buf [elementChunk]T
		bytes := bytesOf(buf[:])

		err := a.Tensor().eachChunk(func(b []byte) bool {
			for _, v := range buf[:copy(bytes, b)/a.Tensor().dt.Size()] {
				if !yield(v, nil) {
					return false
				}
			}
			return true
		})

		if err != nil {
			var zero T
			yield(zero, err)
		}
	}
}

// eachChunk calls fn with the elements in C order, elementChunk at a time and packed in a buffer,
// until it returns false. fn runs under no guard.
func (t *Tensor) eachChunk(fn func(b []byte) bool) error {
	seq := newSequence(t.layout, t.dt.Size())
	buf := make([]byte, min(elementChunk, seq.n)*seq.size)

	for first := 0; first < seq.n; first += elementChunk {
		part := buf[:min(elementChunk, seq.n-first)*seq.size]
		if err := t.own.gather(&seq, part, first, len(part)/seq.size); err != nil {
			return fmt.Errorf("read tensor: %w", err)
		}

		if !fn(part) {
			return nil
		}
	}
	return nil
}

// Rows yields the parts of t along its first axis, with their indexes: the tensors that
// Index(At(i)) makes. A tensor without axes has none. They borrow from t, and no element is read.
func (t *Tensor) Rows() iter.Seq2[int, *Tensor] {
	return func(yield func(int, *Tensor) bool) {
		if t.Rank() == 0 {
			return
		}
		row := Layout{axes: t.layout.axes[1:], offset: t.layout.offset}
		for i := range t.layout.axes[0].n {
			if !yield(i, t.derive(row)) {
				return
			}
			row.offset += t.layout.axes[0].stride
		}
	}
}

// Boxes yields t in pieces of the given shape, in C order, each with the index of its first element
// in t; the slice is reused. Pieces at the end of an axis are smaller where the size does not
// divide the axis. They borrow from t, and no element is read. There is one size for each axis, at
// least 1; otherwise the error is a *RankError or a plain one.
func (t *Tensor) Boxes(shape ...int) (iter.Seq2[[]int, *Tensor], error) {
	if len(shape) != t.Rank() {
		return nil, fmt.Errorf("boxes: %w", &RankError{Want: t.Rank(), Got: len(shape)})
	}

	counts := Layout{axes: make([]axis, len(shape))}
	for i, n := range shape {
		if n < 1 {
			return nil, fmt.Errorf("boxes: size %d on axis %d, expected 1 or more", n, i)
		}
		whole := t.layout.axes[i].n
		counts.axes[i].n = whole / n
		if whole%n > 0 {
			counts.axes[i].n++
		}
	}

	return func(yield func([]int, *Tensor) bool) {
		first := make([]int, len(shape))
		for box := range counts.Indexes() {
			l := t.layout
			for i, k := range box {
				first[i] = k * shape[i]
				l = l.part(i, first[i], min(shape[i], t.layout.axes[i].n-first[i]))
			}
			if !yield(first, t.derive(l)) {
				return
			}
		}
	}, nil
}
