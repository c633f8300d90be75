package view

import "fmt"

// Reshape returns a layout of the given shape with the same elements in the same C order. One size
// may be -1: it is computed from the others. Nothing is copied; where no strides can express the
// shape the error wraps ErrNeedsCopy.
//
// It follows NumPy's rule (_attempt_nocopy_reshape in shape.c): groups of axes are matched by their
// products, and a group of old axes can be regrouped if its axes lie as if contiguous among
// themselves.
func (l Layout) Reshape(shape ...int) (Layout, error) {
	if len(shape) > MaxRank {
		return Layout{}, fmt.Errorf("reshape: shape has %d axes, more than %d", len(shape), MaxRank)
	}

	sizes, err := l.inferSize(shape)
	if err != nil {
		return Layout{}, err
	}

	if l.hasShape(shape) { // as given: a -1 asks for new strides, as in NumPy
		return l, nil
	}

	if l.IsContiguous() {
		out, err := NewLayout(sizes...)
		if err != nil {
			return Layout{}, err
		}
		out.offset = l.offset
		return out.checked()
	}

	axes, ok := regroup(l.axes, sizes)
	if !ok {
		return Layout{}, fmt.Errorf("reshape of %s to %s: %w", l, formatShape(sizes), ErrNeedsCopy)
	}

	return Layout{axes: axes, offset: l.offset}, nil
}

// Flatten returns the layout with one axis: Reshape(-1).
func (l Layout) Flatten() (Layout, error) { return l.Reshape(l.NumElems()) }

// hasShape reports whether l has exactly these sizes.
func (l Layout) hasShape(sizes []int) bool {
	if len(sizes) != len(l.axes) {
		return false
	}
	for i, n := range sizes {
		if n != l.axes[i].n {
			return false
		}
	}
	return true
}

// inferSize returns shape with a -1 replaced by the size that keeps the number of elements. It owns
// the result.
func (l Layout) inferSize(shape []int) ([]int, error) {
	sizes := append([]int(nil), shape...)

	unknown, known := -1, 1
	for i, n := range sizes {
		if n == -1 && unknown >= 0 {
			return nil, fmt.Errorf("reshape: shape %s has more than one unknown size", formatShape(shape))
		}
		if n < -1 {
			return nil, fmt.Errorf("reshape: axis %d has the negative size %d", i, n)
		}
		if n == -1 {
			unknown = i
		} else if !mulInto(&known, n) {
			return nil, l.reshapeError(shape)
		}
	}

	total := l.NumElems()

	if unknown >= 0 {
		if known == 0 || total%known != 0 {
			return nil, l.reshapeError(shape)
		}
		sizes[unknown] = total / known
	} else if known != total {
		return nil, l.reshapeError(shape)
	}

	return sizes, nil
}

func (l Layout) reshapeError(shape []int) error {
	return fmt.Errorf("reshape: %d elements, shape %s, do not fill shape %s", l.NumElems(), formatShape(l.Shape()), formatShape(shape))
}

// regroup returns axes of the given sizes that visit the elements of old, which is not empty and
// has as many of them, in the same order, or false.
func regroup(old []axis, sizes []int) ([]axis, bool) {
	var buf [MaxRank]axis
	kept := dropOnes(buf[:0], old)
	out := make([]axis, len(sizes))
	last := 1 // stride of trailing axes of size 1

	for o, s := 0, 0; s < len(sizes); {
		if o == len(kept) {
			out[s] = axis{sizes[s], last}
			s++
			continue
		}

		oEnd, sEnd := o+1, s+1
		// Take axes from either side until both groups have the same number of elements.
		for oldN, newN := kept[o].n, sizes[s]; oldN != newN; {
			if newN < oldN {
				newN *= sizes[sEnd]
				sEnd++
			} else {
				oldN *= kept[oEnd].n
				oEnd++
			}
		}

		if !chained(kept[o:oEnd]) {
			return nil, false
		}

		last = kept[oEnd-1].stride
		fillStrides(out[s:sEnd], sizes[s:sEnd], last)
		o, s = oEnd, sEnd
	}

	return out, true
}

// dropOnes appends to dst the axes that are not of size 1.
func dropOnes(dst, axes []axis) []axis {
	for _, a := range axes {
		if a.n != 1 {
			dst = append(dst, a)
		}
	}
	return dst
}

// chained reports whether each axis continues where the next one ends, so that together they are
// like one axis.
func chained(axes []axis) bool {
	for i := 1; i < len(axes); i++ {
		if axes[i-1].stride != axes[i].n*axes[i].stride {
			return false
		}
	}
	return true
}

// fillStrides sets out to axes of the given sizes, chained, the last one with the given stride.
func fillStrides(out []axis, sizes []int, stride int) {
	for i := len(sizes) - 1; i >= 0; i-- {
		out[i] = axis{sizes[i], stride}
		stride *= sizes[i]
	}
}
