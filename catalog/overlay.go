package catalog

import (
	"iter"
	"slices"
	"sort"
)

// change is one key written by a transaction that has not committed: its new value, or nil when it was deleted.
type change struct {
	key   string
	value []byte
}

// overlay holds the changes of a transaction to one bucket, in order of the keys. It is a list of short sorted lists,
// so that an insertion moves little. The zero overlay is empty.
type overlay struct {
	chunks [][]change
	count  int
}

// chunkLen is the length at which a chunk is split.
const chunkLen = 512

// find returns the place of the first change whose key is not less than key.
func (o *overlay) find(key []byte) (chunk, i int) {
	chunk = sort.Search(len(o.chunks), func(c int) bool {
		last := o.chunks[c][len(o.chunks[c])-1].key
		return last >= string(key)
	})
	if chunk == len(o.chunks) {
		return chunk, 0
	}
	list := o.chunks[chunk]
	return chunk, sort.Search(len(list), func(i int) bool { return list[i].key >= string(key) })
}

// at returns the change at a place, nil at the end.
func (o *overlay) at(chunk, i int) *change {
	if chunk == len(o.chunks) {
		return nil
	}
	return &o.chunks[chunk][i]
}

// get returns the change of key, nil when there is none.
func (o *overlay) get(key []byte) *change {
	if c := o.at(o.find(key)); c != nil && c.key == string(key) {
		return c
	}
	return nil
}

// seek returns the first change whose key is not less than key, nil when there is none.
func (o *overlay) seek(key []byte) *change { return o.at(o.find(key)) }

// after returns the first change whose key is greater than key, nil when there is none.
func (o *overlay) after(key []byte) *change {
	chunk, i := o.find(key)
	c := o.at(chunk, i)
	if c == nil || c.key != string(key) {
		return c
	}
	if i+1 < len(o.chunks[chunk]) {
		return &o.chunks[chunk][i+1]
	}
	return o.at(chunk+1, 0)
}

// set records the new value of key, nil for a deletion.
func (o *overlay) set(key, value []byte) {
	chunk, i := o.find(key)
	if c := o.at(chunk, i); c != nil && c.key == string(key) {
		c.value = value
		return
	}
	o.count++
	fresh := change{string(key), value}
	if chunk == len(o.chunks) {
		if chunk == 0 {
			o.chunks = [][]change{{fresh}}
			return
		}
		chunk--
		i = len(o.chunks[chunk])
	}
	o.chunks[chunk] = slices.Insert(o.chunks[chunk], i, fresh)
	o.split(chunk)
}

// split cuts a chunk that has become too long. The last one is cut at its end: keys that come in order fill chunks.
func (o *overlay) split(chunk int) {
	list := o.chunks[chunk]
	if len(list) <= chunkLen {
		return
	}
	mid := chunkLen / 2
	if chunk == len(o.chunks)-1 {
		mid = chunkLen
	}
	tail := append(make([]change, 0, chunkLen+1), list[mid:]...)
	o.chunks[chunk] = slices.Clip(list[:mid])
	o.chunks = slices.Insert(o.chunks, chunk+1, tail)
}

// all yields the changes in order of their keys.
func (o *overlay) all() iter.Seq[change] {
	return func(yield func(change) bool) {
		for _, list := range o.chunks {
			for _, c := range list {
				if !yield(c) {
					return
				}
			}
		}
	}
}
