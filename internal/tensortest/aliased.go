package tensortest

// A Pair is a destination and a source of the same shape over one storage.
type Pair struct {
	Name     string
	Dst, Src Layout
}

// Span returns the number of elements that the common storage must hold.
func (p Pair) Span() int { return max(p.Dst.Span, p.Src.Span) }

// Aliased returns pairs that share a storage in every way that matters: the same elements, shifted
// either way, reversed, transposed in place, spread from one row, interleaved but disjoint, and
// apart.
func Aliased() []Pair {
	line := func(n, stride, offset int) Layout {
		return Layout{Shape: []int{n}, Strides: []int{stride}, Offset: offset, Span: 40}
	}
	grid := func(rows, cols, rowStride, colStride, offset int) Layout {
		return Layout{Shape: []int{rows, cols}, Strides: []int{rowStride, colStride}, Offset: offset, Span: 40}
	}

	return []Pair{
		{"exact", grid(4, 5, 5, 1, 3), grid(4, 5, 5, 1, 3)},
		{"exact transposed", grid(4, 5, 1, 4, 3), grid(4, 5, 1, 4, 3)},
		{"exact reversed", line(9, -1, 12), line(9, -1, 12)},
		{"shifted up", line(20, 1, 1), line(20, 1, 0)},
		{"shifted down", line(20, 1, 0), line(20, 1, 1)},
		{"shifted steps", line(10, 3, 3), line(10, 3, 0)},
		{"reversed in place", line(20, 1, 0), line(20, -1, 19)},
		{"spread apart", line(12, 3, 0), line(12, 1, 0)},
		{"transposed in place", grid(6, 6, 6, 1, 0), grid(6, 6, 1, 6, 0)},
		{"rows shifted", grid(4, 5, 6, 1, 6), grid(4, 5, 6, 1, 0)},
		{"one row over all", grid(4, 5, 5, 1, 0), grid(4, 5, 0, 1, 5)},
		{"one element over all", grid(4, 5, 5, 1, 0), grid(4, 5, 0, 0, 7)},
		{"interleaved", line(15, 2, 0), line(15, 2, 1)},
		{"columns side by side", grid(4, 3, 6, 1, 0), grid(4, 3, 6, 1, 3)},
		{"apart", line(10, 1, 0), line(10, 1, 20)},
	}
}
