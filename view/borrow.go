package view

import (
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// The methods below return tensors that borrow from t; the Layout methods of the same names say
// what they do.

// Apply returns what the chain makes of t; see Chain.Apply. It fails where only a copy would do,
// see Chain.Eval.
func (t *Tensor) Apply(c Chain) (*Tensor, error) {
	l, dt, err := c.Apply(t.layout, t.dt)
	return t.deriveForm(form{l, dt}, err)
}

// deriveForm is deriveIf for another type and a layout that may show elements several times: their
// number of bytes must be countable still.
func (t *Tensor) deriveForm(f form, err error) (*Tensor, error) {
	if err != nil {
		return nil, err
	}
	if err := f.checkCountable(); err != nil {
		return nil, err
	}
	return &Tensor{own: t.own, dt: f.dt, layout: f.layout}, nil
}

// checkCountable proves that the number of bytes fits in an int.
func (f form) checkCountable() error {
	numBytes := f.layout.NumElems()
	if !mulInto(&numBytes, f.dt.Size()) {
		return fmt.Errorf("%d elements of %s are more bytes than can be counted", f.layout.NumElems(), f.dt)
	}
	return nil
}

// MatrixTranspose returns t with its last two axes swapped.
func (t *Tensor) MatrixTranspose() (*Tensor, error) { return t.deriveIf(t.layout.MatrixTranspose()) }

// SwapAxes returns t with two axes exchanged.
func (t *Tensor) SwapAxes(axis1, axis2 int) (*Tensor, error) {
	return t.deriveIf(t.layout.SwapAxes(axis1, axis2))
}

// MoveAxis returns t with axes moved to other places.
func (t *Tensor) MoveAxis(source, destination []int) (*Tensor, error) {
	return t.deriveIf(t.layout.MoveAxis(source, destination))
}

// Squeeze returns t without axes of size 1.
func (t *Tensor) Squeeze(axes ...int) (*Tensor, error) { return t.deriveIf(t.layout.Squeeze(axes...)) }

// Unsqueeze returns t with new axes of size 1.
func (t *Tensor) Unsqueeze(axes ...int) (*Tensor, error) {
	return t.deriveIf(t.layout.Unsqueeze(axes...))
}

// Narrow returns length elements of one axis from start on.
func (t *Tensor) Narrow(axis, start, length int) (*Tensor, error) {
	return t.deriveIf(t.layout.Narrow(axis, start, length))
}

// Select returns element i of one axis, which disappears.
func (t *Tensor) Select(axis, i int) (*Tensor, error) { return t.deriveIf(t.layout.Select(axis, i)) }

// Flip returns t with axes reversed.
func (t *Tensor) Flip(axes ...int) (*Tensor, error) { return t.deriveIf(t.layout.Flip(axes...)) }

// Rot90 returns t rotated k times by 90 degrees in the plane of two axes.
func (t *Tensor) Rot90(k, axis1, axis2 int) (*Tensor, error) {
	return t.deriveIf(t.layout.Rot90(k, axis1, axis2))
}

// Diagonal returns a diagonal of two axes, which becomes the last axis.
func (t *Tensor) Diagonal(offset, axis1, axis2 int) (*Tensor, error) {
	return t.deriveIf(t.layout.Diagonal(offset, axis1, axis2))
}

// BroadcastTo returns t stretched to a shape. Where that repeats elements, they cannot be written
// through it.
func (t *Tensor) BroadcastTo(shape ...int) (*Tensor, error) {
	l, err := t.layout.BroadcastTo(shape...)
	return t.deriveForm(form{l, t.dt}, err)
}

// Expand is BroadcastTo, where -1 keeps the size of an axis.
func (t *Tensor) Expand(shape ...int) (*Tensor, error) {
	l, err := t.layout.Expand(shape...)
	return t.deriveForm(form{l, t.dt}, err)
}

// Unfold returns windows that slide along one axis. Where they overlap, their elements cannot be
// written through it.
func (t *Tensor) Unfold(axis, size, step int) (*Tensor, error) {
	l, err := t.layout.Unfold(axis, size, step)
	return t.deriveForm(form{l, t.dt}, err)
}

// Split cuts one axis into parts of equal size.
func (t *Tensor) Split(parts, axis int) ([]*Tensor, error) {
	return t.deriveAll(t.layout.Split(parts, axis))
}

// ArraySplit cuts one axis into parts that differ in size by at most 1.
func (t *Tensor) ArraySplit(parts, axis int) ([]*Tensor, error) {
	return t.deriveAll(t.layout.ArraySplit(parts, axis))
}

// SplitAt cuts one axis before each of the indexes.
func (t *Tensor) SplitAt(axis int, indexes ...int) ([]*Tensor, error) {
	return t.deriveAll(t.layout.SplitAt(axis, indexes...))
}

// deriveAll is deriveIf for several layouts.
func (t *Tensor) deriveAll(layouts []Layout, err error) ([]*Tensor, error) {
	if err != nil {
		return nil, err
	}
	out := make([]*Tensor, len(layouts))
	for i, l := range layouts {
		out[i] = t.derive(l)
	}
	return out, nil
}

// Reinterpret returns the bytes of t as elements of another type.
func (t *Tensor) Reinterpret(to dtype.Type) (*Tensor, error) {
	l, err := t.layout.Reinterpret(t.dt, to)
	return t.deriveForm(form{l, to}, err)
}

// Real returns the real parts of the elements.
func (t *Tensor) Real() (*Tensor, error) { return t.deriveForm(formOf(t.layout.Real(t.dt))) }

// Imag returns the imaginary parts of complex elements.
func (t *Tensor) Imag() (*Tensor, error) { return t.deriveForm(formOf(t.layout.Imag(t.dt))) }
