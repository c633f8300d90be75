package compute

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

const (
	// maxBins bounds the counts that a histogram keeps in memory.
	maxBins = 1 << 28
	// leastCounts is the memory that counts may take whatever the limit is.
	leastCounts = 64 << 20
)

// A histogram is a call of histogram: what is counted, and the nodes of the outer edges, of type float64.
type histogram struct {
	x      *node
	bins   int
	lo, hi *node
	edges  []float64 // all edges, if these were given
}

func (b *binder) histogram(c *call) (h histogram, err error) {
	if h.x, err = c.operand("a"); err != nil {
		return h, err
	}
	if err := (takesBool | takesReal).check(c.name(), h.x.dtype); err != nil {
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
	if h.bins < 1 || h.bins > maxBins {
		return h, c.arg("bins").at.errorf("bins are from 1 to %d", maxBins)
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
	return ok && v.node != nil && len(v.node.shape) > 0, err
}

// readEdges takes all edges from the argument, whose elements are computed now.
func (h *histogram) readEdges(b *binder, c *call) error {
	n, err := c.operand("bins")
	if err != nil {
		return err
	}
	at := c.arg("bins").at
	switch {
	case c.arg("range") != nil:
		return c.arg("range").at.errorf("a range beside the edges of bins: expected one of them")
	case len(n.shape) != 1:
		return at.errorf("bins of shape %s: expected one axis, of edges", formatShape(n.shape))
	case n.shape[0] > maxBins:
		return at.errorf("bins are from 1 to %d", maxBins)
	}
	if err := (takesBool | takesReal).check("bins of "+c.name(), n.dtype); err != nil {
		return at.wrap(err)
	}
	if err := roomForCounts(b.limits(), c.name(), n.shape[0]); err != nil {
		return err
	}
	if h.edges, err = b.float64s(n); err != nil {
		return err
	}
	if _, err := givenEdges(h.edges); err != nil {
		return at.wrap(err)
	}
	h.bins = len(h.edges) - 1
	h.lo, h.hi = b.scalar(dtype.ScalarOf(h.edges[0])), b.scalar(dtype.ScalarOf(h.edges[h.bins]))
	return nil
}

// readRange takes the outer edges from the arguments.
func (h *histogram) readRange(b *binder, c *call) error {
	t := c.arg("range")
	if t.kind != termTuple && t.kind != termList || len(t.args) != 2 {
		return t.at.errorf("range is two numbers: (low, high)")
	}
	var edges [2]float64
	for i, e := range t.args {
		v, err := b.bind(e)
		if err != nil {
			return err
		}
		n, ok := v.constant()
		if !ok || n.kind == dtype.KindComplex {
			return e.at.errorf("range is two real numbers")
		}
		if edges[i], err = n.float(); err != nil {
			return e.at.wrap(err)
		}
	}
	lo, hi := edges[0], edges[1]
	if !(lo <= hi) || !isFinite(lo) || !isFinite(hi) {
		return t.at.errorf("range from %v to %v: expected finite numbers, the lower one first", lo, hi)
	}
	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}
	h.lo, h.hi = b.scalar(dtype.ScalarOf(lo)), b.scalar(dtype.ScalarOf(hi))
	return nil
}

// findRange takes the smallest and the largest element; a range of nothing becomes one of width 1.
func (h *histogram) findRange(b *binder) error {
	half, zero, one := b.scalar(dtype.ScalarOf(0.5)), b.scalar(dtype.ScalarOf(0.0)), b.scalar(dtype.ScalarOf(1.0))
	if numElems(h.x.shape) == 0 {
		h.lo, h.hi = zero, one
		return nil
	}
	axes := allAxes(len(h.x.shape))
	lo := b.cast(b.reduction(h.x, nil, reduction{op: reduce.Min, axes: axes}), dtype.Float64)
	hi := b.cast(b.reduction(h.x, nil, reduction{op: reduce.Max, axes: axes}), dtype.Float64)
	same := b.mapNode(kernel.Equal, []*node{lo, hi}, []int{})
	h.lo = b.mapNode(kernel.Where, []*node{same, b.mapNode(kernel.Sub, []*node{lo, half}, []int{}), lo}, []int{})
	h.hi = b.mapNode(kernel.Where, []*node{same, b.mapNode(kernel.Add, []*node{hi, half}, []int{}), hi}, []int{})
	return nil
}

func bindHistogram(b *binder, c *call) (value, error) {
	h, err := b.histogram(c)
	if err != nil {
		return value{}, err
	}
	if err := roomForCounts(b.limits(), c.name(), h.bins); err != nil {
		return value{}, err
	}
	args, t, err := b.weighted(c, h.x, []*node{h.x, h.lo, h.hi})
	if err != nil {
		return value{}, err
	}
	n := node{kind: nodeHistogram, bulk: counting{}, args: args, dtype: t, shape: []int{h.bins}, numBins: h.bins, edges: h.edges}
	counts := b.add(n, shapeKey(n.shape)+edgesKey(h.edges))
	if w, ok, err := c.value("weights"); !ok || err != nil || w.node == nil || w.node.dtype != dtype.Float32 {
		return value{node: counts}, err
	}
	return value{node: b.cast(counts, dtype.Float32)}, nil
}

// roomForCounts checks that counts fit in memory, where they are while elements are counted, once by themselves and once
// as the result.
func roomForCounts(o *limits, name string, n int) error {
	need, limit := 16*int64(n), max(o.MemoryLimit, leastCounts)
	if need <= limit {
		return nil
	}
	return fmt.Errorf("%s of %d counts takes %s of memory, the limit is %s: raise the memory limit, or count parts, such as the elements of some range",
		name, n, formatBytes(need), formatBytes(limit))
}

// weighted adds the weights of a count to its operands, and returns the type of the counts.
func (b *binder) weighted(c *call, x *node, args []*node) ([]*node, dtype.Type, error) {
	if c.arg("weights") == nil {
		return args, dtype.Int64, nil
	}
	w, err := c.operand("weights")
	if err != nil {
		return nil, dtype.Invalid, err
	}
	if err := (takesBool | takesReal).check("weights", w.dtype); err != nil {
		return nil, dtype.Invalid, err
	}
	if formatShape(w.shape) != formatShape(x.shape) {
		return nil, dtype.Invalid, fmt.Errorf("weights of shape %s for elements of shape %s", formatShape(w.shape), formatShape(x.shape))
	}
	return append(args, b.cast(w, dtype.Float64)), dtype.Float64, nil
}

// edgesKey tells apart edges that are given, and those that are not.
func edgesKey(edges []float64) string {
	var key []byte
	for _, v := range edges {
		key = strconv.AppendUint(append(key, ' '), math.Float64bits(v), 36)
	}
	return string(key)
}

// bindEdges returns the edges that are given, or bins + 1 numbers from the lowest to the highest edge, as numpy.linspace makes them.
func bindEdges(b *binder, c *call) (value, error) {
	h, err := b.histogram(c)
	if err != nil {
		return value{}, err
	}
	if h.edges != nil {
		n, err := c.operand("bins")
		return value{node: n}, err
	}
	count, err := Arange(dtype.Float64, dtype.ScalarOf(0.0), dtype.ScalarOf(1.0), h.bins+1)
	if err != nil {
		return value{}, err
	}
	shape := []int{h.bins + 1}
	l, err := view.NewLayout(shape...)
	if err != nil {
		return value{}, err
	}
	i, bins := b.generated(count, l), b.scalar(dtype.ScalarOf(float64(h.bins)))
	step := b.mapNode(kernel.Div, []*node{b.mapNode(kernel.Sub, []*node{h.hi, h.lo}, []int{}), bins}, []int{})
	edge := b.mapNode(kernel.Add, []*node{b.mapNode(kernel.Mul, []*node{i, step}, shape), h.lo}, shape)
	last := b.mapNode(kernel.Equal, []*node{i, bins}, shape)
	return value{node: b.mapNode(kernel.Where, []*node{last, h.hi, edge}, shape)}, nil
}

// bindBincount computes the largest element first, which tells how many counts there are.
func bindBincount(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	if numElems(x.shape) == 0 { // which [] is, of floats
		x = b.cast(x, dtype.Int64)
	}
	if err := takesWhole.check(c.name(), x.dtype); err != nil {
		return value{}, err
	}
	if len(x.shape) != 1 {
		return value{}, fmt.Errorf("bincount of shape %s: expected one axis", formatShape(x.shape))
	}
	length, err := c.int("minlength", 0)
	if err != nil {
		return value{}, err
	}
	if length < 0 || length > maxBins {
		return value{}, c.arg("minlength").at.errorf("minlength is from 0 to %d", maxBins)
	}
	if x.shape[0] > 0 {
		largest, err := b.largestIndex(x)
		if err != nil {
			return value{}, err
		}
		length = max(length, largest+1)
	}
	if err := roomForCounts(b.limits(), c.name(), length); err != nil {
		return value{}, err
	}
	args, t, err := b.weighted(c, x, []*node{x})
	if err != nil {
		return value{}, err
	}
	if x.shape[0] == 0 {
		args, t = args[:1], dtype.Int64 // as in NumPy, also with weights
	}
	n := node{kind: nodeBincount, bulk: counting{}, args: args, dtype: t, shape: []int{length}, numBins: length}
	return value{node: b.add(n, shapeKey(n.shape))}, nil
}

// largestIndex returns the largest of integers, of which none may be negative. As uint64, negative ones are larger than all
// that can be counted.
func (b *binder) largestIndex(x *node) (int, error) {
	v, err := b.value(b.reduction(b.cast(x, dtype.Uint64), nil, reduction{op: reduce.Max, axes: []int{0}}))
	if err != nil {
		return 0, err
	}
	largest, exact := v.Int64()
	switch {
	case exact && largest < maxBins:
		return int(largest), nil
	case exact || x.dtype.Kind() == dtype.KindUint:
		return 0, fmt.Errorf("bincount of %v: expected elements below %d", v, maxBins)
	}
	return 0, fmt.Errorf("bincount of %v: expected no negative elements", v.Convert(dtype.Int64))
}
