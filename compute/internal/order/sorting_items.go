package order

import "github.com/tstore/tstore/compute/internal/pieces"

// A loader makes items of packed elements, whose first one has a number in its lane.
type loader[E Item] func(s *sorter, items []E, elems []byte, first int)

// A storer makes elements, or indexes, of items.
type storer[E Item] func(s *sorter, out []byte, items []E)

func loadKeys[K Key](s *sorter, items []K, elems []byte, _ int) {
	Encode(s.keyed, items, elems)
	if s.Descending {
		for i := range items {
			items[i] = ^items[i]
		}
	}
}

func storeKeys[K Key](s *sorter, out []byte, items []K) {
	if s.Descending {
		for i := range items {
			items[i] = ^items[i]
		}
	}
	Decode(s.keyed, out, items)
}

// loadPacked puts keys of at most 32 bits over indexes.
func loadPacked(s *sorter, items []uint64, elems []byte, first int) {
	EncodeEqual(s.keyed, items, elems)
	flip := uint64(0)
	if s.Descending {
		flip = 1<<32 - 1
	}
	for i, key := range items {
		items[i] = (key^flip)<<32 | uint64(first+i)
	}
}

func storePacked(_ *sorter, out []byte, items []uint64) {
	to := pieces.As[int64](out)
	for i, e := range items {
		to[i] = int64(uint32(e))
	}
}

func loadPairs(s *sorter, items []Pair, elems []byte, first int) {
	var keys [512]uint64
	size, flip := s.keyed.Bits()/8, uint64(0)
	if s.Descending {
		flip--
	}
	for at := 0; at < len(items); at += len(keys) {
		n := min(len(keys), len(items)-at)
		EncodeEqual(s.keyed, keys[:n], elems[at*size:(at+n)*size])
		for i, key := range keys[:n] {
			items[at+i] = Pair{Key: key ^ flip, Index: uint64(first + at + i)}
		}
	}
}

func storePairs(_ *sorter, out []byte, items []Pair) {
	to := pieces.As[int64](out)
	for i, e := range items {
		to[i] = int64(e.Index)
	}
}

func loadWide(s *sorter, items []Wide, elems []byte, _ int) {
	EncodeWide(items, elems, false)
	s.turn(items)
}

func storeWide(s *sorter, out []byte, items []Wide) {
	s.turn(items)
	DecodeWide(out, items)
}

// turn turns the order of keys around if they are to descend.
func (s *sorter) turn(items []Wide) {
	if !s.Descending {
		return
	}
	for i, e := range items {
		items[i] = Wide{Key: ^e.Key, Low: ^e.Low}
	}
}

func loadWidePairs(s *sorter, items []WidePair, elems []byte, first int) {
	var keys [256]Wide
	for at := 0; at < len(items); at += len(keys) {
		n := min(len(keys), len(items)-at)
		EncodeWide(keys[:n], elems[16*at:16*(at+n)], true)
		s.turn(keys[:n])
		for i, key := range keys[:n] {
			items[at+i] = WidePair{Key: key.Key, Low: key.Low, Index: uint64(first + at + i)}
		}
	}
}

func storeWidePairs(_ *sorter, out []byte, items []WidePair) {
	to := pieces.As[int64](out)
	for i, e := range items {
		to[i] = int64(e.Index)
	}
}

// low returns the bits of items that are no key.
func low[E Item](s *sorter) uint {
	if s.Indexes && ItemBytes[E]() == 8 {
		return 32
	}
	return 0
}
