package devicetest

import (
	"sync"
	"time"

	"github.com/tstore/tstore/compute/device"
)

// A gate is what queues pass before each operation. It is shut while the device is stalled.
type gate struct {
	gone chan struct{} // closed when the device is lost, and the gate is there no more
	mu   struct {
		sync.Mutex
		stalls int
		opens  chan struct{} // closed when the gate opens; nil if it is open
		lost   bool
	}
}

// Stall has all queues wait before what they would do next, until release is called.
func (d *Device) Stall() (release func()) {
	g := &d.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.stalls++; g.mu.stalls == 1 {
		g.mu.opens = make(chan struct{})
	}
	return sync.OnceFunc(g.release)
}

func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.stalls--; g.mu.stalls == 0 {
		close(g.mu.opens)
		g.mu.opens = nil
	}
}

// Lose has the device fail: each call of it and of its queues from here on, and what queues were
// given and have not done, is an error that wraps device.ErrLost.
func (d *Device) Lose() {
	g := &d.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.mu.lost {
		g.mu.lost = true
		close(g.gone)
	}
}

// lost returns device.ErrLost if the device is.
func (g *gate) lost() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.lost {
		return device.ErrLost
	}
	return nil
}

// pass waits until the gate opens. It returns device.ErrLost if the device is.
func (g *gate) pass() error {
	for {
		g.mu.Lock()
		opens := g.mu.opens
		g.mu.Unlock()
		if opens == nil {
			return g.lost()
		}
		select {
		case <-opens:
		case <-g.gone:
			return device.ErrLost
		}
	}
}

// answers waits until done is closed, and returns true. It returns false if the gate is shut after
// some time.
func (g *gate) answers(done <-chan struct{}, patience time.Duration) bool {
	for {
		select {
		case <-done:
			return true
		case <-time.After(patience):
			if g.isShut() {
				return false
			}
		}
	}
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mu.opens != nil
}
