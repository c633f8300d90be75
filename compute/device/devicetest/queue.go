package devicetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/internal/ptxvm"
	"github.com/tstore/tstore/mmapstore"
)

// A queue is a device.Queue.
type queue struct {
	device  *Device
	stream  *stream
	busy    atomic.Bool // while a goroutine is in a method
	failed  error       // why it can only be closed
	closed  bool
	staging []staging
	buffers []*ptxvm.Buffer
}

var _ device.Queue = (*queue)(nil)

// errTwice: two goroutines use a queue.
var errTwice = errors.New("two goroutines use the queue at once")

// NewQueue implements device.Device.
func (d *Device) NewQueue() (device.Queue, error) {
	fault, err := d.begin(NewQueue)
	if err != nil {
		return nil, d.wrap(string(NewQueue), err)
	}
	if fault != nil {
		return nil, d.fail(fault)
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	d.mu.live.Queues++
	d.mu.queues++
	return &queue{device: d, stream: newStream(d, d.mu.queues)}, nil
}

// enter begins a call. If it returns no error, leave ends the call.
func (q *queue) enter(c Call) (*Fault, error) {
	if !q.busy.CompareAndSwap(false, true) {
		return nil, q.device.mistake(string(c), errTwice)
	}
	fault, err := q.enterAlone(c)
	if err != nil {
		q.leave()
	}
	return fault, err
}

// enterAlone is enter for the one goroutine that uses the queue.
func (q *queue) enterAlone(c Call) (*Fault, error) {
	d := q.device
	if q.closed {
		return nil, d.mistake(string(c), fmt.Errorf("the queue: %w", mmapstore.ErrClosed))
	}
	if q.failed != nil {
		return nil, q.failed
	}
	if q.failed = q.stream.failed(); q.failed != nil {
		return nil, q.failed
	}

	fault, err := d.begin(c)
	switch {
	case err != nil:
		return nil, q.fail(d.wrap(string(c), err))
	case fault != nil && !fault.late():
		return nil, q.fail(d.fail(fault))
	}
	return fault, nil
}

func (q *queue) leave() { q.busy.Store(false) }

// fail ends the use of the queue, unless the error is that memory is short.
func (q *queue) fail(err error) error {
	if _, short := errors.AsType[*device.MemoryError](err); !short {
		q.failed = err
	}
	return err
}

// Memory implements device.Queue.
func (q *queue) Memory(n int64) (uint64, error) {
	if _, err := q.enter(Memory); err != nil {
		return 0, err
	}
	defer q.leave()
	b, err := q.device.take(Memory, n)
	if err != nil {
		return 0, q.fail(err)
	}
	q.buffers = append(q.buffers, b)
	return b.Address(), nil
}

// Wait implements device.Queue.
func (q *queue) Wait(ctx context.Context) error {
	if _, err := q.enter(Wait); err != nil {
		return err
	}
	defer q.leave()
	if err := ctx.Err(); err != nil {
		return q.fail(err)
	}

	select {
	case <-q.stream.finish():
		q.failed = q.stream.failed()
		return q.failed
	case <-ctx.Done():
		return q.fail(ctx.Err())
	}
}

// Close implements device.Queue.
func (q *queue) Close() error {
	d := q.device
	if !q.busy.CompareAndSwap(false, true) {
		return d.mistake("close a queue", errTwice)
	}
	defer q.leave()
	if q.closed {
		return d.wrap("close a queue", mmapstore.ErrClosed)
	}
	q.closed = true

	// Nobody needs what a queue does that has failed.
	if q.failed != nil {
		q.stream.stop()
	}
	answers := d.gate.answers(q.stream.finish(), d.options.Patience)
	if !answers {
		d.Lose()
	}

	// Memory that the device may still use stays taken.
	if answers {
		for _, b := range q.buffers {
			d.give(b)
		}
		for _, s := range q.staging {
			s.spoil()
		}
	}
	d.count(func(l *Live) {
		l.Queues--
		for _, s := range q.staging {
			l.StagingBytes -= int64(len(s.bytes))
		}
	})
	q.buffers, q.staging = nil, nil
	return d.wrap("close a queue", d.gate.lost())
}
