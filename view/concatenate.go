package view

import (
	"context"
	"fmt"
	"slices"
)

// Concatenate sets dst to the elements of srcs one after the other along an axis, converted to the
// type of dst. All have the same shape but for that axis; ConcatenateShape returns the shape that
// dst must have. A negative axis counts from the end; Flat takes the elements of each in C order,
// whatever its shape.
//
// Elements are moved directly, but for a source that shares bytes with dst: it is copied to the
// heap first.
func Concatenate(ctx context.Context, dst *Tensor, axis int, srcs ...*Tensor) error {
	layouts := make([]Layout, len(srcs))
	for i, src := range srcs {
		layouts[i] = src.layout
	}
	shape, err := ConcatenateShape(axis, layouts...)
	if err != nil {
		return err
	}
	if err := concatenate(ctx, dst, axis, shape, srcs); err != nil {
		return fmt.Errorf("concatenate: %w", err)
	}
	return nil
}

// ConcatenateShape returns the shape that Concatenate makes.
func ConcatenateShape(axis int, layouts ...Layout) ([]int, error) {
	if len(layouts) == 0 {
		return nil, fmt.Errorf("concatenate: need at least one tensor")
	}
	if axis == Flat {
		return flatShape(layouts)
	}

	shape := layouts[0].Shape()
	at, err := axisOf("concatenate", axis, len(shape))
	if err != nil {
		return nil, err
	}

	for _, l := range layouts[1:] {
		if len(l.axes) != len(shape) {
			return nil, fmt.Errorf("concatenate: %w", &RankError{Want: len(shape), Got: len(l.axes)})
		}
		for i, a := range l.axes {
			switch {
			case i != at && a.n != shape[i]:
				return nil, &ShapeError{Op: fmt.Sprintf("concatenate along axis %d", at), Want: layouts[0].Shape(), Got: l.Shape()}
			case i == at && !addInto(&shape[i], a.n):
				return nil, fmt.Errorf("concatenate: more elements than fit in an int")
			}
		}
	}

	_, err = NewLayout(shape...)
	return shape, err
}

func flatShape(layouts []Layout) ([]int, error) {
	n := 0
	for _, l := range layouts {
		if !addInto(&n, l.NumElems()) {
			return nil, fmt.Errorf("concatenate: more elements than fit in an int")
		}
	}
	return []int{n}, nil
}

func concatenate(ctx context.Context, dst *Tensor, axis int, shape []int, srcs []*Tensor) error {
	if err := checkShape("concatenate", dst, shape); err != nil {
		return err
	}
	if err := dst.checkWritable(); err != nil {
		return err
	}

	var temps scratch
	defer temps.close()

	// Copy the sources that share bytes with dst before the first write to dst, which could change
	// another source.
	apart := make([]*Tensor, len(srcs))
	for i, src := range srcs {
		var err error
		if apart[i], err = temps.apartFrom(ctx, dst, src); err != nil {
			return err
		}
	}

	first := 0
	for _, src := range apart {
		if axis == Flat {
			if err := copyStretch(ctx, dst, first, src, 0, src.NumElems()); err != nil {
				return err
			}
			first += src.NumElems()
			continue
		}

		at, _ := axisOf("concatenate", axis, len(shape))
		n := src.layout.axes[at].n
		if err := copyChecked(ctx, dst.derive(dst.layout.part(at, first, n)), src); err != nil {
			return err
		}
		first += n
	}

	return nil
}

// copyStretch copies n elements in C order, from number s of src on, to those of dst from number d
// on, with conversion. The operands share no bytes.
func copyStretch(ctx context.Context, dst *Tensor, d int, src *Tensor, s, n int) error {
	to, from := newSequence(dst.layout, dst.dt.Size()), newSequence(src.layout, src.dt.Size())

	toBuf, fromBuf := to.buffer(convertElems), from.buffer(convertElems)

	for done := 0; done < n; done += convertElems {
		if err := ctx.Err(); err != nil {
			return err
		}

		m := min(convertElems, n-done)
		err := withBoth(dst, src, func(db, sb []byte) error {
			in := from.fetch(fromBuf, sb, s+done, m)
			convertInto(&to, dst.dt, toBuf, db, d+done, in, src.dt)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Stack sets dst to srcs, all of one shape, along a new axis: part i of that axis is srcs[i],
// converted to the type of dst. axis is the place of the new one in the shape of dst, which
// StackShape tells; it may count from the end.
//
// A source that shares bytes with dst is copied to the heap first.
func Stack(ctx context.Context, dst *Tensor, axis int, srcs ...*Tensor) error {
	lifted := make([]*Tensor, len(srcs))
	for i, src := range srcs {
		if err := checkStacked(srcs[0].layout, src.layout); err != nil {
			return err
		}
		l, err := withNewAxis(src.layout, axis)
		if err != nil {
			return err
		}
		lifted[i] = src.derive(l)
	}

	// Check the sources first: the shape is the shape of the first one.
	if len(srcs) == 0 {
		return errStackNothing
	}

	shape, err := StackShape(axis, len(srcs), srcs[0].layout)
	if err != nil {
		return err
	}

	if err := concatenate(ctx, dst, axis, shape, lifted); err != nil {
		return fmt.Errorf("stack: %w", err)
	}

	return nil
}

var errStackNothing = fmt.Errorf("stack: need at least one tensor")

// StackShape returns the shape that Stack makes of count tensors like l.
func StackShape(axis, count int, l Layout) ([]int, error) {
	if count < 1 {
		return nil, errStackNothing
	}

	one, err := withNewAxis(l, axis)
	if err != nil {
		return nil, err
	}

	shape := one.Shape()
	at, err := axisOf("stack", axis, len(shape))
	if err != nil {
		return nil, err
	}

	shape[at] = count
	if _, err := NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("stack: %w", err)
	}

	return shape, nil
}

// checkStacked returns an error if a tensor has another shape than the first.
func checkStacked(first, l Layout) error {
	if !slices.Equal(first.Shape(), l.Shape()) {
		return &ShapeError{Op: "stack", Want: first.Shape(), Got: l.Shape()}
	}
	return nil
}

// withNewAxis returns l with an axis of size 1 at a place of the result.
func withNewAxis(l Layout, axisAt int) (Layout, error) {
	if len(l.axes) == MaxRank {
		return Layout{}, fmt.Errorf("stack: the result would have more than %d axes", MaxRank)
	}
	at, err := axisOf("stack", axisAt, len(l.axes)+1)
	if err != nil {
		return Layout{}, err
	}
	axes := append(append(append([]axis{}, l.axes[:at]...), axis{n: 1}), l.axes[at:]...)
	return Layout{axes: axes, offset: l.offset}, nil
}
