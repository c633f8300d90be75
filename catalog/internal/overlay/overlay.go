// Package overlay holds the keys that a transaction has changed and not committed, in order, to lie
// over those of the last commit.
package overlay

import (
	"iter"
	"slices"
	"sort"
)

// Change is one key written by a transaction that has not committed: its new value, or nil when it
// was deleted.
type Change struct {
	Key   string
	Value []byte
}

// Changes holds the changes of a transaction to one bucket, in order of the keys. It is a list of
// short sorted lists, so that an insertion moves little. The zero value is empty.
type Changes struct {
	chunks [][]Change
	count  int
}

// Len returns the number of changed keys.
func (o *Changes) Len() int { return o.count }

// chunkLen is the length at which a chunk is split.
const chunkLen = 512

// find returns the position of the first change whose key is not less than key.
func (o *Changes) find(key []byte) (chunk, i int) {
	chunk = sort.Search(len(o.chunks), func(c int) bool {
		last := o.chunks[c][len(o.chunks[c])-1].Key
		return last >= string(key)
	})
	if chunk == len(o.chunks) {
		return chunk, 0
	}
	list := o.chunks[chunk]
	return chunk, sort.Search(len(list), func(i int) bool { return list[i].Key >= string(key) })
}

// at returns the change at a position, nil at the end.
func (o *Changes) at(chunk, i int) *Change {
	if chunk == len(o.chunks) {
		return nil
	}
	return &o.chunks[chunk][i]
}

// Get returns the change of key, nil when there is none.
func (o *Changes) Get(key []byte) *Change {
	if c := o.at(o.find(key)); c != nil && c.Key == string(key) {
		return c
	}
	return nil
}

// Seek returns the first change whose key is not less than key, nil when there is none.
func (o *Changes) Seek(key []byte) *Change { return o.at(o.find(key)) }

// After returns the first change whose key is greater than key, nil when there is none.
func (o *Changes) After(key []byte) *Change {
	chunk, i := o.find(key)
	c := o.at(chunk, i)
	if c == nil || c.Key != string(key) {
		return c
	}
	if i+1 < len(o.chunks[chunk]) {
		return &o.chunks[chunk][i+1]
	}
	return o.at(chunk+1, 0)
}

// Set records the new value of key, nil for a deletion.
func (o *Changes) Set(key, value []byte) {
	chunk, i := o.find(key)
	if c := o.at(chunk, i); c != nil && c.Key == string(key) {
		c.Value = value
		return
	}

	o.count++
	fresh := Change{string(key), value}

	// A key behind all others goes to the end of the last chunk, which may be the first one.
	if chunk == len(o.chunks) {
		if chunk == 0 {
			o.chunks = [][]Change{{fresh}}
			return
		}
		chunk--
		i = len(o.chunks[chunk])
	}

	o.chunks[chunk] = slices.Insert(o.chunks[chunk], i, fresh)
	o.split(chunk)
}

// split cuts a chunk that has become too long. The last one is cut at its end: keys that come in
// order fill chunks.
func (o *Changes) split(chunk int) {
	list := o.chunks[chunk]
	if len(list) <= chunkLen {
		return
	}
	mid := chunkLen / 2
	if chunk == len(o.chunks)-1 {
		mid = chunkLen
	}
	tail := append(make([]Change, 0, chunkLen+1), list[mid:]...)
	o.chunks[chunk] = slices.Clip(list[:mid])
	o.chunks = slices.Insert(o.chunks, chunk+1, tail)
}

// All yields the changes in order of their keys.
func (o *Changes) All() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for _, list := range o.chunks {
			for _, c := range list {
				if !yield(c) {
					return
				}
			}
		}
	}
}
