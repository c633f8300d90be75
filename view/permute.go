package view

import "fmt"

// Transpose returns the layout with its axes in reverse order.
func (l Layout) Transpose() Layout {
	n := len(l.axes)
	out := Layout{axes: make([]axis, n), offset: l.offset}
	for i, a := range l.axes {
		out.axes[n-1-i] = a
	}
	return out
}

// Permute returns the layout whose axis i is axis axes[i] of l. Every axis is
// named once; a negative number counts from the end.
func (l Layout) Permute(axes ...int) (Layout, error) {
	n := len(l.axes)
	if len(axes) != n {
		return Layout{}, fmt.Errorf("permute: %d axes were named, the tensor has %d", len(axes), n)
	}
	out := Layout{axes: make([]axis, n), offset: l.offset}
	var seen [MaxRank]bool
	for i, ax := range axes {
		from := ax
		if from < 0 {
			from += n
		}
		if uint(from) >= uint(n) {
			return Layout{}, fmt.Errorf("permute: axis %d is out of bounds for a tensor with %d axes", ax, n)
		}
		if seen[from] {
			return Layout{}, fmt.Errorf("permute: axis %d is named twice", ax)
		}
		seen[from] = true
		out.axes[i] = l.axes[from]
	}
	return out, nil
}
