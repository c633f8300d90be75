package reduce

import (
	"encoding/binary"
	"slices"
)

// saveVersion identifies the meaning of the words of a state. It changes with the accumulators and
// the tree.
const saveVersion = 3

// Save returns the state of the chunks before one, without what is among the results already: the
// states that wait for their neighbours. All of these chunks must be done, and no other may have
// begun.
func (e *Engine) Save(chunks int) []byte {
	e.tree.mu.Lock()
	defer e.tree.mu.Unlock()

	b := e.saveHead(chunks)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(e.tree.mu.waiting)))

	for n, states := range e.tree.mu.waiting {
		for _, v := range []int{n.group, n.level, n.index} {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		for _, s := range states {
			for _, words := range [][]uint64{s.x, s.y, s.low} {
				for _, word := range words {
					b = binary.LittleEndian.AppendUint64(b, word)
				}
			}
			for _, n := range s.n {
				b = binary.LittleEndian.AppendUint64(b, uint64(n))
			}
		}
	}

	return b
}

// saveHead describes what a state belongs to: the cuts of the work, and the sizes of the saved
// parts.
func (e *Engine) saveHead(chunks int) []byte {
	head := []int{saveVersion, chunks, e.NumChunks(), e.axes.groups, e.axes.parts, len(e.reducers)}
	head = append(append(head, e.axes.tile...), e.axes.tiles...)
	states := e.free.get()
	for i, s := range states {
		head = append(head, int(e.reducers[i].Op), int(e.reducers[i].Type), len(s.x), len(s.y), len(s.low), len(s.n))
	}
	e.free.put(states)
	var b []byte
	for _, v := range head {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// Load takes over a state that Save of an Engine of an equal Spec returned. Call it before any
// chunk begins. It reports whether b is such a state. If not, it changes nothing.
func (e *Engine) Load(b []byte, chunks int) bool {
	head := e.saveHead(chunks)
	if len(b) < len(head)+8 || !slices.Equal(b[:len(head)], head) {
		return false
	}

	r := words64{b[len(head):]}
	count := r.next()
	waiting := map[node][]*state{}
	for range count {
		states := e.allocate(e.axes.maxBoxOutputs())

		bytes := 3 * 8
		for _, s := range states {
			bytes += 8 * (len(s.x) + len(s.y) + len(s.low) + len(s.n))
		}
		if len(r.b) < bytes {
			return false
		}

		n := node{int(r.next()), int(r.next()), int(r.next())}
		for _, s := range states {
			for _, words := range [][]uint64{s.x, s.y, s.low} {
				for i := range words {
					words[i] = r.next()
				}
			}
			for i := range s.n {
				s.n[i] = int64(r.next())
			}
		}
		waiting[n] = states
	}

	if len(r.b) > 0 {
		return false
	}

	e.tree.mu.Lock()
	defer e.tree.mu.Unlock()
	e.tree.mu.waiting = waiting
	return true
}

// words64 are words to be read.
type words64 struct{ b []byte }

func (w *words64) next() uint64 {
	v := binary.LittleEndian.Uint64(w.b)
	w.b = w.b[8:]
	return v
}
