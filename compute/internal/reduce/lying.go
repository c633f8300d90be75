package reduce

import (
	"math"
	"slices"
)

// A Lying says how inputs lie on a device, where a Folder reads them by their addresses. A segment
// has rows and columns: element i of it is in row i / Cols and column i % Cols. The numbers of the
// two, to which the segment adds some, are those of coordinates in C order, of which the first takes
// what is left. An element of an input is at the address of the segment, and strides times
// coordinates from there.
type Lying struct {
	Inputs  []int   // of Folding.Inputs
	Sizes   []int   // of the coordinates of rows, and then of those of columns
	Rows    int     // how many are those of rows; 0 if segments are single rows
	Strides [][]int // of each of Inputs, in bytes
	TooLong bool    // whether numbers of rows or of columns do not fit 32 bits
}

// isOnDevice reports whether an input lies on a device.
func (e *Engine) isOnDevice(k int) bool { return e.spec.Inputs[k].Address != 0 }

// lyingOf returns how those of some inputs lie that are on a device; nil if none is.
func (e *Engine) lyingOf(inputs []int) *Lying {
	l := &Lying{}
	for i, k := range inputs {
		if e.isOnDevice(k) {
			l.Inputs = append(l.Inputs, i)
		}
	}
	if l.Inputs == nil {
		return nil
	}

	rows, cols := e.sides()
	var all []coordinate
	if rows >= 0 {
		all = e.coordinates(rows)
		l.Rows = len(all)
	}
	all = append(all, e.coordinates(cols)...)
	for _, c := range all {
		l.Sizes = append(l.Sizes, c.size)
	}
	for _, i := range l.Inputs {
		var strides []int
		for _, c := range all {
			strides = append(strides, c.strides[inputs[i]])
		}
		l.Strides = append(l.Strides, strides)
	}
	l.TooLong = len(all) > l.Rows+1 && e.axes.nest.Sizes[cols] > math.MaxInt32 || l.Rows > 1 && e.axes.nest.Sizes[rows] > math.MaxInt32
	return l
}

// A coordinate is a part of the index along an axis of the nest.
type coordinate struct {
	size    int
	strides []int // of each input
}

// coordinates returns those of an axis, the outermost first, as few as there must be for the inputs
// on a device.
func (e *Engine) coordinates(axis int) (all []coordinate) {
	a := e.axes
	if a.dims == nil {
		one := coordinate{size: a.nest.Sizes[axis]}
		for k := range e.spec.Inputs {
			one.strides = append(one.strides, a.nest.Strides[k][axis])
		}
		return []coordinate{one}
	}
	for _, d := range a.dims {
		if d.axis != axis {
			continue
		}
		if last := len(all) - 1; last >= 0 && e.joins(&all[last], &d) {
			all[last] = coordinate{all[last].size * d.size, d.strides}
		} else {
			all = append(all, coordinate{d.size, d.strides})
		}
	}
	return all
}

// joins reports whether a dim goes on with a coordinate in all inputs on a device.
func (e *Engine) joins(c *coordinate, d *dim) bool {
	for k := range e.spec.Inputs {
		if e.isOnDevice(k) && c.strides[k] != d.size*d.strides[k] {
			return false
		}
	}
	return true
}

// liesAt finds out where segments lie on a device.
type liesAt struct {
	axes       [][]coordinate // of the nest
	rows, cols int            // those of which segments have the numbers; -1 if addresses do
	inputs     []int          // of the Engine
}

// lie has the packer tell where segments lie.
func (p *packer) lie() {
	l := &liesAt{rows: -1, cols: -1}
	for axis := range p.engine.axes.kept {
		l.axes = append(l.axes, p.engine.coordinates(axis))
	}
	rows, cols := p.engine.sides()
	if rows >= 0 && len(l.axes[rows]) > 1 {
		l.rows = rows
	}
	if len(l.axes[cols]) > 1 {
		l.cols = cols
	}
	for _, i := range p.folding.Lying.Inputs {
		l.inputs = append(l.inputs, p.folding.Inputs[i])
	}
	p.lies = l
}

// segment returns the segment of n elements in rows of some columns, from where the walk is.
func (p *packer) segment(first, n, cols int) Segment {
	s := Segment{First: first, End: first + n, Cols: cols, At: len(p.work.Addresses)}
	if p.lies == nil {
		return s
	}
	if p.lies.rows >= 0 {
		s.Row = p.indexes[p.lies.rows]
	}
	if p.lies.cols >= 0 {
		s.Col = p.indexes[p.lies.cols]
	}
	for _, k := range p.lies.inputs {
		p.work.Addresses = append(p.work.Addresses, p.engine.spec.Inputs[k].Address+uint64(p.behind(k)))
	}
	return s
}

// behind returns how many bytes behind the address of an input the segment begins at which the walk
// is.
func (p *packer) behind(k int) (bytes int) {
	if a := p.engine.axes; a.dims == nil {
		bytes = a.nest.Start[k]
	}
	for axis, coordinates := range p.lies.axes {
		if axis == p.lies.rows || axis == p.lies.cols {
			continue
		}
		index := p.indexes[axis]
		for i, c := range slices.Backward(coordinates) {
			at := index
			if i > 0 {
				at, index = index%c.size, index/c.size
			}
			bytes += at * c.strides[k]
		}
	}
	return bytes
}
