package order

import (
	"sort"
	"unsafe"
)

// A Sought is a key that is searched: a Wide of complex128, else one of 64 bits.
type Sought interface{ uint64 | Wide }

// EncodeSought is EncodeEqual for keys that are searched, also of complex128.
func EncodeSought[K Sought](c Coding, keys []K, elems []byte) {
	switch keys := any(keys).(type) {
	case []uint64:
		EncodeEqual(c, keys, elems)
	case []Wide:
		EncodeWide(keys, elems, true)
	}
}

// A Sorted is elements in ascending order, in which keys are searched.
type Sorted[K Sought] struct {
	coding Coding
	elems  []byte
	keys   []K // of all elements, or nil
}

// NewSorted returns packed, aligned elements as a Sorted. If they are to be copied, it has keys for
// all of them.
func NewSorted[K Sought](c Coding, elems []byte, copied bool) *Sorted[K] {
	s := &Sorted[K]{coding: c, elems: elems}
	if copied {
		s.keys = make([]K, len(elems)/c.dtype.Size())
		EncodeSought(c, s.keys, elems)
	}
	return s
}

// Search sets at to the index of the first element that is not below each key. If after is set, it
// is the first element above the key. Keys are those of EncodeSought.
func (s *Sorted[K]) Search(at []int64, keys []K, after bool) {
	n := len(s.elems) / s.coding.dtype.Size()
	for i := range keys {
		high, low := word(&keys[i]), lowest(&keys[i])
		at[i] = int64(sort.Search(n, func(k int) bool {
			other := s.key(k)
			if w := word(&other); w != high {
				return w > high
			}
			if w := lowest(&other); w != low {
				return w > low
			}
			return !after
		}))
	}
}

// lowest returns the lower half of a key, or 0 if it has none.
func lowest[K Sought](key *K) uint64 {
	if unsafe.Sizeof(*key) == 8 {
		return 0
	}
	return *lowOf(key)
}

func (s *Sorted[K]) key(i int) K {
	if s.keys != nil {
		return s.keys[i]
	}
	var key [1]K
	size := s.coding.dtype.Size()
	EncodeSought(s.coding, key[:], s.elems[i*size:(i+1)*size])
	return key[0]
}
