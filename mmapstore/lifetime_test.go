package mmapstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tstore/tstore/mmapstore"
)

// TestReleaseRacesPins lets thousands of goroutines pin a storage while its last reference goes.
func TestReleaseRacesPins(t *testing.T) {
	const rounds, workers, size = 20, 2000, 8192
	path := dataFile(t, size)
	for range rounds {
		s, err := mmapstore.Map(path, 0, -1, mmapstore.ReadOnly, nil)
		must(t, err)
		var inside, used atomic.Int64
		var group sync.WaitGroup
		for w := range workers {
			group.Go(func() {
				for i := w; ; i++ {
					pin, err := s.Pin()
					if errors.Is(err, mmapstore.ErrClosed) {
						return
					}
					inside.Add(1)
					if at := i % size; pin.Bytes()[at] != byte(at%251)+1 {
						t.Errorf("byte %d is %d", at, pin.Bytes()[at])
					}
					used.Add(1)
					inside.Add(-1)
					pin.Unpin()
					runtime.Gosched()
				}
			})
		}
		for used.Load() < workers {
			runtime.Gosched()
		}
		must(t, s.Release())
		if n := inside.Load(); n != 0 {
			t.Errorf("Release returned with %d pins out", n)
		}
		group.Wait()
	}
}

func TestReleaseWaitsForPins(t *testing.T) {
	s := mapped(t, dataFile(t, 100), 0, -1, mmapstore.ReadOnly)
	pin, err := s.Pin()
	must(t, err)
	released := make(chan error)
	go func() { released <- s.Release() }()
	for {
		if _, err := s.Retain(); errors.Is(err, mmapstore.ErrClosed) {
			break
		}
		must(t, s.Release())
		runtime.Gosched()
	}
	if _, err := s.Pin(); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("Pin while closing: %v, want ErrClosed", err)
	}
	select {
	case err := <-released:
		t.Fatalf("Release returned %v while a pin was out", err)
	case <-time.After(20 * time.Millisecond):
	}
	if !bytes.Equal(pin.Bytes(), pattern(100)) {
		t.Error("pinned bytes changed")
	}
	pin.Unpin()
	must(t, <-released)
}

// TestReferencesRace takes and gives back references, ranges and pins from many goroutines, each of
// which owns one reference.
func TestReferencesRace(t *testing.T) {
	s, err := mmapstore.Map(dataFile(t, 10_000), 0, -1, mmapstore.Shared, nil)
	must(t, err)
	var group sync.WaitGroup
	for w := range 200 {
		own, err := s.Retain()
		must(t, err)
		group.Go(func() {
			for i := range 50 {
				part, err := own.Range(int64(w), int64(i)+1)
				if err != nil {
					t.Error(err)
					break
				}
				wantBytes(t, part, pattern(10_000)[w:w+i+1])
				if err := part.Release(); err != nil {
					t.Error(err)
				}
			}
			if err := own.Release(); err != nil {
				t.Error(err)
			}
		})
	}
	must(t, s.Release())
	group.Wait()
	testClosed(t, s)
}

func TestUnpinTwicePanics(t *testing.T) {
	s := mmapstore.FromBytes(make([]byte, 1))
	pin, err := s.Pin()
	must(t, err)
	pin.Unpin()
	defer func() {
		if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "BUG: ") {
			t.Errorf("second Unpin panicked with %q", text)
		}
	}()
	pin.Unpin()
}

func TestZeroPin(t *testing.T) {
	var pin mmapstore.Pin
	pin.Unpin()
	if pin.Bytes() != nil {
		t.Error("the zero Pin has bytes")
	}
}

// TestReaderOutlivesFile keeps a storage over a file that is replaced, removed and recreated.
func TestReaderOutlivesFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mapped files can't be removed or replaced")
	}
	path := dataFile(t, 50_000)
	s := mapped(t, path, 1000, -1, mmapstore.ReadOnly)
	want := pattern(50_000)[1000:]

	next := path + ".next"
	must(t, os.WriteFile(next, bytes.Repeat([]byte{255}, 10), 0o644))
	must(t, os.Rename(next, path))
	wantBytes(t, s, want)
	must(t, os.Remove(path))
	must(t, os.WriteFile(path, nil, 0o644))
	wantBytes(t, s, want)
	must(t, s.CheckLength())

	pin, err := s.Pin()
	must(t, err)
	released := make(chan error)
	go func() { released <- s.Release() }()
	for { // until it has begun
		again, err := s.Pin()
		if err != nil {
			break
		}
		again.Unpin()
		runtime.Gosched()
	}
	if !bytes.Equal(pin.Bytes(), want) {
		t.Error("bytes changed while closing")
	}
	pin.Unpin()
	must(t, <-released)
	wantNotInUse(t, path)
}

// wantNotInUse checks that no mapping or descriptor of the process refers to a file by this name.
func wantNotInUse(t *testing.T, path string) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Log("can't tell what is mapped:", err)
		return
	}
	if bytes.Contains(maps, []byte(path)) {
		t.Errorf("%s is still mapped", path)
	}
	open, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for _, fd := range open {
		if target, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.HasPrefix(target, path) {
			t.Errorf("%s is still open", target)
		}
	}
}

func TestWithDoesNotAllocate(t *testing.T) {
	if raceBuild {
		t.Skip("the race detector allocates")
	}
	s := mapped(t, dataFile(t, 100), 0, -1, mmapstore.ReadOnly)
	buf := make([]byte, 10)
	sum := 0
	allocs := testing.AllocsPerRun(100, func() {
		err := s.With(func(b []byte) error { sum += len(b); return nil })
		if err == nil {
			_, err = s.ReadAt(buf, 3)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("With and ReadAt allocate %v times", allocs)
	}
}
