package window

import (
	"math"
	"slices"
)

// medians keeps the elements of the window that are not NaN in order, lane by lane.
func (m *Mover[T]) medians(dst, x []T, step int) {
	for lane := range min(step, len(dst)) {
		m.laneMedians(dst[lane:], x[lane:], step)
	}
}

// laneMedians moves along one lane.
func (m *Mover[T]) laneMedians(dst, x []T, step int) {
	m.sorted = m.sorted[:0]
	for i := range m.width {
		if v := x[i*step]; v == v {
			m.sorted = append(m.sorted, v)
		}
	}
	slices.Sort(m.sorted)
	for i := 0; ; i += step {
		dst[i] = m.middle()
		if i+step >= len(dst) || m.stop.Load() {
			return
		}
		m.replace(x[i], x[i+m.width*step])
	}
}

// middle returns the median of the sorted elements, which are fewer than the width if there are NaN
// among them.
func (m *Mover[T]) middle() T {
	s := m.sorted
	switch {
	case len(s) < m.width:
		return T(math.NaN())
	case m.width%2 == 0:
		return (s[m.width/2-1] + s[m.width/2]) / 2
	}
	return s[m.width/2]
}

// replace takes old out of the sorted elements and puts v in. NaN is not among the sorted ones.
func (m *Mover[T]) replace(old, v T) {
	switch {
	case old != old && v != v:
	case old != old:
		m.sorted = slices.Insert(m.sorted, below(m.sorted, v), v)
	case v != v:
		at := below(m.sorted, old)
		m.sorted = slices.Delete(m.sorted, at, at+1)
	// Only the elements between the two places move, by one.
	default:
		from, to := below(m.sorted, old), below(m.sorted, v)
		if from < to {
			to--
			copy(m.sorted[from:to], m.sorted[from+1:])
		} else {
			copy(m.sorted[to+1:from+1], m.sorted[to:])
		}
		m.sorted[to] = v
	}
}

// below returns how many of sorted elements are less than v.
func below[T float](s []T, v T) int {
	at := 0
	for n := len(s); n > 0; {
		half := (n + 1) / 2
		if s[at+half-1] < v {
			at += half
			n -= half
		} else {
			n = half - 1
		}
	}
	return at
}
