package storetest

import (
	"context"
	"sync"
	"testing"
)

// moment is a context that calls fn when it is asked for the left-th time when it ends, and again
// each time until fn reports that it is done.
type moment struct {
	context.Context
	mu   sync.Mutex
	left int
	fn   func() (done bool)
}

func (m *moment) Err() error {
	m.pass()
	return m.Context.Err()
}

func (m *moment) Done() <-chan struct{} {
	m.pass()
	return m.Context.Done()
}

func (m *moment) pass() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left--; m.left <= 0 && m.fn != nil && m.fn() {
		m.fn = nil
	}
}

// AtEachMoment runs do again and again, and each time change at a later moment of it, until do ends
// before that moment: with -long at each moment, else at some of them, others in each test. A
// change that returns an error, as one does that may not wait for a lock which do has, is tried
// again at the next moment.
func AtEachMoment(t *testing.T, change func() error, do func(ctx context.Context, changed func() bool)) {
	t.Helper()
	step := Every(14)
	for n := 1 + len(t.Name())%step; ; n += step {
		m := &moment{Context: t.Context(), left: n, fn: func() bool { return change() == nil }}
		changed := func() bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.fn == nil
		}
		do(m, changed)
		if !changed() {
			return
		}
	}
}
