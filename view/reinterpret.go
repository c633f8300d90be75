package view

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
)

// Reinterpret returns the layout of the same bytes taken as elements of another type, by the rule
// of numpy's view(dtype): types of one size exchange freely; otherwise the last axis, which must be
// contiguous, becomes longer or shorter.
//
// Positions count whole elements. Where larger elements would start between two of them, the error
// wraps ErrNeedsCopy: a packed copy has the elements.
func (l Layout) Reinterpret(from, to dtype.Type) (Layout, error) {
	if !from.Valid() || !to.Valid() {
		return Layout{}, fmt.Errorf("reinterpret %s as %s: not an element type", from, to)
	}
	out, err := l.resized(from.Size(), to.Size())
	if err != nil {
		return Layout{}, fmt.Errorf("reinterpret %s as %s: %w", from, to, err)
	}
	return out, nil
}

// resized is Reinterpret for sizes in bytes, both powers of 2.
func (l Layout) resized(from, to int) (Layout, error) {
	if from == to {
		return l, nil
	}
	if len(l.axes) == 0 {
		return Layout{}, fmt.Errorf("a scalar of %d bytes cannot become one of %d bytes", from, to)
	}
	last := l.axes[len(l.axes)-1]
	if last.n != 1 && last.stride != 1 && l.NumElems() > 0 {
		return Layout{}, fmt.Errorf("the last axis must be contiguous, its stride is %d", last.stride)
	}
	if to < from {
		return l.finer(from / to)
	}
	return l.coarser(to / from)
}

// finer returns the layout in units that are k times smaller, with the last axis k times longer.
func (l Layout) finer(k int) (Layout, error) {
	out, err := l.scaled(k)
	if err != nil {
		return Layout{}, err
	}
	last := &out.axes[len(out.axes)-1]
	if !mulInto(&last.n, k) {
		return Layout{}, fmt.Errorf("the last axis would have more elements than fit in an int")
	}
	last.stride = 1
	return out.checked()
}

// scaled returns the layout with all positions multiplied by k.
func (l Layout) scaled(k int) (Layout, error) {
	out := Layout{axes: slices.Clone(l.axes), offset: l.offset}
	if l.NumElems() == 0 {
		return out, nil
	}
	fits := mulInto(&out.offset, k)
	for i, a := range l.axes {
		fits = (mulInto(&out.axes[i].stride, k) || a.n == 1) && fits
	}
	if !fits {
		return Layout{}, fmt.Errorf("%s: its positions times %d do not fit in an int", l, k)
	}
	return out.checked()
}

// coarser returns the layout in units that are k times larger, with the last axis k times shorter.
func (l Layout) coarser(k int) (Layout, error) {
	end := len(l.axes) - 1
	if n := l.axes[end].n; n%k != 0 {
		return Layout{}, fmt.Errorf("the last axis has %d elements, no multiple of %d", n, k)
	}

	// The elements of an empty layout have no positions that could be uneven.
	empty := l.NumElems() == 0
	if !empty && l.offset%k != 0 {
		return Layout{}, fmt.Errorf("the first element is at position %d, no multiple of %d: %w", l.offset, k, ErrNeedsCopy)
	}

	out := Layout{axes: slices.Clone(l.axes), offset: l.offset / k}
	for i, a := range l.axes[:end] {
		if !empty && a.n > 1 && a.stride%k != 0 {
			return Layout{}, fmt.Errorf("axis %d has stride %d, no multiple of %d: %w", i, a.stride, k, ErrNeedsCopy)
		}
		out.axes[i].stride = a.stride / k
	}

	out.axes[end] = axis{n: l.axes[end].n / k, stride: 1}
	return out.checked()
}

// Real returns the layout of the real parts of complex elements and their type: every other float,
// from the first one on. Elements of other types are their own real parts.
func (l Layout) Real(t dtype.Type) (Layout, dtype.Type, error) {
	if t.Valid() && t.Kind() != dtype.KindComplex {
		return l, t, nil
	}
	return l.component("real part", t, 0)
}

// Imag returns the layout of the imaginary parts of complex elements and their type. Elements of
// other types have none: the error is a *DTypeError.
func (l Layout) Imag(t dtype.Type) (Layout, dtype.Type, error) {
	return l.component("imaginary part", t, 1)
}

// component returns the layout of the first or second float of complex elements.
func (l Layout) component(what string, t dtype.Type, which int) (Layout, dtype.Type, error) {
	part := map[dtype.Type]dtype.Type{dtype.Complex64: dtype.Float32, dtype.Complex128: dtype.Float64}[t]
	if part == dtype.Invalid {
		return Layout{}, part, fmt.Errorf("%s: %w", what, &DTypeError{Want: []dtype.Type{dtype.Complex64, dtype.Complex128}, Got: t})
	}
	out, err := l.scaled(2)
	if err == nil && l.NumElems() > 0 {
		out.offset += which
		out, err = out.checked()
	}
	if err != nil {
		return Layout{}, dtype.Invalid, fmt.Errorf("%s: %w", what, err)
	}
	return out, part, nil
}
