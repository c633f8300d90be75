//go:build linux || darwin || windows

package filelock_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tstore/tstore/internal/filelock"
	"go.uber.org/goleak"
)

// TestManyEndedWaits ends more waits than may block in the kernel, while the byte stays held: what
// they leave behind is bounded, the byte is still to be had, and nothing is left once it is free.
func TestManyEndedWaits(t *testing.T) {
	defer goleak.VerifyNone(t)
	path := lockFile(t)
	first := mustTry(t, path, 0, filelock.Exclusive)
	before := runtime.NumGoroutine()

	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	var all sync.WaitGroup
	for range 300 {
		all.Go(func() {
			if _, err := filelock.Lock(ctx, path, 0, filelock.Exclusive); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want DeadlineExceeded", err)
			}
		})
	}
	all.Wait()
	if left := runtime.NumGoroutine() - before; left > 64+16 { // some may not have ended quite yet
		t.Errorf("300 ended waits left %d goroutines, want about 64 at most", left)
	}

	got := make(chan struct{})
	go func() { // has to poll, as the remnants take all seats
		mustUnlock(t, mustLock(t, path, 0, filelock.Exclusive))
		close(got)
	}()
	time.Sleep(5 * time.Millisecond)
	mustUnlock(t, first)
	<-got
}

// TestManyGoroutines has waiters count under the lock, half of them with contexts that end early.
func TestManyGoroutines(t *testing.T) {
	defer goleak.VerifyNone(t)
	path := lockFile(t)
	var owner, ended atomic.Int64
	counter := 0
	var all sync.WaitGroup
	for g := range 24 {
		all.Go(func() {
			for i := range 40 {
				if !count(t, path, int64(g+1), time.Duration(1+i%7)*100*time.Microsecond, &owner, &counter) {
					ended.Add(1)
				}
			}
		})
	}
	all.Wait()
	if got, want := counter, 24*40-int(ended.Load()); got != want {
		t.Errorf("counted %d, want %d", got, want)
	}
	t.Logf("%d of %d waits ended early", ended.Load(), 24*40)
}

// count adds 1 to counter under the lock unless the wait for it ends first.
func count(t *testing.T, path string, me int64, timeout time.Duration, owner *atomic.Int64, counter *int) bool {
	ctx := context.Background()
	if me%2 == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	held, err := filelock.Lock(ctx, path, 0, filelock.Exclusive)
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		return false
	}
	if !owner.CompareAndSwap(0, me) {
		t.Errorf("%d got the lock while %d holds it", me, owner.Load())
	}
	*counter++
	owner.Store(0)
	mustUnlock(t, held)
	return true
}

// TestReaders has shared holders overlap.
func TestReaders(t *testing.T) {
	path := lockFile(t)
	var held []*filelock.Held
	for range 16 {
		held = append(held, mustLock(t, path, 0, filelock.Shared))
	}
	for _, h := range held {
		if _, err := filelock.TryLock(path, 0, filelock.Exclusive); !errors.Is(err, filelock.ErrHeld) {
			t.Fatalf("exclusive beside shared: %v, want ErrHeld", err)
		}
		mustUnlock(t, h)
	}
	mustUnlock(t, mustTry(t, path, 0, filelock.Exclusive))
}
