package offload

import (
	"slices"
	"sync"
)

// A crew is the slots of a job. Each of its workers has one of them.
type crew struct {
	slots []*slot
	mu    struct {
		sync.Mutex
		idle []*slot
	}
}

// begin has all slots idle.
func (c *crew) begin(slots []*slot) { c.slots, c.mu.idle = slots, slices.Clone(slots) }

// Workers returns how many workers the job can have.
func (c *crew) Workers() int { return len(c.slots) }

// hire returns an idle slot. There is one for each of the workers.
func (c *crew) hire() *slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(c.mu.idle) - 1
	s := c.mu.idle[last]
	c.mu.idle = c.mu.idle[:last]
	return s
}

// dismiss has a slot idle again.
func (c *crew) dismiss(s *slot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.idle = append(c.mu.idle, s)
}
