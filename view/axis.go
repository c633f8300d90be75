package view

import "fmt"

// An AxisError says that a tensor has no such axis.
type AxisError struct {
	Axis int // as it was given, so possibly negative
	Rank int // the number of axes: -Rank ≤ Axis < Rank would be valid
}

func (e *AxisError) Error() string {
	return fmt.Sprintf("axis %d is out of bounds for a tensor with %d axes", e.Axis, e.Rank)
}

// normalAxis returns an axis of a tensor with rank axes as a number from 0; a negative one counts
// from the end.
func normalAxis(ax, rank int) (int, error) {
	from := ax
	if from < 0 {
		from += rank
	}
	if uint(from) >= uint(rank) {
		return 0, &AxisError{Axis: ax, Rank: rank}
	}
	return from, nil
}

// axisSet is a set of axes; MaxRank bits hold them all.
type axisSet uint64

func (s axisSet) has(ax int) bool { return s>>ax&1 != 0 }

// normalAxes is normalAxis for several axes. Each may be named once.
func normalAxes(axes []int, rank int) ([]int, axisSet, error) {
	out := make([]int, len(axes))
	for i, ax := range axes {
		from, err := normalAxis(ax, rank)
		if err != nil {
			return nil, 0, err
		}
		out[i] = from
	}

	// Look for repeated axes only after every one is known to exist: a wrong axis is the better
	// error.
	var seen axisSet
	for i, from := range out {
		if seen.has(from) {
			return nil, 0, fmt.Errorf("axis %d is named twice", axes[i])
		}
		seen |= 1 << from
	}

	return out, seen, nil
}

// normalPair is normalAxis for two axes that must differ.
func normalPair(axis1, axis2, rank int) (a, b int, err error) {
	if a, err = normalAxis(axis1, rank); err != nil {
		return 0, 0, err
	}
	if b, err = normalAxis(axis2, rank); err != nil {
		return 0, 0, err
	}
	if a == b {
		return 0, 0, fmt.Errorf("axes %d and %d are the same: expected two different ones", axis1, axis2)
	}
	return a, b, nil
}
