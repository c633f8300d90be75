package pass

import (
	"sync"

	"github.com/tstore/tstore/compute/internal/exec"
)

// Feed gives the elements that the program of a counting pass computes to functions of newCounter,
// to one of them if it is shared.
func (w *Work) Feed(shared bool, newCounter func() func([]byte) error) error {
	m, err := w.bind(w.of, nil)
	if err != nil {
		return err
	}
	defer m.Close()

	if m.empty {
		return nil
	}

	// Each worker counts what it has just computed.
	if shared {
		newCounter = inTurns(newCounter())
	}
	size := w.Node.Args[0].DType.Size()
	m.Bytes += int64(m.elems) * int64(size)
	loop := exec.NewFeed(m.program, &m.nest, m.Operands, m.chunkElems(w.plan.opts.Parallelism), size, func() func([]byte) error {
		count := newCounter()
		return func(b []byte) error {
			if w.stop.Load() {
				return nil // the elements have not been computed
			}
			return count(b)
		}
	})
	return w.Exec(m, loop)
}

// inTurns returns what makes functions that take turns to call count.
func inTurns(count func([]byte) error) func() func([]byte) error {
	var mu sync.Mutex
	return func() func([]byte) error {
		return func(b []byte) error {
			mu.Lock()
			defer mu.Unlock()
			return count(b)
		}
	}
}
