package compute

import (
	"context"
	"slices"
	"sync"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/pieces"
)

// chunkElems is the unit of work. It is fixed, so that the results of chunks, and the order in
// which they are combined, do not depend on the number of workers.
const chunkElems = pieces.ChunkElems

// A worker gives the result of n elements from number first on. It belongs to one goroutine.
type worker[P any] func(first, n int) (P, error)

// fold cuts numElems elements into chunks, gives them to workers and combines the results. combine
// takes the results of neighbours, the earlier one first, in an order that depends on numElems
// alone. Without elements the result is the zero P.
func fold[P any](ctx context.Context, numElems, workers int, newWorker func() worker[P], combine func(a, b P) P) (P, error) {
	chunks := numElems / chunkElems
	if numElems%chunkElems > 0 {
		chunks++
	}

	results := newTree(combine)
	job := exec.Chunks(chunks, func() func(chunk int) error {
		work := newWorker()
		return func(chunk int) error {
			first := chunk * chunkElems
			p, err := work(first, min(chunkElems, numElems-first))
			if err == nil {
				results.put(chunk, p)
			}
			return err
		}
	})

	if err := exec.Run(ctx, job, exec.Options{Parallelism: workers}); err != nil {
		return *new(P), err
	}
	return results.root(), nil
}

// A tree combines results that are numbered from 0 and come in any order. It works like a binary
// counter: results over equally many numbers are combined as soon as they are neighbours, so few
// are kept.
type tree[P any] struct {
	combine func(a, b P) P
	mu      struct {
		sync.Mutex
		early map[int]P     // came before one of a lower number
		next  int           // the lowest number that has not come
		nodes []subtotal[P] // of falling width, in order
	}
}

// A subtotal is the combined result of width numbers.
type subtotal[P any] struct {
	width  int
	result P
}

func newTree[P any](combine func(a, b P) P) *tree[P] {
	t := &tree[P]{combine: combine}
	t.mu.early = map[int]P{}
	return t
}

func (t *tree[P]) put(i int, result P) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.early[i] = result
	for {
		p, ok := t.mu.early[t.mu.next]
		if !ok {
			return
		}
		delete(t.mu.early, t.mu.next)
		t.mu.next++
		t.pushLocked(subtotal[P]{1, p})
	}
}

func (t *tree[P]) pushLocked(n subtotal[P]) {
	nodes := t.mu.nodes
	for len(nodes) > 0 && nodes[len(nodes)-1].width == n.width {
		left := nodes[len(nodes)-1]
		nodes = nodes[:len(nodes)-1]
		n = subtotal[P]{2 * n.width, t.combine(left.result, n.result)}
	}
	t.mu.nodes = append(nodes, n)
}

// root combines what is left, from the last to the first.
func (t *tree[P]) root() P {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all P
	for i, n := range slices.Backward(t.mu.nodes) {
		if i == len(t.mu.nodes)-1 {
			all = n.result
		} else {
			all = t.combine(n.result, all)
		}
	}
	return all
}
