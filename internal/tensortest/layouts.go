package tensortest

// A Layout is one way for elements to lie in a storage.
type Layout struct {
	Name    string
	Shape   []int
	Strides []int // in elements, one per size
	Offset  int   // position of the element with all indexes 0
	Span    int   // elements that the storage must hold
	Skew    int   // bytes the storage should start past a 64-byte boundary
	Repeats bool  // different indexes share elements, so it is no destination
}

// Layouts returns the catalogue: scalar, empty, 1-D, C order, Fortran order, steps, negative
// strides, broadcasts, unaligned, self-overlapping, high rank, and sizes around the block sizes of
// copying loops.
func Layouts() []Layout {
	return []Layout{
		{Name: "scalar", Shape: []int{}, Strides: []int{}, Offset: 2, Span: 3},
		{Name: "empty 1-D", Shape: []int{0}, Strides: []int{1}, Span: 0},
		{Name: "empty inner", Shape: []int{3, 0}, Strides: []int{1, 1}, Span: 2},
		{Name: "empty outer past the end", Shape: []int{0, 4}, Strides: []int{4, 1}, Offset: 9, Span: 1},
		{Name: "one element", Shape: []int{1, 1, 1}, Strides: []int{5, -3, 0}, Offset: 1, Span: 2},
		{Name: "1-D", Shape: []int{17}, Strides: []int{1}, Span: 17},
		{Name: "1-D with offset", Shape: []int{17}, Strides: []int{1}, Offset: 3, Span: 25},
		{Name: "C order", Shape: []int{3, 4, 5}, Strides: []int{20, 5, 1}, Span: 60},
		{Name: "Fortran order", Shape: []int{3, 4, 5}, Strides: []int{1, 3, 12}, Span: 60},
		{Name: "middle axis first", Shape: []int{3, 4, 5}, Strides: []int{5, 15, 1}, Span: 60},
		{Name: "rows with gaps", Shape: []int{4, 5}, Strides: []int{8, 1}, Offset: 2, Span: 34},
		{Name: "step", Shape: []int{9}, Strides: []int{3}, Offset: 1, Span: 26},
		{Name: "step in both axes", Shape: []int{4, 5}, Strides: []int{20, 2}, Span: 80},
		{Name: "reversed", Shape: []int{13}, Strides: []int{-1}, Offset: 12, Span: 13},
		{Name: "reversed step", Shape: []int{6}, Strides: []int{-2}, Offset: 11, Span: 12},
		{Name: "reversed rows", Shape: []int{4, 5}, Strides: []int{-5, 1}, Offset: 15, Span: 20},
		{Name: "reversed both", Shape: []int{4, 5}, Strides: []int{-5, -1}, Offset: 19, Span: 20},
		{Name: "reversed Fortran", Shape: []int{4, 5}, Strides: []int{-1, -4}, Offset: 19, Span: 20},
		{Name: "broadcast scalar", Shape: []int{3, 7}, Strides: []int{0, 0}, Offset: 1, Span: 2, Repeats: true},
		{Name: "broadcast rows", Shape: []int{3, 7}, Strides: []int{0, 1}, Span: 7, Repeats: true},
		{Name: "broadcast columns", Shape: []int{3, 7}, Strides: []int{1, 0}, Span: 3, Repeats: true},
		{Name: "windows", Shape: []int{5, 4}, Strides: []int{1, 1}, Span: 8, Repeats: true},
		{Name: "unaligned", Shape: []int{4, 5}, Strides: []int{5, 1}, Span: 20, Skew: 1},
		{Name: "unaligned transposed", Shape: []int{5, 4}, Strides: []int{1, 5}, Offset: 1, Span: 21, Skew: 3},
		{Name: "one-sized axes", Shape: []int{1, 6, 1, 2}, Strides: []int{99, 2, -7, 1}, Span: 12},
		{Name: "rank 9", Shape: []int{2, 1, 2, 2, 1, 2, 2, 2, 2}, Strides: []int{64, 1, -32, 16, 1, 8, 1, 2, 4}, Offset: 32, Span: 128},
		{Name: "tall transposed", Shape: []int{130, 67}, Strides: []int{1, 130}, Span: 130 * 67},
		{Name: "batch of transposed", Shape: []int{3, 33, 40}, Strides: []int{1320, 1, 33}, Span: 3 * 1320},
		{Name: "long rows with gaps", Shape: []int{7, 1500}, Strides: []int{1600, 1}, Span: 7 * 1600},
	}
}

// NumElems returns the number of elements.
func (l Layout) NumElems() int {
	n := 1
	for _, size := range l.Shape {
		n *= size
	}
	return n
}

// Positions returns where the elements lie, in C order: the reference for every faster walk.
func (l Layout) Positions() []int {
	positions := make([]int, 0, l.NumElems())
	var walk func(axis, pos int)
	walk = func(axis, pos int) {
		if axis == len(l.Shape) {
			positions = append(positions, pos)
			return
		}
		for i := range l.Shape[axis] {
			walk(axis+1, pos+i*l.Strides[axis])
		}
	}
	walk(0, l.Offset)
	return positions
}
