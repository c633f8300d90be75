package devicetest

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

// A stream does the operations of a queue in order, in a goroutine that is there while there is
// something to do. It is late on purpose: some operations wait until somebody waits for them, so
// that one queue overtakes another, and bytes that change too early are seen changed.
type stream struct {
	device *Device
	ctx    context.Context // of launches
	stop   func()          // ends ctx

	mu struct {
		sync.Mutex
		random  *rand.Rand
		list    []operation
		running bool
		urged   bool  // somebody waits for all that is in list
		err     error // the first that an operation returned
	}
}

// An operation is something that a stream does.
type operation struct {
	call  Call
	fault *Fault // that it is instead of what run does
	run   func(ctx context.Context) error
	done  func() // called after run, and if run is left out; may be nil

	held   bool // until somebody waits
	yields int  // how often others go first
}

func newStream(d *Device, number uint64) *stream {
	s := &stream{device: d}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.mu.random = rand.New(rand.NewPCG(d.options.Seed, number))
	return s
}

// add queues an operation.
func (s *stream) add(o operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.held, o.yields = s.mu.random.IntN(2) == 0, s.mu.random.IntN(4)
	s.mu.list = append(s.mu.list, o)
	s.startLocked()
}

// finish returns a channel that is closed when all is done that was added.
func (s *stream) finish() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	finished := make(chan struct{})
	s.mu.list = append(s.mu.list, operation{done: func() { close(finished) }})
	s.mu.urged = true
	s.startLocked()
	return finished
}

// failed returns the first error of an operation.
func (s *stream) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.err
}

func (s *stream) startLocked() {
	if !s.mu.running && (s.mu.urged || !s.mu.list[0].held) {
		s.mu.running = true
		go s.work()
	}
}

// work does what is there, up to an operation that is held.
func (s *stream) work() {
	for {
		o, ok := s.next()
		if !ok {
			return
		}
		err := s.failed()
		if err == nil && o.run != nil {
			err = s.do(&o)
			s.mu.Lock()
			s.mu.err = err
			s.mu.Unlock()
		}
		if o.done != nil {
			o.done()
		}
	}
}

// next takes the operation that is to be done, if there is one.
func (s *stream) next() (operation, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.mu.list) == 0 {
		s.mu.urged = false
	}
	if len(s.mu.list) == 0 || s.mu.list[0].held && !s.mu.urged {
		s.mu.running = false
		return operation{}, false
	}
	o := s.mu.list[0]
	s.mu.list = s.mu.list[1:]
	return o, true
}

// do does one operation, when the device is not stalled.
func (s *stream) do(o *operation) error {
	d := s.device
	for range o.yields {
		runtime.Gosched()
	}
	if err := d.gate.pass(); err != nil {
		return d.wrap(string(o.call), err)
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if d.options.Latency > 0 {
		time.Sleep(d.options.Latency)
	}

	if o.fault != nil {
		return d.fail(o.fault)
	}
	err := o.run(s.ctx)
	if err == nil || s.ctx.Err() != nil {
		return err
	}
	return d.mistake(string(o.call), err)
}
