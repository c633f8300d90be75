package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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

// FindAxis returns the axis of a name, where dims are the names of all axes, "" for those that have
// none. The error for a name that no axis has, or several have, lists the names.
func FindAxis(dims []string, name string) (int, error) {
	axis := -1
	if isName(name) {
		axis = slices.Index(dims, name)
	}
	switch {
	case axis < 0 && !slices.ContainsFunc(dims, isName):
		return 0, fmt.Errorf("no axis is named %q: %s", name, unnamed(len(dims)))
	case axis < 0:
		return 0, fmt.Errorf("no axis is named %q: the axes are %s", name, listAxes(dims))
	case slices.Contains(dims[axis+1:], name):
		return 0, fmt.Errorf("several axes are named %q: the axes are %s; expected the number of one", name, listAxes(dims))
	}
	return axis, nil
}

// unnamed says how axes without names are told apart.
func unnamed(rank int) string {
	switch rank {
	case 0:
		return "the array has no axes"
	case 1:
		return "the axis has no name, but number 0"
	}
	return fmt.Sprintf("the axes have no names, but numbers from 0 to %d", rank-1)
}

func isName(name string) bool { return name != "" }

// listAxes lists the names of axes, and the numbers of those without one.
func listAxes(dims []string) string {
	texts := slices.Clone(dims)
	for i, name := range dims {
		if name == "" {
			texts[i] = strconv.Itoa(i)
		}
	}
	return strings.Join(texts, ", ")
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
