package view

import "iter"

// A Run is N elements at positions Start, Start+Step, …, in elements. Step is 0 where one element
// is repeated (a broadcast axis); a Run of a single element has Step 1.
type Run struct{ Start, Step, N int }

// Runs yields the elements in C order as runs, with axes merged as far as C order allows: a
// contiguous layout is one run, a matrix with gaps between its rows one run per row. An empty
// layout yields nothing. Walking does not allocate.
func (l Layout) Runs() iter.Seq[Run] {
	return func(yield func(Run) bool) {
		if l.NumElems() == 0 {
			return
		}

		var buf [MaxRank]axis
		axes := coalesce(buf[:0], l.axes)
		run := Run{Start: l.offset, Step: 1, N: 1}

		// The innermost axis is the run, the others are walked.
		if len(axes) > 0 {
			inner := axes[len(axes)-1]
			run.N, run.Step = inner.n, inner.stride
			axes = axes[:len(axes)-1]
		}

		var idx [MaxRank]int
		for yield(run) && advance(idx[:len(axes)], axes, &run.Start) {
		}
	}
}

// coalesce appends to dst, which is empty, the axes that give the same positions in the same C
// order with as few axes as possible.
func coalesce(dst, axes []axis) []axis {
	for _, a := range axes {
		if a.n == 1 {
			continue
		}
		if n := len(dst); n > 0 && dst[n-1].stride == a.n*a.stride {
			dst[n-1] = axis{dst[n-1].n * a.n, a.stride}
			continue
		}
		dst = append(dst, a)
	}
	return dst
}

// advance moves idx to the next index in C order and pos with it. It reports false after the last
// one, with idx and pos back at the first.
func advance(idx []int, axes []axis, pos *int) bool {
	for i := len(axes) - 1; i >= 0; i-- {
		idx[i]++
		*pos += axes[i].stride
		if idx[i] < axes[i].n {
			return true
		}
		*pos -= axes[i].n * axes[i].stride
		idx[i] = 0
	}
	return false
}
