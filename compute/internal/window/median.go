package window

import (
	"math"
	"slices"
)

// medians keeps the elements of the window that are not NaN in order.
func (m *Mover[T]) medians(x []T, n int) []T {
	m.sorted = m.sorted[:0]
	nan := 0
	for _, v := range x[:m.width-1] {
		if v != v {
			nan++
		} else {
			m.sorted = append(m.sorted, v)
		}
	}
	slices.Sort(m.sorted)
	r := m.result[:n]
	for i := range r {
		if i&63 == 0 && m.stop.Load() {
			return r
		}
		if v := x[i+m.width-1]; v != v {
			nan++
		} else {
			at, _ := slices.BinarySearch(m.sorted, v)
			m.sorted = slices.Insert(m.sorted, at, v)
		}
		r[i] = T(math.NaN())
		if nan == 0 {
			r[i] = m.sorted[m.width/2]
			if m.width%2 == 0 {
				r[i] = (m.sorted[m.width/2-1] + r[i]) / 2
			}
		}
		if v := x[i]; v != v {
			nan--
		} else {
			at, _ := slices.BinarySearch(m.sorted, v)
			m.sorted = slices.Delete(m.sorted, at, at+1)
		}
	}
	return r
}
