package bind

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
)

// sortFunctions put elements in order along one axis, the last one if it is left out, or all
// elements in C order if it is None. NaNs come last.
var sortFunctions = []function{
	{name: "sort", params: "a, axis=-1, descending=False", bind: bindSort(order.Sorting{}), doc: "sorted elements; axis=None sorts all, in C order"},
	{name: "argsort", params: "a, axis=-1, descending=False", bind: bindSort(order.Sorting{Indexes: true}), doc: "indexes that sort the elements; those of equal ones ascend"},
	{name: "partition", params: "a, kth, axis=-1", bind: bindPartition(order.Sorting{}), doc: "elements in an order in which those at kth, an index or several, are where sorting puts them"},
	{name: "argpartition", params: "a, kth, axis=-1", bind: bindPartition(order.Sorting{Indexes: true}), doc: "indexes that partition the elements"},
	{name: "topk", params: "a, k, axis=-1, largest=True", bind: bindTop(order.Sorting{}), doc: "the k largest elements, the largest first, or the k smallest; NaN counts as the largest"},
	{name: "argtopk", params: "a, k, axis=-1, largest=True", bind: bindTop(order.Sorting{Indexes: true}), doc: "indexes of the elements of topk; of equal ones the first"},
}

func bindSort(k order.Sorting) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		k := k
		x, shape, err := b.sortArgs(c, &k)
		if err != nil {
			return value{}, err
		}
		if k.Descending, err = c.flag("descending", false); err != nil {
			return value{}, err
		}
		return value{node: b.sorted(x, k, shape)}, nil
	}
}

// bindPartition binds a partition as a full sort, which is one of its valid results. As in NumPy,
// any kth is accepted if there are no elements.
func bindPartition(k order.Sorting) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		k := k
		x, shape, err := b.sortArgs(c, &k)
		if err != nil {
			return value{}, err
		}

		kth, _, _, err := c.ints("kth")
		if err != nil {
			return value{}, err
		}

		for _, i := range kth {
			if (i < -k.First || i >= k.First) && graph.NumElems(x.Shape) > 0 {
				return value{}, c.arg("kth").At.Errorf("kth of %d: expected an index of %d elements", i, k.First)
			}
		}

		return value{node: b.sorted(x, k, shape)}, nil
	}
}

func bindTop(k order.Sorting) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		k := k
		x, shape, err := b.sortArgs(c, &k)
		if err != nil {
			return value{}, err
		}

		if k.Descending, err = c.flag("largest", true); err != nil {
			return value{}, err
		}

		n, err := c.int("k", 0)
		if err != nil {
			return value{}, err
		}
		if n < 0 || n > k.First {
			return value{}, c.arg("k").At.Errorf("k of %d: expected 0 to %d, as many elements as there are", n, k.First)
		}

		k.First, shape[len(shape)-1] = n, n
		if len(k.Axes) == 1 {
			shape[len(shape)-1] = x.Shape[len(x.Shape)-1]
			shape[k.Axes[0]] = n
		}
		return value{node: b.sorted(x, k, shape)}, nil
	}
}

// sortArgs reads the operand and the axis, and returns the shape of the result.
func (b *binder) sortArgs(c *call, k *order.Sorting) (x *graph.Node, shape []int, err error) {
	if x, err = c.operand("a"); err != nil {
		return nil, nil, err
	}

	k.Name = c.name()
	if k.Indexes && len(x.Shape) == 0 {
		if x, err = b.View(x, ravelStep); err != nil {
			return nil, nil, err
		}
	}

	rank := len(x.Shape)
	if c.isNone("axis") {
		k.Axes, k.First = graph.AllAxes(rank), graph.NumElems(x.Shape)
		return x, []int{k.First}, nil
	}

	axis, ok, err := c.axis("axis", rank)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		if axis, err = normalAxis(-1, rank); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.name(), err)
		}
	}

	k.Axes, k.First = []int{axis}, x.Shape[axis]
	return x, slices.Clone(x.Shape), nil
}

// sorted returns the node of a sorting.
func (b *binder) sorted(x *graph.Node, k order.Sorting, shape []int) *graph.Node {
	t := x.DType
	if k.Indexes {
		t = dtype.Int64
	}
	return b.BulkNode(graph.Node{Args: []*graph.Node{x}, DType: t, Shape: shape, Bulk: pass.WholeArrays{Work: &k}})
}
