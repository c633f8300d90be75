//go:build cuda && linux

package cudabridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// queue is a device.Queue: a stream, and an event to sleep on.
type queue struct {
	gpu     *gpu
	stream  cu.Stream
	event   cu.Event
	failed  error        // why it can only be closed
	waiting <-chan error // for a Wait that ended before the device was done
	closed  bool
	staging []staging
	memory  []piece
}

var _ device.Queue = (*queue)(nil)

// NewQueue implements device.Device.
func (g *gpu) NewQueue() (device.Queue, error) {
	q, err := g.newQueue()
	if err != nil {
		return nil, err
	}
	g.count(1, 0)
	return &counted{q}, nil
}

// counted is a queue that the program has, and not the device itself.
type counted struct{ *queue }

// Close implements device.Queue.
func (q *counted) Close() error {
	if !q.closed {
		q.gpu.count(-1, 0)
	}
	return q.queue.Close()
}

// newQueue makes a queue.
func (g *gpu) newQueue() (*queue, error) {
	q := &queue{gpu: g}
	err := g.do("make a queue", func() (err error) {
		// The stream does not wait for the default stream. Who waits for the event sleeps.
		if q.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
			return err
		}
		if q.event, err = cu.MakeEvent(cu.BlockingSyncEvent | cu.DisableTiming); err != nil {
			_ = q.stream.Destroy() // the first error tells more
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

// usable returns why the queue can't be used, if so.
func (q *queue) usable(doing string) error {
	if q.closed {
		return q.gpu.wrap(doing, fmt.Errorf("the queue: %w", mmapstore.ErrClosed))
	}
	return q.failed
}

// do has the device do something, unless the queue can only be closed.
func (q *queue) do(doing string, f func() error) error {
	if err := q.usable(doing); err != nil {
		return err
	}
	return q.fail(q.gpu.do(doing, f))
}

// fail ends the use of the queue if there is an error, but for one of memory that is short.
func (q *queue) fail(err error) error {
	if _, short := errors.AsType[*device.MemoryError](err); err != nil && !short {
		q.failed = err
	}
	return err
}

// Memory implements device.Queue.
func (q *queue) Memory(n int64) (uint64, error) {
	if err := q.usable("allocate memory"); err != nil {
		return 0, err
	}
	p, err := q.gpu.take(n)
	if err != nil {
		return 0, q.fail(err)
	}
	q.memory = append(q.memory, p)
	return uint64(p.at), nil
}

// zero writes zeros to memory of the device.
func (q *queue) zero(p piece) error {
	return q.do("clear memory", func() error { return cu.MemsetD8Async(p.at, 0, p.bytes, q.stream) })
}

// Wait implements device.Queue.
func (q *queue) Wait(ctx context.Context) error {
	const doing = "wait for the device"
	if err := q.do(doing, func() error { return q.event.Record(q.stream) }); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return q.fail(err)
	}

	done := q.gpu.start(doing, q.event.Synchronize)
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		q.waiting, err = done, ctx.Err()
	case <-q.gpu.gone:
		q.waiting, err = done, q.gpu.at(q.gpu.lost())
	}
	return q.fail(err)
}

// Close implements device.Queue.
func (q *queue) Close() error {
	const doing = "close a queue"
	g := q.gpu
	if q.closed {
		return g.wrap(doing, mmapstore.ErrClosed)
	}
	q.closed = true

	// The device may use the memory until it is done. What is not freed goes with the context.
	done := q.waiting
	if done == nil {
		done = g.start(doing, q.stream.Synchronize)
	}
	if g.lost() == nil {
		select {
		case err := <-done:
			if err != nil {
				return err
			}
			return q.free()
		case <-time.After(g.patience):
			_ = g.lose(fmt.Errorf("%s: it has not done its work after %v", doing, g.patience))
		}
	}
	g.leave(done)
	return g.wrap(doing, g.lost())
}

// leave notes that the device may be at work for a queue that is closed.
func (g *gpu) leave(done <-chan error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mu.pending = append(g.mu.pending, done)
}

// free gives all back that the queue has, which the device is done with.
func (q *queue) free() error {
	g := q.gpu
	var failed []error
	for _, p := range q.memory {
		failed = append(failed, g.give(p))
	}
	for _, s := range q.staging {
		failed = append(failed, g.unstage(s))
	}
	failed = append(failed,
		g.undo("free an event", func() error { return cu.DestroyEvent(&q.event) }),
		g.undo("free a stream", q.stream.Destroy))
	if lost := g.lost(); lost != nil {
		return g.wrap("close a queue", lost)
	}
	return errors.Join(failed...)
}
