package view

import (
	"context"
	"fmt"
	"math"
)

// Flat, in place of an axis, means the elements in C order as one axis.
const Flat = math.MinInt

// An IndexMode says what becomes of an index outside its axis.
type IndexMode uint8

// The modes, as NumPy's take and put have them.
const (
	IndexRaise IndexMode = iota // an *IndexError; negative indexes count from the end
	IndexWrap                   // counted round and round, in both directions
	IndexClip                   // the nearest end; negative indexes become 0
)

// fold returns the index in an axis of size n that v, outside of it, stands for.
func (m IndexMode) fold(v, n int) int {
	if m == IndexWrap {
		return ((v % n) + n) % n
	}
	return min(max(v, 0), n-1)
}

// Take sets dst to the parts of src at the given indexes of an axis, as NumPy's take does: indexes
// has an integer type and any shape, which takes the place of the axis in the shape of dst (see
// TakeShape). A negative axis counts from the end; Flat takes elements of src in C order. A src
// without axes counts as one axis of size 1.
//
// It streams like Gather, and shares its errors.
func Take(ctx context.Context, dst, src, indexes *Tensor, axis int, mode IndexMode) error {
	shape, err := TakeShape(src.layout, indexes.Shape(), axis)
	if err != nil {
		return err
	}
	if err := take(ctx, dst, src, indexes, shape, axis, mode); err != nil {
		return fmt.Errorf("take: %w", err)
	}
	return nil
}

// TakeShape returns the shape that Take makes of l by indexes of a shape.
func TakeShape(l Layout, indexes []int, axis int) ([]int, error) {
	axis = lineAxis(axis, l)

	shape := []int{}
	if axis == Flat {
		shape = append(shape, indexes...)
	} else {
		at, err := axisOf("take", axis, len(l.axes))
		if err != nil {
			return nil, err
		}
		whole := l.Shape()
		shape = append(append(append(shape, whole[:at]...), indexes...), whole[at+1:]...)
	}

	if _, err := NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("take: %w", err)
	}

	return shape, nil
}

func take(ctx context.Context, dst, src, indexes *Tensor, shape []int, axis int, mode IndexMode) error {
	if err := checkIndexes(indexes, mode); err != nil {
		return err
	}
	if err := checkShape("take", dst, shape); err != nil {
		return err
	}
	p := planTake(src.layout, arrayOfTensor(indexes), axis, mode)
	if n := p.terms[0].n; n == 0 && indexes.NumElems() > 0 {
		return fmt.Errorf("cannot take elements from the empty axis of a tensor of shape %s", formatShape(src.Shape()))
	}
	return intoApart(ctx, dst, []*Tensor{src, indexes}, func(dst *Tensor) error {
		return p.move(ctx, dst, src)
	})
}

// checkIndexes refuses what cannot be indexes.
func checkIndexes(indexes *Tensor, mode IndexMode) error {
	if !isInteger(indexes) {
		return fmt.Errorf("indexes have dtype %s, expected an integer type", indexes.dt)
	}
	if mode > IndexClip {
		return fmt.Errorf("index mode %d is none of IndexRaise, IndexWrap and IndexClip", mode)
	}
	return nil
}

// planTake plans to pick from one axis, or from all elements. The axis is valid.
func planTake(l Layout, indexes indexArray, axis int, mode IndexMode) *fancyPlan {
	axis = lineAxis(axis, l)
	p := &fancyPlan{adv: indexes.layout.Shape()}
	term := indexTerm{array: indexes, mode: mode}
	if axis == Flat {
		seq := newSequence(l, 1)
		term.n, term.flat = seq.n, &seq
	} else {
		p.split, _ = axisOf("take", axis, len(l.axes))
		a := l.axes[p.split]
		term.axis, term.n, term.stride = p.split, a.n, a.stride
		p.base = Layout{axes: withoutAxis(l.axes, p.split), offset: l.offset}
	}
	p.terms = []indexTerm{term}
	return p
}

// lineAxis returns the axis, where the only element of a layout without axes counts as one axis.
func lineAxis(axis int, l Layout) int {
	if len(l.axes) == 0 && (axis == 0 || axis == -1) {
		return Flat
	}
	return axis
}

// withoutAxis returns axes without number i.
func withoutAxis(axes []axis, i int) []axis {
	return append(append([]axis{}, axes[:i]...), axes[i+1:]...)
}

// axisOf is normalAxis with the operation in its error.
func axisOf(op string, axis, rank int) (int, error) {
	at, err := normalAxis(axis, rank)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", op, err)
	}
	return at, nil
}

// Put sets the elements of dst that the indexes pick from its elements in C order to values,
// converted to the type of dst, as NumPy's put does. Both are taken in C order, whatever their
// shapes; values are used again from the first where they are too few. Where an index occurs
// several times, the last one stays.
//
// It streams like Scatter, and shares its errors.
func Put(ctx context.Context, dst, indexes, values *Tensor, mode IndexMode) error {
	if err := put(ctx, dst, indexes, values, mode); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	return nil
}

func put(ctx context.Context, dst, indexes, values *Tensor, mode IndexMode) error {
	if err := dst.checkWritable(); err != nil {
		return err
	}
	if err := checkIndexes(indexes, mode); err != nil {
		return err
	}

	if indexes.NumElems() == 0 {
		return nil
	}
	if dst.NumElems() == 0 {
		return fmt.Errorf("cannot put %d elements into an empty tensor", indexes.NumElems())
	}

	if values.NumElems() == 0 {
		return nil
	}

	var temps scratch
	defer temps.close()

	indexes, err := temps.apartFrom(ctx, dst, indexes)
	if err != nil {
		return err
	}
	if values, err = temps.apartFrom(ctx, dst, values); err != nil {
		return err
	}

	// Check every index before the first write: an index out of range leaves dst as it was.
	p := planTake(dst.layout, arrayOfTensor(indexes), Flat, mode)
	if err := p.check(ctx); err != nil {
		return err
	}

	j := &jumpMove{
		dst: dst, to: p.places(),
		src: values, from: &cyclicPlaces{*newRegularPlaces(values.layout)},
		srcRegular: true,
	}
	return j.run(ctx)
}
