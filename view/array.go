package view

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// An Array is a Tensor whose element type is known at compile time. It is a small value. It borrows
// from the tensor it was made of, as explained at Tensor, and has the same rules for concurrency.
// Make one with As.
type Array[T dtype.Element] struct{ t *Tensor }

// As returns t as an Array, or a *DTypeError if its elements are not of type T. Nothing is
// converted or copied.
func As[T dtype.Element](t *Tensor) (Array[T], error) {
	if want := dtype.Of[T](); t.dt != want {
		return Array[T]{}, &DTypeError{Want: []dtype.Type{want}, Got: t.dt}
	}
	return Array[T]{t}, nil
}

// Tensor returns the array as a tensor with a type known at run time.
func (a Array[T]) Tensor() *Tensor { return a.t }

// Shape returns the sizes of the axes, in a slice that the caller owns.
func (a Array[T]) Shape() []int { return a.t.Shape() }

// Rank returns the number of axes.
func (a Array[T]) Rank() int { return a.t.Rank() }

// NumElems returns the number of elements.
func (a Array[T]) NumElems() int { return a.t.NumElems() }

// At returns one element; it takes the indexes of Tensor.Get and returns its errors.
func (a Array[T]) At(idx ...int) (T, error) {
	var v [1]T
	err := a.t.readElement(bytesOf(v[:]), idx)
	cleanBools(v[:])
	return v[0], err
}

// Set writes one element; it takes the indexes of Tensor.Get and returns its errors.
func (a Array[T]) Set(v T, idx ...int) error {
	elem := [1]T{v}
	return a.t.writeElement(bytesOf(elem[:]), idx)
}

// Fill sets all elements to v.
func (a Array[T]) Fill(v T) error { return Fill(context.Background(), a.t, dtype.ScalarOf(v)) }

// Slice returns the part of the array that the text picks; see Tensor.Slice.
func (a Array[T]) Slice(text string) (Array[T], error) {
	t, err := a.t.Slice(text)
	return Array[T]{t}, err
}

// CopyTo copies all elements to dst in C order; dst has NumElems elements.
func (a Array[T]) CopyTo(dst []T) error {
	if err := a.checkLen(len(dst)); err != nil || len(dst) == 0 {
		return err
	}
	_, err := a.t.Reader().ReadAt(bytesOf(dst), 0)
	cleanBools(dst)
	return err
}

// CopyFrom sets all elements from src in C order; src has NumElems elements.
func (a Array[T]) CopyFrom(src []T) error {
	if err := a.checkLen(len(src)); err != nil || len(src) == 0 {
		return err
	}
	_, err := a.t.Writer().WriteAt(bytesOf(src), 0)
	return err
}

func (a Array[T]) checkLen(n int) error {
	if n != a.NumElems() {
		return fmt.Errorf("the slice has %d elements, the array of shape %s has %d", n, formatShape(a.Shape()), a.NumElems())
	}
	return nil
}

// cleanBools makes bools of bytes that are neither 0 nor 1, which a file may hold but Go must not
// see.
func cleanBools[T dtype.Element](data []T) {
	if _, ok := any(data).([]bool); !ok {
		return
	}
	b := bytesOf(data)
	for i, v := range b {
		if v > 1 {
			b[i] = 1
		}
	}
}
