package reduce

import "sync"

// A pool keeps states for the next chunk.
type pool struct {
	allocate func() []*state
	mu       struct {
		sync.Mutex
		free [][]*state
	}
}

func (p *pool) get() []*state {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.mu.free)
	if n == 0 {
		return p.allocate()
	}
	s := p.mu.free[n-1]
	p.mu.free = p.mu.free[:n-1]
	return s
}

func (p *pool) put(s []*state) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.free = append(p.mu.free, s)
}
