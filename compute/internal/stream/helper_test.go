package stream_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tstore/tstore/compute/internal/stream"
)

// ledger is a work that notes what it was asked for and finds what should not have been.
type ledger struct {
	t                           *testing.T
	prepared, retired, finished atomic.Int64
	most                        int64 // windows prepared beyond the first that is not retired
	failPrepare, failRetire     int   // windows, -1 for none
}

var errDisk = errors.New("the disk is gone")

func newLedger(t *testing.T, most int) *ledger {
	return &ledger{t: t, most: int64(most), failPrepare: -1, failRetire: -1}
}

func (l *ledger) work() stream.FakeWork {
	return stream.FakeWork{Prepare: l.prepare, Retire: l.retire, Finish: l.finish}
}

func (l *ledger) prepare(window int) error {
	if window == l.failPrepare {
		return errDisk
	}
	if got := l.prepared.Add(1) - 1; got != int64(window) {
		l.t.Errorf("window %d is prepared, want %d", window, got)
	}
	if beyond := int64(window) - l.retired.Load(); beyond > l.most {
		l.t.Errorf("window %d is prepared %d beyond the first unfinished one, want %d at most", window, beyond, l.most)
	}
	return nil
}

func (l *ledger) retire(window int) error {
	if window == l.failRetire {
		return errDisk
	}
	if got := l.retired.Add(1) - 1; got != int64(window) {
		l.t.Errorf("window %d is retired, want %d", window, got)
	}
	return nil
}

func (l *ledger) finish() error {
	l.finished.Add(1)
	return nil
}

// TestWorkers has several workers take chunks in order and finish them in any.
func TestWorkers(t *testing.T) {
	tests := []struct{ chunks, perWindow, ahead, workers int }{
		{1, 1, 2, 1}, {100, 1, 1, 1}, {100, 3, 2, 4}, {1000, 7, 2, 8}, {5, 10, 2, 3}, {64, 1, 5, 2},
	}
	for _, test := range tests {
		most := test.ahead + 1 // the next is waited for before the helper knows that the last one is done
		if test.workers > 1 {  // one may be held up while the others go on
			most = test.chunks
		}
		l := newLedger(t, most)
		s := stream.StartFake(t.Context(), l.work(), test.chunks, test.perWindow, stream.Options{Ahead: test.ahead})
		var next atomic.Int64
		var group sync.WaitGroup
		for range test.workers {
			group.Go(func() {
				for chunk := int(next.Add(1) - 1); chunk < test.chunks; chunk = int(next.Add(1) - 1) {
					if err := s.Wait(chunk); err != nil {
						t.Error(err)
					}
					if got := int(l.prepared.Load()) * test.perWindow; got <= chunk {
						t.Errorf("chunk %d is there, but only %d are prepared", chunk, got)
					}
					s.Done(chunk)
				}
			})
		}
		group.Wait()
		must(t, s.Close())
		windows := int64((test.chunks + test.perWindow - 1) / test.perWindow)
		if l.prepared.Load() != windows || l.retired.Load() != windows || l.finished.Load() != 1 {
			t.Errorf("%+v: %d windows prepared, %d retired, %d times finished, want %d, all and once", test, l.prepared.Load(), l.retired.Load(), l.finished.Load(), windows)
		}
	}
}

// TestHeldUp holds one worker up in the first chunk: the others get no more than a few windows
// until it goes on.
func TestHeldUp(t *testing.T) {
	tests := []struct{ perWindow, workers, ahead, windows int }{
		{1, 1, 2, 4}, {1, 2, 2, 5}, {8, 2, 2, 5}, {8, 9, 2, 5}, {8, 10, 2, 6}, {3, 16, 1, 8},
	}
	for _, test := range tests {
		const chunks = 1000
		l := newLedger(t, test.windows-1)
		o := stream.Options{Ahead: test.ahead, Workers: test.workers}
		s := stream.StartFake(t.Context(), l.work(), chunks, test.perWindow, o)
		var next atomic.Int64
		var group sync.WaitGroup
		must(t, s.Wait(0))
		for range test.workers - 1 {
			group.Go(func() {
				for chunk := int(next.Add(1)); chunk < chunks; chunk = int(next.Add(1)) {
					if err := s.Wait(chunk); err != nil {
						t.Error(err)
					}
					s.Done(chunk)
				}
			})
		}
		for test.workers > 1 && l.prepared.Load() < int64(test.windows) {
			runtime.Gosched() // until the others have all that they get
		}
		s.Done(0)
		if test.workers == 1 {
			for chunk := 1; chunk < chunks; chunk++ {
				must(t, s.Wait(chunk))
				s.Done(chunk)
			}
		}
		group.Wait()
		must(t, s.Close())
		if l.finished.Load() != 1 {
			t.Errorf("%+v: finished %d times", test, l.finished.Load())
		}
	}
}

// TestAnyOrder takes chunks in an order that has nothing to do with their numbers.
func TestAnyOrder(t *testing.T) {
	const chunks = 200
	l := newLedger(t, chunks)
	s := stream.StartFake(t.Context(), l.work(), chunks, 3, stream.Options{Ahead: 2})
	for _, chunk := range rand.New(rand.NewPCG(1, 2)).Perm(chunks) {
		must(t, s.Wait(chunk))
		s.Done(chunk)
	}
	must(t, s.Close())
	if l.retired.Load() != 67 || l.finished.Load() != 1 {
		t.Errorf("%d windows retired, %d times finished", l.retired.Load(), l.finished.Load())
	}
}

// TestDoneWithoutWait finishes chunks that nobody waited for.
func TestDoneWithoutWait(t *testing.T) {
	var retired atomic.Int64
	s := stream.StartFake(t.Context(), stream.FakeWork{
		Prepare: func(int) error { return nil },
		Retire:  func(int) error { retired.Add(1); return nil },
		Finish:  func() error { return nil },
	}, 50, 2, stream.Options{Ahead: 1})
	for chunk := range 50 {
		s.Done(chunk)
	}
	must(t, s.Close())
	if retired.Load() != 25 {
		t.Errorf("%d windows retired, want 25", retired.Load())
	}
}

func TestErrors(t *testing.T) {
	for name, set := range map[string]func(l *ledger){
		"prepare": func(l *ledger) { l.failPrepare = 4 },
		"retire":  func(l *ledger) { l.failRetire = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(t, 10)
			set(l)
			s := stream.StartFake(t.Context(), l.work(), 10, 1, stream.Options{Ahead: 2})
			var err error
			for chunk := 0; chunk < 10 && err == nil; chunk++ {
				err = s.Wait(chunk)
				s.Done(chunk)
			}
			if !errors.Is(err, errDisk) {
				t.Errorf("Wait gives %v, want %v", err, errDisk)
			}
			for range 2 {
				if err := s.Close(); !errors.Is(err, errDisk) {
					t.Errorf("Close gives %v, want %v", err, errDisk)
				}
			}
			if err := s.Wait(9); !errors.Is(err, errDisk) {
				t.Errorf("Wait after Close gives %v, want %v", err, errDisk)
			}
			if l.finished.Load() != 0 {
				t.Error("finished in spite of the error")
			}
		})
	}
}

// TestCancel ends the context while workers wait for a window that is not read in time.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reading := make(chan struct{})
	s := stream.StartFake(ctx, stream.FakeWork{
		Prepare: func(window int) error {
			if window == 1 {
				close(reading)
				<-ctx.Done()
			}
			return nil
		},
		Retire: func(int) error { return nil },
		Finish: func() error { return nil },
	}, 10, 1, stream.Options{Ahead: 1})
	results := make(chan error, 3)
	for range cap(results) {
		go func() { results <- s.Wait(3) }()
	}
	<-reading
	cancel()
	for range cap(results) {
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("Wait gives %v, want %v", err, context.Canceled)
		}
	}
	if err := s.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("Close gives %v, want %v", err, context.Canceled)
	}
}

// TestCloseEarly closes a stream with chunks left: those who wait go on.
func TestCloseEarly(t *testing.T) {
	reading, read := make(chan struct{}), make(chan struct{})
	finished := false
	s := stream.StartFake(t.Context(), stream.FakeWork{
		Prepare: func(int) error {
			close(reading)
			<-read
			return nil
		},
		Retire: func(int) error { return nil },
		Finish: func() error { finished = true; return nil },
	}, 10, 1, stream.Options{Ahead: 1})
	<-reading
	result := make(chan error)
	go func() { result <- s.Wait(5) }()
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	<-stream.Closing(s)
	close(read)
	must(t, <-closed)
	must(t, <-result)
	must(t, s.Wait(7))
	if finished {
		t.Error("finished with chunks left")
	}
}
