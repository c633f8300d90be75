package devicetest

import (
	"context"

	"github.com/tstore/tstore/compute/device"
)

// A Liar is a device that changes a bit of what it computes, for tests of code that compares: a bit
// of the last download before each Wait.
type Liar struct{ device.Device }

// NewQueue implements device.Device.
func (l Liar) NewQueue() (device.Queue, error) {
	q, err := l.Device.NewQueue()
	return &lyingQueue{Queue: q}, err
}

// A lyingQueue is a queue of a Liar.
type lyingQueue struct {
	device.Queue
	last []byte // downloaded since Wait; nil: nothing
}

// Download implements device.Queue.
func (q *lyingQueue) Download(to []byte, from uint64) error {
	q.last = to
	return q.Queue.Download(to, from)
}

// Wait implements device.Queue.
func (q *lyingQueue) Wait(ctx context.Context) error {
	err := q.Queue.Wait(ctx)
	if err == nil && len(q.last) > 0 {
		q.last[len(q.last)/2] ^= 4
		q.last = nil
	}
	return err
}
