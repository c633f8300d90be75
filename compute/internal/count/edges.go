package count

import (
	"fmt"
	"math"
	"sort"
)

// Edges are the borders of the bins of a histogram, in ascending order. Bin i holds x if edge i ≤ x
// < edge i+1. The last bin also holds its upper edge.
type Edges struct {
	At     []float64
	lo     float64
	scale  float64 // bins by width, where all bins are equally wide
	margin float64 // how near to an edge, in bins, scale does not say on which side of it a value is
}

// EvenEdges returns the edges of numBins bins of equal width, as numpy.linspace makes them.
func EvenEdges(lo, hi float64, numBins int) (*Edges, error) {
	width := hi - lo
	if !finite(width) {
		return nil, fmt.Errorf("range from %v to %v: expected finite numbers, and a finite distance; give a range, which leaves out the rest", lo, hi)
	}

	e := &Edges{At: make([]float64, numBins+1), lo: lo, scale: float64(numBins) / width}
	step := width / float64(numBins)
	for i := range e.At {
		e.At[i] = float64(float64(i)*step) + lo
	}
	e.At[numBins] = hi
	// Rounding moves an edge, and the computed position of a value, by a few units in the last
	// place. Values closer to an edge than the margin are compared with the edge itself. The margin
	// is in bins, of which there are at most numBins.
	const ulps = 0x1p-50
	e.margin = ulps * (float64(numBins) + max(math.Abs(lo), math.Abs(hi))*e.scale)
	if !finite(e.scale) {
		e.scale, e.margin = 0, 1 // every value is compared with the edges
	}
	return e, nil
}

// GivenEdges returns edges that need not be even.
func GivenEdges(at []float64) (*Edges, error) {
	if len(at) < 2 {
		return nil, fmt.Errorf("%d edges: expected at least 2", len(at))
	}
	for i, v := range at {
		if v != v || i > 0 && v < at[i-1] {
			return nil, fmt.Errorf("edges %v: expected them to ascend, found %v as number %d", clipped(at), v, i)
		}
	}
	return &Edges{At: at, lo: at[0], margin: 1}, nil
}

// clipped is the first edges, for messages.
func clipped(at []float64) []float64 { return at[:min(len(at), 10)] }

func (e *Edges) numBins() int { return len(e.At) - 1 }

// finite reports whether v is a number that is not infinite.
func finite(v float64) bool { return v-v == 0 }

// bin returns the bin of v, or -1 if it is in none, as NaN is not.
func (e *Edges) bin(v float64) int {
	last := e.numBins()
	if !(v >= e.At[0] && v <= e.At[last]) {
		return -1
	}
	above := sort.Search(last, func(i int) bool { return e.At[i] > v }) // the first edge above, last if there is none
	return above - 1
}

// integer is the types that values are counted of.
type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// ordered is the types that bins are found of without a conversion.
type ordered interface {
	integer | float32 | float64
}

// countEven counts elements in bins of one width: by multiplication where that is sure, and else
// beside the bin that it gives.
func countEven[T ordered](x []T, e *Edges, counts []int64) {
	lo, scale, below, above := e.lo, e.scale, e.margin, 1-e.margin
	for _, v := range x {
		at := (float64(v) - lo) * scale
		i := int(at)
		if part := at - float64(i); uint(i) >= uint(len(counts)) || !(part > below && part < above) { // also of NaN
			if i = e.binNear(float64(v), i); i < 0 {
				continue
			}
		}
		counts[i]++
	}
}

// binNear is bin for a value whose bin is i or beside it, or that is outside.
func (e *Edges) binNear(v float64, i int) int {
	last := e.numBins()
	if !(v >= e.At[0] && v <= e.At[last]) {
		return -1
	}
	i = min(max(i, 0), last-1)
	for i > 0 && v < e.At[i] {
		i--
	}
	for i < last-1 && v >= e.At[i+1] {
		i++
	}
	return i
}

// countGiven counts elements in any bins.
func countGiven[T ordered](x []T, e *Edges, counts []int64) {
	for _, v := range x {
		if i := e.bin(float64(v)); i >= 0 {
			counts[i]++
		}
	}
}

// weigh adds up the weights of the elements in each bin, and sets at to the bins of the elements,
// or -1.
func weigh(x, weights []float64, e *Edges, sums []float64, at []int) {
	for k, v := range x {
		i := e.bin(v)
		if at[k] = i; i >= 0 {
			sums[i] += weights[k]
		}
	}
}
