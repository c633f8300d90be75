package view

import (
	"context"
	"fmt"
)

// Roll sets dst, of the shape of src, to src with the elements of some axes moved round. The
// elements at index i of axis axes[k] move to index i + shifts[k], and those that fall off the end
// come back at the start. An axis may be given several times. A single shift is for all axes, and a
// single axis takes all shifts. Without axes the elements in C order are one axis.
//
// If dst shares bytes with src, the result goes through a temporary on the heap.
func Roll(ctx context.Context, dst, src *Tensor, shifts []int, axes ...int) error {
	if err := checkShape("roll", dst, src.Shape()); err != nil {
		return err
	}

	turns, err := turnsOf(src.layout, shifts, axes)
	if err != nil {
		return err
	}

	err = intoApart(ctx, dst, []*Tensor{src}, func(dst *Tensor) error {
		if len(axes) > 0 {
			return eachRoll(dst.layout, src.layout, turns, func(m Move) error {
				return copyChecked(ctx, dst.derive(m.To), src.derive(m.From))
			})
		}

		// Flat: what is rolled over the end is copied to the start.
		n := src.NumElems()
		if err := copyStretch(ctx, dst, turns[0], src, 0, n-turns[0]); err != nil {
			return err
		}
		return copyStretch(ctx, dst, 0, src, n-turns[0], turns[0])
	})

	if err != nil {
		return fmt.Errorf("roll: %w", err)
	}
	return nil
}

// turnsOf returns how far each axis is moved, less than its size; of all elements if no axes are
// given.
func turnsOf(l Layout, shifts, axes []int) ([]int, error) {
	if len(axes) == 0 {
		at := 0
		for _, shift := range shifts {
			at = turn(at, shift, l.NumElems())
		}
		return []int{at}, nil
	}

	if len(shifts) != len(axes) && len(shifts) != 1 && (len(axes) != 1 || len(shifts) == 0) {
		return nil, fmt.Errorf("roll: %d shifts for %d axes, expected as many, or one of either", len(shifts), len(axes))
	}

	turns := make([]int, len(l.axes))
	for i := range max(len(shifts), len(axes)) {
		at, err := axisOf("roll", axes[min(i, len(axes)-1)], len(l.axes))
		if err != nil {
			return nil, err
		}
		turns[at] = turn(turns[at], shifts[min(i, len(shifts)-1)], l.axes[at].n)
	}

	return turns, nil
}

// turn adds a shift to a turn of n elements.
func turn(at, shift, n int) int {
	if n == 0 {
		return 0
	}
	return (at + (shift%n+n)%n) % n
}

// eachRoll calls fn with the parts that an array falls into when its axes are turned: two for each
// axis that moves.
func eachRoll(to, from Layout, turns []int, fn func(Move) error) error {
	for i, by := range turns {
		if by == 0 {
			continue
		}
		n := from.axes[i].n
		rest := append(make([]int, i+1), turns[i+1:]...)
		if err := eachRoll(to.part(i, by, n-by), from.part(i, 0, n-by), rest, fn); err != nil {
			return err
		}
		return eachRoll(to.part(i, 0, by), from.part(i, n-by, by), rest, fn)
	}
	return fn(Move{to, from})
}
