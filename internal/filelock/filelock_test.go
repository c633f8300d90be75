//go:build linux || darwin || windows

package filelock_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore/internal/filelock"
	"go.uber.org/goleak"
)

func TestConflicts(t *testing.T) {
	const far = 1<<40 + 7
	const shared, exclusive = filelock.Shared, filelock.Exclusive
	for name, c := range map[string]struct {
		first, second       filelock.Mode
		firstOff, secondOff int64
		want                error
	}{
		"shared and shared":       {shared, shared, 0, 0, nil},
		"shared and exclusive":    {shared, exclusive, 0, 0, filelock.ErrHeld},
		"exclusive and shared":    {exclusive, shared, 0, 0, filelock.ErrHeld},
		"exclusive and exclusive": {exclusive, exclusive, 0, 0, filelock.ErrHeld},
		"neighbours":              {exclusive, exclusive, 0, 1, nil},
		"far byte":                {exclusive, exclusive, far, far, filelock.ErrHeld},
		"far neighbours":          {exclusive, exclusive, far, far + 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := lockFile(t)
			first := mustTry(t, path, c.firstOff, c.first)
			second, err := filelock.TryLock(path, c.secondOff, c.second)
			if !errors.Is(err, c.want) {
				t.Fatalf("second lock: %v, want %v", err, c.want)
			}
			if err == nil {
				mustUnlock(t, second)
			}
			mustUnlock(t, first)
			mustUnlock(t, mustTry(t, path, c.secondOff, exclusive))
		})
	}
}

// TestTaken asks about bytes without taking them.
func TestTaken(t *testing.T) {
	path := lockFile(t)
	want := func(off int64, shared, exclusive bool) {
		t.Helper()
		for mode, want := range map[filelock.Mode]bool{filelock.Shared: shared, filelock.Exclusive: exclusive} {
			if got, err := filelock.Taken(path, off, mode); got != want || err != nil {
				t.Errorf("byte %d, %v: taken %t, %v; want %t", off, mode, got, err, want)
			}
		}
	}
	want(0, false, false)
	first, second := mustTry(t, path, 0, filelock.Shared), mustTry(t, path, 1<<61, filelock.Exclusive)
	want(0, false, true)
	want(1<<61, true, true)
	want(1<<61+1, false, false)
	third := mustTry(t, path, 0, filelock.Shared)
	mustUnlock(t, first)
	mustUnlock(t, second)
	want(0, false, true)
	want(1<<61, false, false)
	mustUnlock(t, third)
	want(0, false, false)
	if _, err := filelock.Taken(filepath.Join(path, "no"), 0, filelock.Shared); err == nil {
		t.Error("a file that can't be opened is no error")
	}
}

// needRemoval skips where a name stays as long as its removed file is locked.
func needRemoval(t *testing.T) {
	t.Helper()
	path := lockFile(t)
	defer mustUnlock(t, mustTry(t, path, 0, filelock.Exclusive))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Skip("this system removes no open file: ", err)
	}
}

// TestTryFile locks open files, also one that has lost its name.
func TestTryFile(t *testing.T) {
	needRemoval(t)
	path := lockFile(t)
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if err := filelock.TryFile(first, 7, filelock.Exclusive); err != nil {
		t.Fatal(err)
	}
	if err := filelock.TryFile(second, 7, filelock.Exclusive); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("a second file: %v, want ErrHeld", err)
	}
	if _, err := filelock.TryLock(path, 7, filelock.Shared); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("by its name: %v, want ErrHeld", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	third := open()
	defer third.Close()
	if err := filelock.TryFile(third, 7, filelock.Exclusive); err != nil {
		t.Errorf("another file of the name: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := filelock.TryFile(second, 7, filelock.Exclusive); err != nil {
		t.Errorf("after the first was closed: %v", err)
	}
	if err := filelock.TryFile(first, 7, filelock.Exclusive); err == nil {
		t.Error("a closed file was locked")
	}
}

func TestArguments(t *testing.T) {
	path := lockFile(t)
	if _, err := filelock.TryLock(path, -1, filelock.Shared); err == nil {
		t.Error("offset -1 was accepted")
	}
	if _, err := filelock.TryLock(path, 0, filelock.Exclusive+1); err == nil {
		t.Error("mode 2 was accepted")
	}
	missing := filepath.Join(t.TempDir(), "folder", "lock")
	if _, err := filelock.TryLock(missing, 0, filelock.Exclusive); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v, want fs.ErrNotExist", err)
	}
}

func TestMissingLockFile(t *testing.T) {
	for _, mode := range []filelock.Mode{filelock.Shared, filelock.Exclusive} {
		t.Run(mode.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lock")
			held := mustTry(t, path, 0, mode)
			if _, err := filelock.TryLock(path, 0, filelock.Exclusive); !errors.Is(err, filelock.ErrHeld) {
				t.Errorf("second lock: %v, want ErrHeld", err)
			}
			mustUnlock(t, held)
		})
	}
}

func TestUnlockOnce(t *testing.T) {
	path := lockFile(t)
	held := mustTry(t, path, 0, filelock.Exclusive)
	mustUnlock(t, held)
	next := mustTry(t, path, 0, filelock.Exclusive)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { mustUnlock(t, held) })
	}
	all.Wait()
	if _, err := filelock.TryLock(path, 0, filelock.Shared); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("a second Unlock freed the byte of another lock: %v", err)
	}
	mustUnlock(t, next)
}

func TestLockWithoutDeadline(t *testing.T) {
	path := lockFile(t)
	first := mustTry(t, path, 0, filelock.Exclusive)
	time.AfterFunc(20*time.Millisecond, func() { mustUnlock(t, first) })
	second, err := filelock.Lock(context.Background(), path, 0, filelock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	mustUnlock(t, second)
}

func TestLockEnds(t *testing.T) {
	defer goleak.VerifyNone(t)
	path := lockFile(t)
	first := mustTry(t, path, 0, filelock.Exclusive)

	ctx, best := context.Background(), time.Hour
	for range 5 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := filelock.Lock(ctx, path, 0, filelock.Shared)
		if !errors.Is(err, filelock.ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait past its deadline: %v, want ErrHeld and DeadlineExceeded", err)
		}
		best = min(best, time.Since(start))
	}
	if best > 2*time.Second {
		t.Errorf("returned after %v at best", best)
	}
	if _, err := filelock.Lock(ctx, path, 1, filelock.Shared); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("free byte, ended context: %v, want DeadlineExceeded", err)
	}
	mustUnlock(t, first)
	mustUnlock(t, mustLock(t, path, 0, filelock.Exclusive)) // what the ended wait left behind has let go
}

// TestWake measures the time from Unlock to the return of a waiting Lock.
func TestWake(t *testing.T) {
	path := lockFile(t)
	best := time.Hour
	for range 20 {
		first := mustTry(t, path, 0, filelock.Exclusive)
		got := make(chan time.Time)
		go func() {
			second := mustLock(t, path, 0, filelock.Exclusive)
			got <- time.Now()
			mustUnlock(t, second)
		}()
		time.Sleep(3 * time.Millisecond)
		start := time.Now()
		mustUnlock(t, first)
		best = min(best, (<-got).Sub(start))
		mustUnlock(t, mustLock(t, path, 0, filelock.Exclusive))
	}
	t.Logf("woken after %v at best", best)
	if best > 2*time.Millisecond {
		t.Errorf("the fastest of 20 waiters woke %v after Unlock", best)
	}
}

func lockFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustTry(t testing.TB, path string, off int64, mode filelock.Mode) *filelock.Held {
	t.Helper()
	held, err := filelock.TryLock(path, off, mode)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// mustLock may run on any goroutine of a test.
func mustLock(t testing.TB, path string, off int64, mode filelock.Mode) *filelock.Held {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	held, err := filelock.Lock(ctx, path, off, mode)
	if err != nil {
		t.Error(err)
		return new(filelock.Held)
	}
	return held
}

func mustUnlock(t testing.TB, held *filelock.Held) {
	t.Helper()
	if err := held.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestIsOn(t *testing.T) {
	needRemoval(t)
	path := filepath.Join(t.TempDir(), "lock")
	l, err := filelock.TryLock(path, 2, filelock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	want := func(when string, want bool) {
		t.Helper()
		if on, err := l.IsOn(path); err != nil || on != want {
			t.Errorf("%s: %t, %v, want %t", when, on, err, want)
		}
	}
	want("locked", true)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	want("removed", false)
	other, err := filelock.TryLock(path, 2, filelock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	want("another file", false)
	if err := errors.Join(other.Unlock(), l.Unlock()); err != nil {
		t.Fatal(err)
	}
	want("unlocked", false)
}
