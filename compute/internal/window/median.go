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
	nan := 0
	for i := range m.width - 1 {
		if v := x[i*step]; v != v {
			nan++
		} else {
			m.sorted = append(m.sorted, v)
		}
	}
	slices.Sort(m.sorted)
	for i := 0; i < len(dst); i += step {
		if m.stop.Load() {
			return
		}
		if v := x[i+(m.width-1)*step]; v != v {
			nan++
		} else {
			at, _ := slices.BinarySearch(m.sorted, v)
			m.sorted = slices.Insert(m.sorted, at, v)
		}
		dst[i] = T(math.NaN())
		if nan == 0 {
			dst[i] = m.sorted[m.width/2]
			if m.width%2 == 0 {
				dst[i] = (m.sorted[m.width/2-1] + dst[i]) / 2
			}
		}
		if v := x[i]; v != v {
			nan--
		} else {
			at, _ := slices.BinarySearch(m.sorted, v)
			m.sorted = slices.Delete(m.sorted, at, at+1)
		}
	}
}
