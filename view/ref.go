package view

import "github.com/tstore/tstore/dtype"

// A Ref stands for one element of an array, wherever its storage lives: an element in device memory
// is copied over for each Get and Set. It borrows from the array's tensor.
type Ref[T dtype.Element] struct{ elem Array[T] }

// Ref returns a reference to one element; it takes the indexes of Tensor.Get and returns its
// errors.
func (a Array[T]) Ref(idx ...int) (Ref[T], error) {
	pos, err := a.t.layout.Pos(idx...)
	if err != nil {
		return Ref[T]{}, err
	}
	return Ref[T]{Array[T]{a.t.derive(Layout{offset: pos})}}, nil
}

// Get reads the element.
func (r Ref[T]) Get() (T, error) { return r.elem.At() }

// Set writes the element.
func (r Ref[T]) Set(v T) error { return r.elem.Set(v) }
