package order

import "sort"

// A Sorted is elements in ascending order, in which keys are searched.
type Sorted struct {
	coding Coding
	elems  []byte
	keys   []uint64 // of all elements, or nil
}

// NewSorted returns packed, aligned elements as a Sorted, which has keys for all of them if they are to be copied.
func NewSorted(c Coding, elems []byte, copied bool) *Sorted {
	s := &Sorted{coding: c, elems: elems}
	if copied {
		s.keys = make([]uint64, len(elems)/c.dtype.Size())
		EncodeEqual(c, s.keys, elems)
	}
	return s
}

// Search sets at to the index of the first element that is not below each key; or, if after is set, that is above it. Keys
// are those of EncodeEqual.
func (s *Sorted) Search(at []int64, keys []uint64, after bool) {
	n := len(s.elems) / s.coding.dtype.Size()
	for i, key := range keys {
		at[i] = int64(sort.Search(n, func(k int) bool {
			other := s.key(k)
			return other > key || other == key && !after
		}))
	}
}

func (s *Sorted) key(i int) uint64 {
	if s.keys != nil {
		return s.keys[i]
	}
	var key [1]uint64
	size := s.coding.dtype.Size()
	EncodeEqual(s.coding, key[:], s.elems[i*size:(i+1)*size])
	return key[0]
}
