package bind

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tstore/tstore/compute/internal/count"
	"github.com/tstore/tstore/compute/internal/generate"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// A histogram is a call of histogram: what is counted, and the nodes of the outer edges, of type
// float64.
type histogram struct {
	x      *graph.Node
	bins   int
	lo, hi *graph.Node
	edges  []float64 // all edges, if these were given
}

func (b *binder) histogram(c *call) (h histogram, err error) {
	if h.x, err = c.operand("a"); err != nil {
		return h, err
	}
	if err := (takesBool | takesReal).check(c.name(), h.x.DType); err != nil {
		return h, err
	}

	given, err := c.isArray("bins")
	if err != nil {
		return h, err
	}
	if given {
		return h, h.readEdges(b, c)
	}

	if h.bins, err = c.int("bins", 10); err != nil {
		return h, err
	}
	if h.bins < 1 || h.bins > count.MaxBins {
		return h, c.arg("bins").At.Errorf("bins are from 1 to %d", count.MaxBins)
	}

	if c.arg("range") != nil {
		err = h.readRange(b, c)
	} else {
		err = h.findRange(b)
	}
	return h, err
}

// isArray reports whether an argument is there and has axes.
func (c *call) isArray(name string) (bool, error) {
	v, ok, err := c.value(name)
	return ok && v.node != nil && len(v.node.Shape) > 0, err
}

// readEdges takes all edges from the argument, whose elements are computed now.
func (h *histogram) readEdges(b *binder, c *call) error {
	n, err := c.operand("bins")
	if err != nil {
		return err
	}

	at := c.arg("bins").At
	switch {
	case c.arg("range") != nil:
		return c.arg("range").At.Errorf("a range beside the edges of bins: expected one of them")
	case len(n.Shape) != 1:
		return at.Errorf("bins of shape %s: expected one axis, of edges", syntax.FormatShape(n.Shape))
	case n.Shape[0] > count.MaxBins:
		return at.Errorf("bins are from 1 to %d", count.MaxBins)
	}
	if err := (takesBool | takesReal).check("bins of "+c.name(), n.DType); err != nil {
		return at.Wrap(err)
	}

	// Check the room first: the edges are evaluated here, while the statement is bound.
	if err := count.CheckRoom(b.Limits(), c.name(), n.Shape[0]); err != nil {
		return err
	}
	if h.edges, err = b.float64s(n); err != nil {
		return err
	}

	if _, err := count.GivenEdges(h.edges); err != nil {
		return at.Wrap(err)
	}

	h.bins = len(h.edges) - 1
	h.lo, h.hi = b.Scalar(dtype.ScalarOf(h.edges[0])), b.Scalar(dtype.ScalarOf(h.edges[h.bins]))
	return nil
}

// readRange takes the outer edges from the arguments.
func (h *histogram) readRange(b *binder, c *call) error {
	t := c.arg("range")
	if t.Kind != term.Tuple && t.Kind != term.List || len(t.Args) != 2 {
		return t.At.Errorf("range is two numbers: (low, high)")
	}

	var edges [2]float64
	for i, e := range t.Args {
		v, err := b.bind(e)
		if err != nil {
			return err
		}
		n, ok := v.constant()
		if !ok || n.Kind == dtype.KindComplex {
			return e.At.Errorf("range is two real numbers")
		}
		if edges[i], err = n.Float64(); err != nil {
			return e.At.Wrap(err)
		}
	}

	lo, hi := edges[0], edges[1]
	if !(lo <= hi) || lo-lo != 0 || hi-hi != 0 {
		return t.At.Errorf("range from %v to %v: expected finite numbers, the lower one first", lo, hi)
	}

	// As in NumPy, a range of a single number is widened to a bin of width 1 around it.
	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}

	h.lo, h.hi = b.Scalar(dtype.ScalarOf(lo)), b.Scalar(dtype.ScalarOf(hi))
	return nil
}

// findRange takes the smallest and the largest element; a range of nothing becomes one of width 1.
func (h *histogram) findRange(b *binder) error {
	half, zero, one := b.Scalar(dtype.ScalarOf(0.5)), b.Scalar(dtype.ScalarOf(0.0)), b.Scalar(dtype.ScalarOf(1.0))
	if graph.NumElems(h.x.Shape) == 0 {
		h.lo, h.hi = zero, one
		return nil
	}
	axes := graph.AllAxes(len(h.x.Shape))
	lo := b.Cast(b.Reduction(h.x, nil, graph.Reduction{Op: reduce.Min, Axes: axes}), dtype.Float64)
	hi := b.Cast(b.Reduction(h.x, nil, graph.Reduction{Op: reduce.Max, Axes: axes}), dtype.Float64)
	same := b.MapNode(kernel.Equal, []*graph.Node{lo, hi}, []int{})
	h.lo = b.MapNode(kernel.Where, []*graph.Node{same, b.MapNode(kernel.Sub, []*graph.Node{lo, half}, []int{}), lo}, []int{})
	h.hi = b.MapNode(kernel.Where, []*graph.Node{same, b.MapNode(kernel.Add, []*graph.Node{hi, half}, []int{}), hi}, []int{})
	return nil
}

func bindHistogram(b *binder, c *call) (value, error) {
	h, err := b.histogram(c)
	if err != nil {
		return value{}, err
	}

	if err := count.CheckRoom(b.Limits(), c.name(), h.bins); err != nil {
		return value{}, err
	}
	args, t, err := b.weighted(c, h.x, []*graph.Node{h.x, h.lo, h.hi})
	if err != nil {
		return value{}, err
	}

	n := graph.Node{Kind: graph.NodeHistogram, Bulk: count.Work{}, Args: args, DType: t, Shape: []int{h.bins}, NumBins: h.bins, Edges: h.edges}
	counts := b.Add(n, graph.ShapeKey(n.Shape)+edgesKey(h.edges))

	// With float32 weights the counts are float64 sums; convert them at the end, as NumPy does.
	if w, ok, err := c.value("weights"); !ok || err != nil || w.node == nil || w.node.DType != dtype.Float32 {
		return value{node: counts}, err
	}
	return value{node: b.Cast(counts, dtype.Float32)}, nil
}

// weighted adds the weights of a count to its operands, and returns the type of the counts.
func (b *binder) weighted(c *call, x *graph.Node, args []*graph.Node) ([]*graph.Node, dtype.Type, error) {
	if c.arg("weights") == nil {
		return args, dtype.Int64, nil
	}
	w, err := c.operand("weights")
	if err != nil {
		return nil, dtype.Invalid, err
	}
	if err := (takesBool | takesReal).check("weights", w.DType); err != nil {
		return nil, dtype.Invalid, err
	}
	if syntax.FormatShape(w.Shape) != syntax.FormatShape(x.Shape) {
		return nil, dtype.Invalid, fmt.Errorf("weights of shape %s for elements of shape %s", syntax.FormatShape(w.Shape), syntax.FormatShape(x.Shape))
	}
	return append(args, b.Cast(w, dtype.Float64)), dtype.Float64, nil
}

// edgesKey returns a key of the given edges. It differs from the key of edges that are not given.
func edgesKey(edges []float64) string {
	var key []byte
	for _, v := range edges {
		key = strconv.AppendUint(append(key, ' '), math.Float64bits(v), 36)
	}
	return string(key)
}

// bindEdges returns the given edges. Without them it returns bins + 1 numbers from the lowest to
// the highest edge, as numpy.linspace makes them.
func bindEdges(b *binder, c *call) (value, error) {
	h, err := b.histogram(c)
	if err != nil {
		return value{}, err
	}

	if h.edges != nil {
		n, err := c.operand("bins")
		return value{node: n}, err
	}

	// Edge i is lo + i * ((hi - lo) / bins), on an array of the numbers 0 to bins.
	count, err := generate.Arange(dtype.Float64, dtype.ScalarOf(0.0), dtype.ScalarOf(1.0), h.bins+1)
	if err != nil {
		return value{}, err
	}
	shape := []int{h.bins + 1}
	l, err := view.NewLayout(shape...)
	if err != nil {
		return value{}, err
	}

	i, bins := b.Generated(count, l), b.Scalar(dtype.ScalarOf(float64(h.bins)))
	step := b.MapNode(kernel.Div, []*graph.Node{b.MapNode(kernel.Sub, []*graph.Node{h.hi, h.lo}, []int{}), bins}, []int{})
	edge := b.MapNode(kernel.Add, []*graph.Node{b.MapNode(kernel.Mul, []*graph.Node{i, step}, shape), h.lo}, shape)

	// The last edge is hi itself: the formula may miss it by rounding.
	last := b.MapNode(kernel.Equal, []*graph.Node{i, bins}, shape)
	return value{node: b.MapNode(kernel.Where, []*graph.Node{last, h.hi, edge}, shape)}, nil
}

// bindBincount evaluates the largest element while it binds, as that gives the length of the
// result.
func bindBincount(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	if graph.NumElems(x.Shape) == 0 { // [] has type float64
		x = b.Cast(x, dtype.Int64)
	}

	if err := takesWhole.check(c.name(), x.DType); err != nil {
		return value{}, err
	}
	if len(x.Shape) != 1 {
		return value{}, fmt.Errorf("bincount of shape %s: expected one axis", syntax.FormatShape(x.Shape))
	}

	length, err := c.int("minlength", 0)
	if err != nil {
		return value{}, err
	}
	if length < 0 || length > count.MaxBins {
		return value{}, c.arg("minlength").At.Errorf("minlength is from 0 to %d", count.MaxBins)
	}

	if x.Shape[0] > 0 {
		largest, err := b.largestIndex(x)
		if err != nil {
			return value{}, err
		}
		length = max(length, largest+1)
	}

	if err := count.CheckRoom(b.Limits(), c.name(), length); err != nil {
		return value{}, err
	}
	args, t, err := b.weighted(c, x, []*graph.Node{x})
	if err != nil {
		return value{}, err
	}

	if x.Shape[0] == 0 {
		args, t = args[:1], dtype.Int64 // as in NumPy, also with weights
	}

	n := graph.Node{Kind: graph.NodeBincount, Bulk: count.Work{}, Args: args, DType: t, Shape: []int{length}, NumBins: length}
	return value{node: b.Add(n, graph.ShapeKey(n.Shape))}, nil
}

// largestIndex returns the largest of integers. A negative one is an error: as uint64 it is larger
// than any count.
func (b *binder) largestIndex(x *graph.Node) (int, error) {
	v, err := b.Value(b.Reduction(b.Cast(x, dtype.Uint64), nil, graph.Reduction{Op: reduce.Max, Axes: []int{0}}))
	if err != nil {
		return 0, err
	}
	largest, exact := v.Int64()
	switch {
	case exact && largest < count.MaxBins:
		return int(largest), nil
	case exact || x.DType.Kind() == dtype.KindUint:
		return 0, fmt.Errorf("bincount of %v: expected elements below %d", v, count.MaxBins)
	}
	return 0, fmt.Errorf("bincount of %v: expected no negative elements", v.Convert(dtype.Int64))
}
