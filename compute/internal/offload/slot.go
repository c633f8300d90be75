package offload

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/device"
)

// A slot is what a worker needs of a device: a queue, staging memory for what goes there and for
// what comes back, and memory on the device for both.
type slot struct {
	queue  device.Queue
	room   room
	up     []byte
	down   []byte
	memory uint64
	failed bool // the queue can only be closed
}

// A room is how many bytes a slot has: of staging memory for both ways, and on the device as many,
// and some more, or less.
type room struct{ up, down, more int }

// bytes is what a room takes in staging memory.
func (r room) bytes() int { return r.up + r.down }

// onDevice is what a room takes on the device.
func (r room) onDevice() int { return r.bytes() + r.more }

// has reports whether r is enough for what needs n.
func (r room) has(n room) bool {
	return r.up >= n.up && r.down >= n.down && r.onDevice() >= n.onDevice()
}

// open makes a slot.
func (e *Engine) open(r room) (s *slot, err error) {
	s = &slot{room: r}
	if s.queue, err = e.device.NewQueue(); err != nil {
		return nil, err
	}
	if s.up, err = s.queue.Stage(max(r.up, 1), device.Written); err == nil {
		s.down, err = s.queue.Stage(max(r.down, 1), device.Read)
	}
	if err == nil {
		s.memory, err = s.queue.Memory(int64(max(r.onDevice(), 1)))
	}
	if err != nil {
		return nil, errors.Join(err, unlessLost(s.queue.Close()))
	}
	return s, nil
}

// take returns n slots of some room each. Idle ones that have it are used again. Others are closed.
func (e *Engine) take(n int, r room) (taken []*slot, err error) {
	for _, s := range e.idle {
		if len(taken) < n && s.room.has(r) {
			taken = append(taken, s)
		} else {
			err = errors.Join(err, unlessLost(s.queue.Close()))
		}
	}
	e.idle = nil
	for len(taken) < n && err == nil {
		var s *slot
		if s, err = e.open(r); err == nil {
			taken = append(taken, s)
		}
	}
	if err != nil {
		return nil, errors.Join(err, e.give(taken))
	}
	return taken, nil
}

// give takes slots back. Those that failed are closed.
func (e *Engine) give(slots []*slot) (err error) {
	for _, s := range slots {
		if s.failed {
			err = errors.Join(err, unlessLost(s.queue.Close()))
		} else {
			e.idle = append(e.idle, s)
		}
	}
	return err
}

// perform does what a queue is given by each step, and waits for the end of it.
func (s *slot) perform(ctx context.Context, steps ...func(device.Queue) error) error {
	for _, step := range steps {
		if err := step(s.queue); err != nil {
			s.failed = true
			return err
		}
	}
	if err := s.queue.Wait(ctx); err != nil {
		s.failed = true
		return err
	}
	return nil
}

// equip takes slots for a job whose chunks have about elems elements, for which it needs the room
// that cut returns. cut was last called with the size that the slots are for.
func (e *Engine) equip(slots, elems, least int, cut func(elems int) room) (taken []*slot, err error) {
	err = e.fit(slots, elems, least, func(slots, elems int) error {
		r := cut(elems)
		err := e.checkStaging(slots, r)
		if err == nil {
			taken, err = e.take(slots, r)
		}
		return err
	})
	return taken, err
}

// fit has a job get what it needs for some slots and chunks of some size. Where there is not enough
// memory, chunks are smaller, down to a least size, and then there are fewer slots.
func (e *Engine) fit(slots, size, least int, get func(slots, size int) error) error {
	for {
		err := get(slots, size)
		var full *device.MemoryError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &full):
			return err
		case size > least:
			size = max(size/2, least)
		case slots > minSlots:
			slots = max(slots/2, minSlots)
		default:
			return fmt.Errorf("%d parts at once, as small as can be, do not fit: %w", slots, err)
		}
		if err := e.drop(); err != nil {
			return err
		}
	}
}

// checkStaging compares the staging memory of some slots with what it may be in all.
func (e *Engine) checkStaging(slots int, r room) error {
	if n := int64(slots) * int64(r.bytes()); n > e.staging {
		return &device.MemoryError{Asked: n, Limit: e.staging}
	}
	return nil
}

// drop closes the slots that are idle.
func (e *Engine) drop() (err error) {
	for _, s := range e.idle {
		err = errors.Join(err, unlessLost(s.queue.Close()))
	}
	e.idle = nil
	return err
}
