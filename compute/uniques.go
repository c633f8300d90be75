package compute

import (
	"fmt"
	"math"

	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// setFunctions tell which elements there are. As they make arrays whose length depends on elements, they are computed while a
// program is planned.
var setFunctions = []function{
	{name: "unique", params: "a", bind: bindUnique(uniqueValues), doc: "the elements that differ, sorted; all NaNs are one"},
	{name: "unique_counts", params: "a", bind: bindUnique(uniqueCounts), doc: "how often each of unique(a) is among the elements"},
	{name: "unique_index", params: "a", bind: bindUnique(uniqueIndex), doc: "the first index, in C order, of each of unique(a)"},
	{name: "unique_inverse", params: "a", bind: bindUnique(uniqueInverse), doc: "the index in unique(a) of each element"},
}

// uniqueWhat says which of the results of numpy.unique is wanted.
type uniqueWhat uint8

const (
	uniqueValues uniqueWhat = iota
	uniqueCounts
	uniqueIndex
	uniqueInverse
)

func bindUnique(what uniqueWhat) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		if x.dtype.Size() <= 2 && what != uniqueIndex {
			t, err := b.narrowUnique(what, x)
			if err != nil {
				return value{}, err
			}
			return value{node: b.tensor(t, "")}, nil
		}
		k := sorting{name: "sort", axes: allAxes(len(x.shape)), first: numElems(x.shape)}
		k.keys(x.dtype)
		u := &uniques{binder: b, keyed: k.keyed, dtype: x.dtype, n: k.first}
		if u.sorted, err = b.elements(b.sorted(x, k, []int{k.first})); err != nil {
			return value{}, err
		}
		if what >= uniqueIndex {
			k.name, k.indexes = "argsort", true
			if u.order, err = b.elements(b.sorted(x, k, []int{k.first})); err != nil {
				return value{}, err
			}
		}
		t, err := u.result(what, x)
		if err != nil {
			return value{}, err
		}
		return value{node: b.tensor(t, "")}, nil
	}
}

// uniques are the elements of an array in order, with their indexes where these are wanted.
type uniques struct {
	*binder
	keyed  order.Coding
	dtype  dtype.Type
	n      int
	sorted *view.Tensor
	order  *view.Tensor
}

// result returns the tensor that is wanted of the elements of x.
func (u *uniques) result(what uniqueWhat, x *node) (*view.Tensor, error) {
	groups, err := u.groups()
	if err != nil {
		return nil, err
	}
	shape, t := []int{groups}, dtype.Int64
	switch what {
	case uniqueValues:
		t = x.dtype
	case uniqueInverse:
		shape = x.shape
	}
	dst, err := u.newTensor(t, shape)
	if err != nil {
		return nil, err
	}
	return dst, dst.Storage().With(func(to []byte) error { return u.fill(what, to, groups) })
}

// groups counts elements that differ from the one before.
func (u *uniques) groups() (groups int, err error) {
	return groups, u.each(func(_ int, fresh bool, _ []byte) error {
		if fresh {
			groups++
		}
		return nil
	})
}

// fill stores what is wanted of each group.
func (u *uniques) fill(what uniqueWhat, to []byte, groups int) error {
	size, group, start := u.dtype.Size(), -1, 0
	indexes, err := u.indexes()
	if err != nil {
		return err
	}
	err = u.each(func(i int, fresh bool, elem []byte) error {
		if fresh {
			if group++; group >= groups {
				return errChanged
			}
		}
		switch {
		case what == uniqueInverse:
			dtype.ScalarOf(int64(group)).Store(to[8*indexes(i):])
		case !fresh:
		case what == uniqueValues:
			copy(to[group*size:], elem)
		case what == uniqueIndex:
			dtype.ScalarOf(indexes(i)).Store(to[8*group:])
		case group > 0:
			dtype.ScalarOf(int64(i - start)).Store(to[8*(group-1):])
		}
		if fresh {
			start = i
		}
		return nil
	})
	if err == nil && what == uniqueCounts && group >= 0 {
		dtype.ScalarOf(int64(u.n - start)).Store(to[8*group:])
	}
	return err
}

// indexes returns a function that tells which element is the one at a position of the sorted ones.
func (u *uniques) indexes() (func(position int) int64, error) {
	if u.order == nil {
		return nil, nil
	}
	r := u.order.Reader()
	var buf [8 << 10]byte
	first, n := 0, 0 // positions in buf
	return func(position int) int64 {
		if position >= first+n {
			first = position
			read, err := r.ReadAt(buf[:], int64(position)*8)
			if n = read / 8; n == 0 {
				panic(fmt.Sprintf("BUG: compute: index %d of sorted elements: %v", position, err))
			}
		}
		v, _ := dtype.Load(dtype.Int64, buf[8*(position-first):]).Int64()
		return v
	}, nil
}

// each calls fn with the sorted elements, and whether each differs from the one before.
func (u *uniques) each(fn func(i int, fresh bool, elem []byte) error) error {
	size := u.dtype.Size()
	elems, keys := pieces.AlignedBytes(laneChunk*size), make([]order.Wide, laneChunk)
	at, last := 0, order.Wide{}
	return u.sorted.Blocks(len(elems), func(b []byte) error {
		n := copy(elems, b) / size
		u.equalKeys(keys[:n], elems[:n*size])
		for i, key := range keys[:n] {
			if err := fn(at+i, at+i == 0 || key != last, elems[i*size:(i+1)*size]); err != nil {
				return err
			}
			last = key
		}
		at += n
		return u.ctx.Err()
	})
}

// equalKeys sets keys to the keys of elems. Equal elements get equal keys; all NaNs share one.
func (u *uniques) equalKeys(keys []order.Wide, elems []byte) {
	nan := order.Wide{Key: math.MaxUint64, Low: math.MaxUint64}
	if u.dtype == dtype.Complex128 {
		order.EncodeWide(keys, elems, true)
		for i, key := range keys {
			if key.IsNaN() {
				keys[i] = nan
			}
		}
		return
	}
	var some [512]uint64
	size := u.dtype.Size()
	for at := 0; at < len(keys); at += len(some) {
		n := min(len(some), len(keys)-at)
		order.EncodeEqual(u.keyed, some[:n], elems[at*size:(at+n)*size])
		for i, key := range some[:n] {
			keys[at+i] = order.Wide{Key: key}
			if u.keyed.IsNaN(key) {
				keys[at+i] = nan
			}
		}
	}
}
