//go:build cuda && fakecuda && linux

package fakedriver

import "sync"

// nonBlocking is the flag of a stream that does not wait for the default stream.
const nonBlocking = 1

// stream is a CUstream: a queue of operations, which a goroutine runs while there are any.
type stream struct {
	context  *context
	flags    uint32
	priority int

	mu struct {
		sync.Mutex
		queue   []func()
		running bool
		last    <-chan struct{} // closed when all is done that was added
	}
}

// add is an adder.
func (s *stream) add(op func() error) (<-chan struct{}, code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := make(chan struct{})
	s.mu.queue = append(s.mu.queue, func() {
		s.context.run(op)
		close(done)
	})
	s.mu.last = done
	if !s.mu.running {
		s.mu.running = true
		go s.run()
	}
	return done, success
}

// run runs what is queued, until the queue is empty.
func (s *stream) run() {
	for {
		s.mu.Lock()
		if len(s.mu.queue) == 0 {
			s.mu.running = false
			s.mu.Unlock()
			return
		}
		op := s.mu.queue[0]
		s.mu.queue = s.mu.queue[1:]
		s.mu.Unlock()

		fake.passGate()
		op()
	}
}

// last returns the channel that is closed when all is done that was added.
func (s *stream) last() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.last == nil {
		return closed
	}
	return s.mu.last
}

var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// isDone reports whether a channel is closed.
func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// drain waits for the streams of a context: those that wait for the default stream, or all.
func (d *driver) drain(c *context, all bool) {
	var lasts []<-chan struct{}
	d.mu.Lock()
	for s, blocking := range c.streams {
		if blocking || all {
			lasts = append(lasts, s.last())
		}
	}
	d.mu.Unlock()
	for _, last := range lasts {
		<-last
	}
}

// An adder queues an operation, and returns a channel that is closed when it is done. fail is what is
// known at once.
type adder func(op func() error) (done <-chan struct{}, fail code)

// queue returns where operations of a stream go: into the stream, or, for the default stream 0,
// through a stream that runs each at once, when those that it waits for are done.
func (d *driver) queue(handle uintptr) (add adder, fail code) {
	c, fail := d.current()
	if fail != success {
		return nil, fail
	}
	if handle == 0 {
		return func(op func() error) (<-chan struct{}, code) {
			d.drain(c, false)
			c.run(op)
			return closed, c.state()
		}, success
	}
	s, ok := d.stream(handle)
	if !ok || s.context != c {
		return nil, invalidHandle
	}
	return s.add, success
}

// lastOf returns the channel that is closed when a stream has done all. The default stream has, when
// those that it waits for have.
func (d *driver) lastOf(handle uintptr) (<-chan struct{}, code) {
	c, fail := d.current()
	if fail != success {
		return nil, fail
	}
	if handle == 0 {
		d.drain(c, false)
		return closed, success
	}
	s, ok := d.stream(handle)
	if !ok {
		return nil, invalidHandle
	}
	return s.last(), success
}

func (d *driver) stream(handle uintptr) (*stream, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mu.streams.get(handle)
}

// newStream makes a stream of the current context.
func (d *driver) newStream(flags uint32, priority int) (uintptr, code) {
	c, fail := d.current()
	if fail != success {
		return 0, fail
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &stream{context: c, flags: flags, priority: priority}
	c.streams[s] = flags&nonBlocking == 0
	return d.mu.streams.add(s), success
}

// destroyStream forgets a stream. What it was given is done all the same.
func (d *driver) destroyStream(handle uintptr) code {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.mu.streams.get(handle)
	if !ok {
		return invalidHandle
	}
	d.mu.streams.remove(handle)
	go func(last <-chan struct{}) {
		<-last
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(s.context.streams, s)
	}(s.last())
	return success
}
