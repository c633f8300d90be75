package bind

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/count"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// setFunctions tell which elements there are. As they make arrays whose length depends on elements,
// they are computed while a program is planned.
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

		// Up to 16 bits there are so few values that counting them is faster than sorting.
		if x.DType.Size() <= 2 && what != order.UniqueIndex {
			t, err := b.narrowUnique(what, x)
			if err != nil {
				return value{}, err
			}
			return value{node: b.Tensor(t, "")}, nil
		}

		k := order.Sorting{Name: "sort", Axes: graph.AllAxes(len(x.Shape)), First: graph.NumElems(x.Shape)}
		u := &order.Uniques{Context: b.Context()}
		if u.Sorted, err = b.Elements(b.sorted(x, k, []int{k.First})); err != nil {
			return value{}, err
		}

		if what >= order.UniqueIndex {
			k.Name, k.Indexes = "argsort", true
			if u.Order, err = b.Elements(b.sorted(x, k, []int{k.First})); err != nil {
				return value{}, err
			}
		}

		t, err := b.unique(u, what, x)
		if err != nil {
			return value{}, err
		}
		return value{node: b.Tensor(t, "")}, nil
	}
}

// unique returns the result that what asks for, of the elements of x.
func (b *binder) unique(u *order.Uniques, what order.UniqueWhat, x *graph.Node) (*view.Tensor, error) {
	groups, err := u.Groups()
	if err != nil {
		return nil, err
	}

	shape, t := []int{groups}, dtype.Int64
	switch what {
	case order.UniqueValues:
		t = x.DType
	case order.UniqueInverse:
		shape = x.Shape
	}

	dst, err := b.NewTensor(t, shape)
	if err != nil {
		return nil, err
	}
	return dst, dst.Storage().With(func(to []byte) error { return u.Fill(what, to, groups) })
}

// narrowUnique returns the distinct values of x, how often each occurs, or which of them each
// element is. x has at most 16 bits. Elements are counted by their bits, so that only the values
// that occur are sorted.
func (b *binder) narrowUnique(what order.UniqueWhat, x *graph.Node) (made *view.Tensor, err error) {
	t, err := b.Stored(x)
	if err != nil {
		return nil, err
	}
	o, err := pieces.Open(t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	counts, err := count.Patterns(b.Context(), o, b.Limits().Parallelism)
	if err != nil {
		return nil, err
	}

	// What occurs is all that is known of the elements now: their order, their counts, and the
	// number of each pattern.
	p := order.NewPatterns(x.DType, counts)
	switch what {
	case order.UniqueValues:
		return b.filled(x.DType, []int{len(p.Values)}, func(to []byte) error {
			for i, v := range p.Values {
				v.Store(to[i*x.DType.Size():])
			}
			return nil
		})
	case order.UniqueCounts:
		return b.filled(dtype.Int64, []int{len(p.Counts)}, func(to []byte) error {
			copy(pieces.As[int64](to), p.Counts)
			return nil
		})
	}
	return b.inverse(p, o, x.Shape)
}

// inverse returns which of the values each element is.
func (b *binder) inverse(p *order.Patterns, o *pieces.Operand, shape []int) (*view.Tensor, error) {
	dst, err := b.NewTensor(dtype.Int64, shape)
	if err != nil {
		return nil, err
	}
	options := exec.Options{Parallelism: b.Limits().Parallelism, Storages: append(o.Storages(), dst.Storage())}
	return dst, dst.Storage().With(func(to []byte) error {
		return exec.Run(b.Context(), p.Inverse(o, pieces.As[int64](to)), options)
	})
}

// filled returns a new tensor with the elements that fill stores.
func (b *binder) filled(t dtype.Type, shape []int, fill func(to []byte) error) (*view.Tensor, error) {
	dst, err := b.NewTensor(t, shape)
	if err != nil {
		return nil, err
	}
	return dst, dst.Storage().With(fill)
}
