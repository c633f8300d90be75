package compute

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// setFunctions tell which elements there are. As they make arrays whose length depends on elements, they are computed while a
// program is planned.
var setFunctions = []function{
	{name: "unique", params: "a", bind: bindUnique(order.UniqueValues), doc: "the elements that differ, sorted; all NaNs are one"},
	{name: "unique_counts", params: "a", bind: bindUnique(order.UniqueCounts), doc: "how often each of unique(a) is among the elements"},
	{name: "unique_index", params: "a", bind: bindUnique(order.UniqueIndex), doc: "the first index, in C order, of each of unique(a)"},
	{name: "unique_inverse", params: "a", bind: bindUnique(order.UniqueInverse), doc: "the index in unique(a) of each element"},
}

func bindUnique(what order.UniqueWhat) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		if x.dtype.Size() <= 2 && what != order.UniqueIndex {
			t, err := b.narrowUnique(what, x)
			if err != nil {
				return value{}, err
			}
			return value{node: b.tensor(t, "")}, nil
		}
		k := order.Sorting{Name: "sort", Axes: allAxes(len(x.shape)), First: numElems(x.shape)}
		u := &order.Uniques{Context: b.ctx}
		if u.Sorted, err = b.elements(b.sorted(x, k, []int{k.First})); err != nil {
			return value{}, err
		}
		if what >= order.UniqueIndex {
			k.Name, k.Indexes = "argsort", true
			if u.Order, err = b.elements(b.sorted(x, k, []int{k.First})); err != nil {
				return value{}, err
			}
		}
		t, err := b.unique(u, what, x)
		if err != nil {
			return value{}, err
		}
		return value{node: b.tensor(t, "")}, nil
	}
}

// unique returns the tensor that is wanted of the elements of x.
func (b *binder) unique(u *order.Uniques, what order.UniqueWhat, x *node) (*view.Tensor, error) {
	groups, err := u.Groups()
	if err != nil {
		return nil, err
	}
	shape, t := []int{groups}, dtype.Int64
	switch what {
	case order.UniqueValues:
		t = x.dtype
	case order.UniqueInverse:
		shape = x.shape
	}
	dst, err := b.newTensor(t, shape)
	if err != nil {
		return nil, err
	}
	return dst, dst.Storage().With(func(to []byte) error { return u.Fill(what, to, groups) })
}

// narrowUnique returns the values that differ in x, of at most 16 bits, how often each occurs, or which of them each element
// is: they are counted by their bits, so that only what occurs is sorted.
func (b *binder) narrowUnique(what order.UniqueWhat, x *node) (made *view.Tensor, err error) {
	t, err := b.stored(x)
	if err != nil {
		return nil, err
	}
	o, err := pieces.Open(t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	var table tallyTable
	counted := &tally{operand: o, newCounter: func() func([]byte) error {
		return patternCounter(x.dtype, *table.add(numPatterns(x.dtype)))
	}}
	if err := exec.Run(b.ctx, counted, exec.Options{Parallelism: b.opts.Parallelism, Storages: o.Storages()}); err != nil {
		return nil, err
	}

	// What occurs is all that is known of the elements now: their order, their counts, and the number of each pattern.
	p := order.NewPatterns(x.dtype, table.total(numPatterns(x.dtype)))
	switch what {
	case order.UniqueValues:
		return b.filled(x.dtype, []int{len(p.Values)}, func(to []byte) error {
			for i, v := range p.Values {
				v.Store(to[i*x.dtype.Size():])
			}
			return nil
		})
	case order.UniqueCounts:
		return b.filled(dtype.Int64, []int{len(p.Counts)}, func(to []byte) error {
			copy(pieces.As[int64](to), p.Counts)
			return nil
		})
	}
	return b.inverse(p, o, x.shape)
}

// inverse returns which of the values each element is.
func (b *binder) inverse(p *order.Patterns, o *pieces.Operand, shape []int) (*view.Tensor, error) {
	dst, err := b.newTensor(dtype.Int64, shape)
	if err != nil {
		return nil, err
	}
	options := exec.Options{Parallelism: b.opts.Parallelism, Storages: append(o.Storages(), dst.Storage())}
	return dst, dst.Storage().With(func(to []byte) error {
		return exec.Run(b.ctx, p.Inverse(o, pieces.As[int64](to)), options)
	})
}

// filled returns a new tensor with the elements that fill stores.
func (b *binder) filled(t dtype.Type, shape []int, fill func(to []byte) error) (*view.Tensor, error) {
	dst, err := b.newTensor(t, shape)
	if err != nil {
		return nil, err
	}
	return dst, dst.Storage().With(fill)
}
