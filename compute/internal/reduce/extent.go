package reduce

// Extent returns the bytes [lo, hi) of input k that a chunk touches, and those between them, counted from its element
// with all indexes 0.
func (e *Engine) Extent(k, chunk int) (lo, hi int) {
	var b box
	e.axes.locate(chunk, &b)
	n := &e.axes.nest
	lo = n.Start[k]
	hi = lo
	for axis, stride := range n.Strides[k] {
		from, to := b.low[axis]*stride, (b.low[axis]+b.size[axis]-1)*stride
		lo, hi = lo+min(from, to), hi+max(from, to)
	}
	return lo, hi + n.ElemSizes[k]
}
