package devicecheck

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/dtype"
)

// A queue is one of the device of a part, with staging memory that grows as it is needed.
type queue struct {
	device.Queue
	check   *check
	up      []byte
	down    []byte
	modules []device.Module
}

// queue calls f with a queue, and closes it and its modules.
func (c *check) queue(f func(q *queue) error) error {
	in, err := c.device.NewQueue()
	if err != nil {
		return err
	}
	q := &queue{Queue: in, check: c}
	err = f(q)
	err = errors.Join(err, q.Close())
	return errors.Join(err, q.drop())
}

// compile makes a module that is there until drop or the end of the queue.
func (q *queue) compile(text string) (device.Module, error) {
	m, err := q.check.device.Compile(text)
	if err == nil {
		q.modules = append(q.modules, m)
	}
	return m, err
}

// drop closes all modules.
func (q *queue) drop() (err error) {
	for _, m := range q.modules {
		err = errors.Join(err, m.Close())
	}
	q.modules = nil
	return err
}

// wait waits for all that was given.
func (q *queue) wait() error { return q.Wait(q.check.ctx) }

// stage returns staging memory of a queue.
func (q *queue) stage(p *[]byte, n int, use device.Use) ([]byte, error) {
	if len(*p) < n {
		more, err := q.Stage(n, use)
		if err != nil {
			return nil, err
		}
		*p = more
	}
	return (*p)[:n], nil
}

// write copies to the device, piece by piece.
func (q *queue) write(to uint64, b []byte) error {
	const most = 4 << 20
	for len(b) > 0 {
		n := min(len(b), most)
		p, err := q.stage(&q.up, n, device.Written)
		if err != nil {
			return err
		}
		copy(p, b)
		if err := errors.Join(q.Upload(to, p), q.wait()); err != nil {
			return err
		}
		to, b = to+uint64(n), b[n:]
	}
	return nil
}

// put copies to new memory of the device.
func (q *queue) put(b []byte) (uint64, error) {
	to, err := q.Memory(int64(max(len(b), 1)))
	if err != nil {
		return 0, err
	}
	return to, q.write(to, b)
}

// read returns bytes of the device, which are there until the next call.
func (q *queue) read(from uint64, n int) ([]byte, error) {
	p, err := q.stage(&q.down, n, device.Read)
	if err != nil {
		return nil, err
	}
	return p, errors.Join(q.Download(p, from), q.wait())
}

// compareAt compares elements on the device with what they are to be.
func (q *queue) compareAt(at uint64, want []byte, t dtype.Type) error {
	got, err := q.read(at, len(want))
	if err != nil {
		return err
	}
	if i, same := sameElements(t, got, want); !same {
		return fmt.Errorf("element %d is %x, want %x (%v)", i, got[i*t.Size():][:t.Size()], want[i*t.Size():][:t.Size()], t)
	}
	return nil
}

// line describes a launch of some blocks along x.
func line(entry string, blocks, threads int, params ...uint64) *device.Launch {
	return &device.Launch{Entry: entry, Grid: [3]int{blocks, 1, 1}, Block: [3]int{threads, 1, 1}, Params: params}
}

// A room is memory of a queue that is used again and again, and grows.
type room struct {
	at   uint64
	size int
}

// of returns the address of n bytes. What was there is lost.
func (r *room) of(q *queue, n int) (uint64, error) {
	if n > r.size {
		at, err := q.Memory(int64(n))
		if err != nil {
			return 0, err
		}
		r.at, r.size = at, n
	}
	return r.at, nil
}
