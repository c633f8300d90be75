package order

import (
	"context"
	"fmt"
	"math"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A UniqueWhat is one of the results of numpy.unique.
type UniqueWhat uint8

// The results.
const (
	UniqueValues  UniqueWhat = iota // the elements that differ
	UniqueCounts                    // how often each of them occurs
	UniqueIndex                     // the first index of each
	UniqueInverse                   // which of them each element is
)

// Uniques finds the elements that differ among sorted ones. All NaNs are one.
type Uniques struct {
	Context context.Context
	Sorted  *view.Tensor // the elements in order
	Order   *view.Tensor // the index of each before they were sorted, for UniqueIndex and UniqueInverse; else nil
}

// Groups counts elements that differ from the one before.
func (u *Uniques) Groups() (groups int, err error) {
	err = u.each(func(_ int, fresh bool, _ []byte) error {
		if fresh {
			groups++
		}
		return nil
	})
	return groups, err
}

// Fill stores what is wanted of each group.
func (u *Uniques) Fill(what UniqueWhat, to []byte, groups int) error {
	size, group, start := u.Sorted.DType().Size(), -1, 0
	indexes := u.indexes()
	err := u.each(func(i int, fresh bool, elem []byte) error {
		if fresh {
			if group++; group >= groups {
				return errChanged
			}
		}

		// A group is told by its first element; how many it has is known when the next one begins.
		switch {
		case what == UniqueInverse:
			dtype.ScalarOf(int64(group)).Store(to[8*indexes(i):])
		case !fresh:
		case what == UniqueValues:
			copy(to[group*size:], elem)
		case what == UniqueIndex:
			dtype.ScalarOf(indexes(i)).Store(to[8*group:])
		case group > 0:
			dtype.ScalarOf(int64(i - start)).Store(to[8*(group-1):])
		}

		if fresh {
			start = i
		}
		return nil
	})

	// The last group ends where the elements end.
	if err == nil && what == UniqueCounts && group >= 0 {
		dtype.ScalarOf(int64(u.Sorted.NumElems() - start)).Store(to[8*group:])
	}

	return err
}

// indexes returns a function that returns the index of the element at a sorted position. Positions
// are asked for in ascending order, which one buffer serves. indexes returns nil if no order was
// asked for.
func (u *Uniques) indexes() func(position int) int64 {
	if u.Order == nil {
		return nil
	}

	r := u.Order.Reader()
	var buf [8 << 10]byte
	first, n := 0, 0 // positions in buf
	return func(position int) int64 {
		if position >= first+n {
			first = position
			read, err := r.ReadAt(buf[:], int64(position)*8)
			if n = read / 8; n == 0 {
				panic(fmt.Sprintf("BUG: order: index %d of sorted elements: %v", position, err))
			}
		}

		v, _ := dtype.Load(dtype.Int64, buf[8*(position-first):]).Int64()
		return v
	}
}

// each calls fn with the sorted elements, and whether each differs from the one before.
func (u *Uniques) each(fn func(i int, fresh bool, elem []byte) error) error {
	size := u.Sorted.DType().Size()
	elems, keys := pieces.AlignedBytes(bulk.LaneChunk*size), make([]Wide, bulk.LaneChunk)
	at, last := 0, Wide{}
	return u.Sorted.Blocks(len(elems), func(b []byte) error {
		n := copy(elems, b) / size
		u.equalKeys(keys[:n], elems[:n*size])
		for i, key := range keys[:n] {
			if err := fn(at+i, at+i == 0 || key != last, elems[i*size:(i+1)*size]); err != nil {
				return err
			}
			last = key
		}
		at += n
		return u.Context.Err()
	})
}

// equalKeys sets keys to the keys of elems. Equal elements get equal keys; all NaNs share one.
func (u *Uniques) equalKeys(keys []Wide, elems []byte) {
	nan := Wide{Key: math.MaxUint64, Low: math.MaxUint64}

	if u.Sorted.DType() == dtype.Complex128 {
		EncodeWide(keys, elems, true)
		for i, key := range keys {
			if key.IsNaN() {
				keys[i] = nan
			}
		}
		return
	}

	// Encode in blocks, as some keys are narrower than Wide.
	var some [512]uint64
	keyed, _ := CodingOf(u.Sorted.DType())
	size := u.Sorted.DType().Size()
	for at := 0; at < len(keys); at += len(some) {
		n := min(len(some), len(keys)-at)
		EncodeEqual(keyed, some[:n], elems[at*size:(at+n)*size])
		for i, key := range some[:n] {
			keys[at+i] = Wide{Key: key}
			if keyed.IsNaN(key) {
				keys[at+i] = nan
			}
		}
	}
}
