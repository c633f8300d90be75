package compute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// searchFunctions find places among sorted elements.
var searchFunctions = []function{
	{name: "searchsorted", params: "a, v, side=\"left\"", bind: bindSearch, doc: "where each of v belongs among sorted elements: before equal ones, or behind them (\"right\")"},
	{name: "digitize", params: "x, bins, right=False", bind: bindDigitize, doc: "in which of the bins between edges, which ascend or descend, each element is"},
}

// searching is the places of args[1] among the sorted elements args[0].
type searching struct {
	after bool
	keyed order.Coding // of complex128, it tells only the size: its keys are order.Wide
}

// String implements bulk.
func (k *searching) String() string {
	if k.after {
		return "places behind equal elements"
	}
	return "places before equal elements"
}

// memory implements bulk.
func (k *searching) memory(n *node, o *Options) int64 {
	if bytes := k.keyBytes(numElems(n.args[0].shape)); k.copies(bytes, o) {
		return bytes
	}
	return 0
}

// keyBytes returns the size of the keys of some elements.
func (k *searching) keyBytes(n int) int64 { return int64(n) * int64(max(64, k.keyed.Bits())/8) }

// copies reports whether the keys of all elements, of which there are so many bytes, are kept in memory while they are searched.
func (k *searching) copies(bytes int64, o *Options) bool { return bytes <= o.MemoryLimit/8 }

// run implements bulk.
func (k *searching) run(w *bulkWork) error {
	if w.args[0].DType() == dtype.Complex128 {
		return searchBy[order.Wide](k, w)
	}
	return searchBy[uint64](k, w)
}

// searchBy finds the places by keys of one kind.
func searchBy[K order.Sought](k *searching, w *bulkWork) (err error) {
	x, err := pieces.Open(w.args[1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	a, err := pieces.Open(w.args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	var sorted *order.Sorted[K]
	storages := a.Storages()
	err = mmapstore.GuardAll(func() error {
		elems := []byte{}
		if a.NumElems > 0 {
			if elems, err = a.Fetch(a.Buffer(a.NumElems), 0, a.NumElems); err != nil {
				return err
			}
		}
		sorted = order.NewSorted[K](k.keyed, elems, k.copies(k.keyBytes(a.NumElems), &w.plan.opts))
		return nil
	}, storages...)
	if err != nil || x.NumElems == 0 {
		return err
	}
	out := w.dst.Writer()
	return w.eachOf(chunkedBy{(x.NumElems + searchChunk - 1) / searchChunk, func() func(int) error {
		buf, keys, at := x.Buffer(searchChunk), make([]K, searchChunk), pieces.AlignedBytes(8*searchChunk)
		return func(chunk int) error {
			first := chunk * searchChunk
			n := min(searchChunk, x.NumElems-first)
			b, err := x.Fetch(buf, first, n)
			if err != nil {
				return err
			}
			order.EncodeSought(k.keyed, keys[:n], b)
			sorted.Search(pieces.As[int64](at)[:n], keys[:n], k.after)
			_, err = out.WriteAt(at[:8*n], int64(8*first))
			return err
		}
	}}, storages, x)
}

// searchChunk is the number of elements that a worker searches places for at a time.
const searchChunk = 1 << 14

// search returns the places of x among the sorted elements of a.
func (b *binder) search(name string, a, x *node, after bool) (*node, error) {
	if len(a.shape) != 1 {
		return nil, fmt.Errorf("%s among elements of shape %s: expected one axis", name, formatShape(a.shape))
	}
	t := meetingType(value{node: a}, value{node: x})
	keyed, _ := order.CodingOf(t)
	args := []*node{b.cast(a, t), b.cast(x, t)}
	return b.bulkNode(node{args: args, dtype: dtype.Int64, shape: x.shape, bulk: &searching{after: after, keyed: keyed}}), nil
}

func bindSearch(b *binder, c *call) (value, error) {
	a, err1 := c.operand("a")
	v, err2 := c.operand("v")
	if err := errors.Join(err1, err2); err != nil {
		return value{}, err
	}
	side := "left"
	if t := c.arg("side"); t != nil {
		side, _ = c.text("side")
		if side != "left" && side != "right" {
			return value{}, t.at.errorf("side is \"left\" or \"right\"")
		}
	}
	n, err := b.search(c.name(), a, v, side == "right")
	return value{node: n}, err
}

func bindDigitize(b *binder, c *call) (value, error) {
	x, err1 := c.operand("x")
	bins, err2 := c.operand("bins")
	right, err3 := c.flag("right", false)
	if err := errors.Join(err1, err2, err3); err != nil {
		return value{}, err
	}
	if err := (takesBool | takesReal).check(c.name(), x.dtype); err != nil {
		return value{}, err
	}
	if len(bins.shape) != 1 {
		return value{}, c.arg("bins").at.errorf("bins of shape %s: expected one axis", formatShape(bins.shape))
	}
	up, down, err := b.monotonic(bins)
	if err != nil {
		return value{}, err
	}
	switch {
	case up:
		n, err := b.search(c.name(), bins, x, !right)
		return value{node: n}, err
	case !down:
		return value{}, c.arg("bins").at.errorf("bins ascend or descend")
	}
	if bins, err = b.view(bins, reverseStep); err != nil {
		return value{}, err
	}
	n, err := b.search(c.name(), bins, x, !right)
	if err != nil {
		return value{}, err
	}
	count := b.scalar(dtype.ScalarOf(int64(bins.shape[0])))
	n, err = b.apply(c.name(), kernel.Sub, count, n)
	return value{node: n}, err
}

var reverseStep = mustMethods("[::-1]")

// monotonic reports whether elements ascend, and whether they descend, as float64.
func (b *binder) monotonic(n *node) (up, down bool, err error) {
	if err := (takesBool | takesReal).check("digitize", n.dtype); err != nil {
		return false, false, err
	}
	values, err := b.float64s(n)
	up = slices.IsSorted(values)
	slices.Reverse(values)
	return up, slices.IsSorted(values), err
}

// float64s returns the elements of n as float64, which are computed now.
func (b *binder) float64s(n *node) (values []float64, err error) {
	t, err := b.elements(b.cast(n, dtype.Float64))
	if err != nil {
		return nil, err
	}
	err = t.Blocks(0, func(p []byte) error {
		for ; len(p) > 0; p = p[8:] {
			values = append(values, dtype.Load(dtype.Float64, p).Float64())
		}
		return nil
	})
	return values, err
}
