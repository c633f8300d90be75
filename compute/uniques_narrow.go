package compute

import (
	"cmp"
	"errors"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// narrowUniques are the elements of an array of at most 16 bits that differ: they are counted by their bits, so that only what
// occurs is sorted.
type narrowUniques struct {
	*binder
	x      *pieces.Operand
	values []dtype.Scalar // that differ, in order
	counts []int64        // of each of them
	index  []int32        // of each pattern of bits: which of the values it is, or -1
}

// narrowUnique returns the values that differ in x, how often each occurs, or which of them each element is.
func (b *binder) narrowUnique(what uniqueWhat, x *node) (made *view.Tensor, err error) {
	t, err := b.stored(x)
	if err != nil {
		return nil, err
	}
	u := &narrowUniques{binder: b}
	if u.x, err = pieces.Open(t); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, u.x.Close()) }()
	if err := u.count(); err != nil {
		return nil, err
	}
	switch what {
	case uniqueValues:
		return u.made(x.dtype, []int{len(u.values)}, func(to []byte) error {
			for i, v := range u.values {
				v.Store(to[i*x.dtype.Size():])
			}
			return nil
		})
	case uniqueCounts:
		return u.made(dtype.Int64, []int{len(u.counts)}, func(to []byte) error {
			copy(pieces.As[int64](to), u.counts)
			return nil
		})
	}
	return u.inverse(x.shape)
}

// made returns a new tensor with the elements that fill stores.
func (u *narrowUniques) made(t dtype.Type, shape []int, fill func(to []byte) error) (*view.Tensor, error) {
	dst, err := u.newTensor(t, shape)
	if err != nil {
		return nil, err
	}
	return dst, dst.Storage().With(fill)
}

// count counts the patterns and puts those that occur in order. Zeros of both signs are one value, -0 if it occurs, and so
// are all NaNs.
func (u *narrowUniques) count() error {
	t := u.x.DType
	var table tallyTable
	counted := &tally{operand: u.x, newCounter: func() func([]byte) error {
		return patternCounter(t, *table.add(numPatterns(t)))
	}}
	if err := exec.Run(u.ctx, counted, exec.Options{Parallelism: u.opts.Parallelism, Storages: u.x.Storages()}); err != nil {
		return err
	}

	// Of patterns in the order of their keys, those of one value are neighbours.
	coding, _ := order.CodingOf(t)
	type pattern struct {
		bits       int
		key, equal uint32
	}
	var found []pattern
	counts := table.total(numPatterns(t))
	for bits, n := range counts {
		if n > 0 {
			p, elem := pattern{bits: bits}, pieces.AlignedBytes(2)
			elem[0], elem[1] = byte(bits), byte(bits>>8)
			var key [1]uint32
			order.Encode(coding, key[:], elem[:t.Size()])
			p.key = key[0]
			order.EncodeEqual(coding, key[:], elem[:t.Size()])
			p.equal = key[0]
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(p, q pattern) int { return cmp.Compare(p.key, q.key) })

	u.index = make([]int32, len(counts))
	for i := range u.index {
		u.index[i] = -1
	}
	for i, p := range found {
		if i == 0 || p.equal != found[i-1].equal {
			u.values = append(u.values, patternScalar(t, p.bits))
			u.counts = append(u.counts, 0)
		}
		last := len(u.values) - 1
		u.counts[last] += counts[p.bits]
		u.index[p.bits] = int32(last)
	}
	return nil
}

// inverse returns which of the values each element is.
func (u *narrowUniques) inverse(shape []int) (*view.Tensor, error) {
	dst, err := u.newTensor(dtype.Int64, shape)
	if err != nil {
		return nil, err
	}
	storages := append([]*mmapstore.Storage{dst.Storage()}, u.x.Storages()...)
	return dst, dst.Storage().With(func(to []byte) error {
		all := pieces.As[int64](to)
		look := chunkedBy{chunks: (u.x.NumElems + chunkElems - 1) / chunkElems, newWorker: func() func(int) error {
			buf := u.x.Buffer(chunkElems)
			return func(chunk int) error {
				first := chunk * chunkElems
				n := min(chunkElems, u.x.NumElems-first)
				b, err := u.x.Fetch(buf, first, n)
				if err != nil {
					return err
				}
				if u.x.DType.Size() == 1 {
					return lookUp(all[first:first+n], b, u.index)
				}
				return lookUp(all[first:first+n], pieces.As[uint16](b), u.index)
			}
		}}
		return exec.Run(u.ctx, look, exec.Options{Parallelism: u.opts.Parallelism, Storages: storages})
	})
}

// lookUp sets dst to what a table has for patterns, all of which it had when it was made.
func lookUp[P uint8 | uint16](dst []int64, patterns []P, table []int32) error {
	for i, p := range patterns {
		v := table[p]
		if v < 0 {
			return errChanged
		}
		dst[i] = int64(v)
	}
	return nil
}
