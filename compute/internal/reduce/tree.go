package reduce

import "sync"

// A tree merges the states of the parts of a reduction. Parts are numbered from 0 and may come in
// any order. The order of merges depends on the number of parts alone: part 2i is merged with 2i+1,
// then the results in the same way. The last one moves up unmerged if it has no neighbour.
type tree struct {
	mu struct {
		sync.Mutex
		waiting map[node][]*state
	}
}

// A node is one merged part: of the parts whose number, divided by 2^level, is index.
type node struct {
	group, level, index int
}

// put takes the states of one of count parts, and merges all it can. It returns the states of the
// whole once all parts are there, else nil. merge leaves the result in a.
func (t *tree) put(group, part, count int, s []*state, merge func(a, b []*state)) []*state {
	for level := 0; count > 1; level++ {
		if part^1 < count {
			other := t.take(node{group, level, part ^ 1}, node{group, level, part}, s)
			if other == nil {
				return nil
			}
			if part&1 == 1 {
				s, other = other, s
			}
			merge(s, other)
		}
		part, count = part/2, (count+1)/2
	}
	return s
}

// take returns the states that wait at a node, or, if there are none, lets s wait at its own.
func (t *tree) take(from, own node, s []*state) []*state {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other, ok := t.mu.waiting[from]; ok {
		delete(t.mu.waiting, from)
		return other
	}
	if t.mu.waiting == nil {
		t.mu.waiting = make(map[node][]*state)
	}
	t.mu.waiting[own] = s
	return nil
}
