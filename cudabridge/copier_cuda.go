//go:build cuda && linux

package cudabridge

import (
	"context"
	"sync"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/compute/device"
)

// copierBytes is how much a copier copies at once.
const copierBytes = 1 << 20

// copier copies between the memory of blocks and that of the program, which no driver may see: it
// may be a file's, or be moved. Its queue and its staging memory are made by the first copy.
type copier struct {
	gpu *gpu
	mu  struct {
		sync.Mutex
		queue   *queue
		staging []byte
	}
}

// read copies from the device.
func (c *copier) read(p []byte, from cu.DevicePtr) (n int, err error) {
	err = c.do(len(p), func(q *queue, staging []byte, at, size int) error {
		if err := q.download(staging[:size], from+cu.DevicePtr(at)); err != nil {
			return err
		}
		if err := q.Wait(context.Background()); err != nil {
			return err
		}
		n += copy(p[at:], staging[:size])
		return nil
	})
	return n, err
}

// write copies to the device.
func (c *copier) write(to cu.DevicePtr, p []byte) (n int, err error) {
	err = c.do(len(p), func(q *queue, staging []byte, at, size int) error {
		copy(staging, p[at:at+size])
		if err := q.upload(to+cu.DevicePtr(at), staging[:size]); err != nil {
			return err
		}
		if err := q.Wait(context.Background()); err != nil {
			return err
		}
		n += size
		return nil
	})
	return n, err
}

// zero writes zeros to all of a piece.
func (c *copier) zero(p piece) error {
	if p.bytes == 0 {
		return nil
	}
	return c.use(func(q *queue, _ []byte) error {
		if err := q.zero(p); err != nil {
			return err
		}
		return q.Wait(context.Background())
	})
}

// do copies n bytes, from byte at on, as many at once as there is staging memory.
func (c *copier) do(n int, part func(q *queue, staging []byte, at, size int) error) error {
	if n == 0 {
		return c.gpu.usable()
	}
	return c.use(func(q *queue, staging []byte) error {
		for at := 0; at < n; at += len(staging) {
			if err := part(q, staging, at, min(n-at, len(staging))); err != nil {
				return err
			}
		}
		return nil
	})
}

// use calls f with the queue. One that has failed is not used again.
func (c *copier) use(f func(q *queue, staging []byte) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.queue == nil {
		if err := c.open(); err != nil {
			return err
		}
	}

	err := f(c.mu.queue, c.mu.staging)
	if c.mu.queue.failed != nil {
		_ = c.closeLocked() // which tells the same
	}
	return err
}

// open makes the queue and its staging memory.
func (c *copier) open() error {
	q, err := c.gpu.newQueue()
	if err != nil {
		return err
	}
	staging, err := q.Stage(copierBytes, device.Read)
	if err != nil {
		_ = q.Close()
		return err
	}
	c.mu.queue, c.mu.staging = q, staging
	return nil
}

// close gives the queue back, if there is one.
func (c *copier) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closeLocked()
}

func (c *copier) closeLocked() error {
	if c.mu.queue == nil {
		return nil
	}
	q := c.mu.queue
	c.mu.queue, c.mu.staging = nil, nil
	return q.Close()
}
