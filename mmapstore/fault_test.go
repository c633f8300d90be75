package mmapstore_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mmap "github.com/edsrzf/mmap-go"

	"github.com/tstore/tstore/mmapstore"
)

var page = os.Getpagesize()

func skipInRaceBuilds(t *testing.T) {
	if raceBuild {
		t.Skip("race builds keep files on the heap, where nothing faults")
	}
}

// wantFault checks for a *FaultError at off of path.
func wantFault(t *testing.T, err error, path string, off int64) {
	t.Helper()
	fault, ok := errors.AsType[*mmapstore.FaultError](err)
	if !ok {
		t.Fatalf("got %v, want a *FaultError", err)
	}
	if fault.Path != path || fault.Offset != off {
		t.Errorf("fault at %d of %q, want %d of %q", fault.Offset, fault.Path, off, path)
	}
	if text := err.Error(); !strings.Contains(text, fmt.Sprintf("%q", path)) || !strings.Contains(text, fmt.Sprint(off)) {
		t.Errorf("message %q names neither file nor offset", text)
	}
}

func TestTruncatedBehindTheMapping(t *testing.T) {
	needCuts(t)
	skipInRaceBuilds(t)
	const offset = 12_345 // not on a page
	for _, mode := range []mmapstore.Mode{mmapstore.ReadOnly, mmapstore.Shared, mmapstore.Private} {
		t.Run(mode.String(), func(t *testing.T) {
			path := dataFile(t, 16*page)
			s := mapped(t, path, offset, -1, mode)
			cut := int64(9 * page)
			must(t, os.Truncate(path, cut))
			good := int(cut - offset)

			read := 0
			err := s.With(func(b []byte) error {
				for ; read < len(b); read++ {
					sink += uint64(b[read])
				}
				return nil
			})
			wantFault(t, err, path, cut)
			if !errors.Is(err, mmapstore.ErrTruncated) || read != good {
				t.Errorf("read %d bytes, then %v; want %d and ErrTruncated", read, err, good)
			}

			buf := make([]byte, good)
			if n, err := s.ReadAt(buf, 0); n != good || err != nil {
				t.Errorf("ReadAt of what is left: %d, %v", n, err)
			}
			_, err = s.ReadAt(make([]byte, 10), int64(good)-5)
			wantFault(t, err, path, cut)

			part, err := s.Range(int64(good)+100, 50)
			must(t, err)
			defer part.Release()
			wantFault(t, part.With(func(b []byte) error { sink += uint64(b[7]); return nil }), path, cut+107)

			if err := s.CheckLength(); !errors.Is(err, mmapstore.ErrTruncated) {
				t.Errorf("CheckLength: %v, want ErrTruncated", err)
			}
		})
	}
}

// TestCutAndExtended documents what only CheckLength and checksums can find.
func TestCutAndExtended(t *testing.T) {
	needCuts(t)
	skipInRaceBuilds(t)
	path := dataFile(t, 2*page)
	s := mapped(t, path, 0, -1, mmapstore.ReadOnly)
	cut := int64(page) + 100
	must(t, os.Truncate(path, cut))
	last := func() (b byte) {
		must(t, s.With(func(p []byte) error { b = p[len(p)-1]; return nil }))
		return b
	}
	if b := last(); b != 0 {
		t.Errorf("byte past the cut within the page is %d, want 0", b)
	}
	if err := s.CheckLength(); !errors.Is(err, mmapstore.ErrTruncated) {
		t.Errorf("CheckLength: %v, want ErrTruncated", err)
	}
	must(t, os.Truncate(path, 2*int64(page)))
	if b := last(); b != 0 {
		t.Errorf("byte cut off and added again is %d, want 0", b)
	}
	must(t, s.CheckLength())
}

func TestReadOnlyRefusesWrites(t *testing.T) {
	skipInRaceBuilds(t)
	path := dataFile(t, 3*page)
	s := mapped(t, path, 0, -1, mmapstore.ReadOnly)
	if s.Writable() {
		t.Error("writable")
	}
	if n, err := s.WriteAt([]byte{1}, 0); n != 0 || !errors.Is(err, mmapstore.ErrReadOnly) {
		t.Errorf("WriteAt: %d, %v; want 0, ErrReadOnly", n, err)
	}
	if err := s.Advise(0, -1, mmapstore.PopulateWrite); !errors.Is(err, mmapstore.ErrReadOnly) {
		t.Errorf("PopulateWrite: %v, want ErrReadOnly", err)
	}
	err := s.With(func(b []byte) error { b[page+17] = 1; return nil })
	wantFault(t, err, path, int64(page)+17)
	if !errors.Is(err, mmapstore.ErrReadOnly) {
		t.Errorf("stray store: %v, want ErrReadOnly", err)
	}
	wantBytes(t, s, pattern(3*page))
}

// TestBorrowedMappingFaults borrows memory that somebody else mapped.
func TestBorrowedMappingFaults(t *testing.T) {
	needCuts(t)
	path := dataFile(t, 4*page)
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	raw, err := mmap.Map(f, mmap.RDONLY, 0)
	must(t, err)
	s := mmapstore.FromBytes(raw[10:])
	must(t, os.Truncate(path, int64(page)))
	wantFault(t, s.With(func(b []byte) error { sink += uint64(b[2*page]); return nil }), "borrowed memory", int64(2*page))
	must(t, s.Release())
	must(t, raw.Unmap())
}

func TestGuardAll(t *testing.T) {
	needCuts(t)
	skipInRaceBuilds(t)
	good, err := mmapstore.New(100)
	must(t, err)
	defer good.Release()
	bad, err := cutMapping(t.TempDir())
	must(t, err)
	defer bad.Release()
	pin, err := bad.Pin()
	must(t, err)
	defer pin.Unpin()
	err = mmapstore.GuardAll(func() error { sink += uint64(pin.Bytes()[bad.Size()-1]); return nil }, good, bad)
	wantFault(t, err, bad.Path(), bad.Size()-1)
	want := errors.New("from inside")
	if err := mmapstore.GuardAll(func() error { return want }, good, bad); err != want {
		t.Errorf("got %v, want what the function returned", err)
	}
	wantForeignPanic(t, func() {
		_ = mmapstore.GuardAll(func() error { sink += uint64(pin.Bytes()[bad.Size()-1]); return nil }, good)
	})
}

// wantForeignPanic wants f to panic with a fault address.
func wantForeignPanic(t *testing.T, f func()) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		t.Helper()
		if _, ok := recover().(interface{ Addr() uintptr }); !ok {
			t.Error("a fault of another mapping did not go on")
		}
	}()
	f()
}

func TestNestedGuards(t *testing.T) {
	needCuts(t)
	outer, err := cutMapping(t.TempDir())
	must(t, err)
	defer outer.Release()
	inner, err := cutMapping(t.TempDir())
	must(t, err)
	defer inner.Release()
	last := func(b []byte) { sink += uint64(b[len(b)-1]) }

	// The inner storage's fault ends the inner call only.
	must(t, outer.With(func([]byte) error {
		if err := inner.With(func(b []byte) error { last(b); return nil }); err == nil {
			t.Error("no fault of the inner storage")
		}
		return nil
	}))
	// The outer storage's fault passes through the inner call.
	err = outer.With(func(b []byte) error {
		return inner.With(func([]byte) error { last(b); return nil })
	})
	if _, ok := errors.AsType[*mmapstore.FaultError](err); !ok {
		t.Errorf("fault of the outer storage: %v", err)
	}
	// The faults released their pins.
	must(t, inner.Release())
	must(t, outer.Release())
}

func TestGuardLeavesOtherPanicsAlone(t *testing.T) {
	s, err := mmapstore.New(10)
	must(t, err)
	zero := 0
	panics := map[string]func(){
		"value":        func() { panic("mine") },
		"nil pointer":  func() { var p *int; *p = 1 },
		"out of range": func() { _ = make([]int, 1)[zero+5] },
		"division":     func() { sink = uint64(1 / zero) },
	}
	for name, f := range panics {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic did not come through", name)
				}
			}()
			_ = s.With(func([]byte) error { f(); return nil })
		}()
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		_ = s.With(func([]byte) error { runtime.Goexit(); return nil })
	}()
	<-done
	must(t, s.Release()) // waits for ever if a pin was lost
}

func TestGuardRestoresPanicOnFault(t *testing.T) {
	needCuts(t)
	s, err := cutMapping(t.TempDir())
	must(t, err)
	defer s.Release()
	for _, before := range []bool{false, true} {
		first := debug.SetPanicOnFault(before)
		_ = s.With(func(b []byte) error { sink += uint64(b[len(b)-1]); return nil })
		if after := debug.SetPanicOnFault(first); after != before {
			t.Errorf("setting is %v after a fault, was %v", after, before)
		}
	}
}

func TestManyFaultsUnderGC(t *testing.T) {
	needCuts(t)
	const workers = 64
	each := 500
	if testing.Short() || raceBuild {
		each = 100
	}
	s, err := cutMapping(t.TempDir())
	must(t, err)
	var stop atomic.Bool
	var collector, group sync.WaitGroup
	collector.Go(func() {
		for !stop.Load() {
			runtime.GC()
		}
	})
	var recovered atomic.Int64
	for w := range workers {
		group.Go(func() {
			buf := make([]byte, 4*page)
			for range each {
				err := s.With(func(b []byte) error {
					if w%2 == 0 {
						copy(buf, b[len(b)/2:])
					} else {
						buf[0] = b[len(b)-1-w]
					}
					return nil
				})
				if _, ok := errors.AsType[*mmapstore.FaultError](err); ok {
					recovered.Add(1)
				}
			}
		})
	}
	group.Wait()
	stop.Store(true)
	collector.Wait()
	if got := recovered.Load(); got != int64(workers*each) {
		t.Errorf("%d faults recovered, want %d", got, workers*each)
	}
	must(t, s.Release())
}

// TestTruncateWhileReading cuts and extends a file under its readers: each read is right, zeros, or
// a fault.
func TestTruncateWhileReading(t *testing.T) {
	needCuts(t)
	skipInRaceBuilds(t)
	path := dataFile(t, 64*page)
	s := mapped(t, path, 0, -1, mmapstore.ReadOnly)
	want := pattern(64 * page)
	deadline := time.Now().Add(200 * time.Millisecond)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			buf := make([]byte, len(want))
			for time.Now().Before(deadline) {
				n, err := s.ReadAt(buf, 0)
				if _, ok := errors.AsType[*mmapstore.FaultError](err); err != nil && !ok {
					t.Errorf("ReadAt: %v", err)
				}
				for i, b := range buf[:n] {
					if b != want[i] && b != 0 {
						t.Errorf("byte %d is %d: somebody else's", i, b)
						return
					}
				}
			}
		})
	}
	for time.Now().Before(deadline) {
		must(t, os.Truncate(path, 100))
		must(t, os.Truncate(path, int64(len(want))))
	}
	group.Wait()
}

func TestPopulateReportsFaults(t *testing.T) {
	skipInRaceBuilds(t)
	if runtime.GOOS != "linux" {
		t.Skip("advice is used on Linux only")
	}
	path := dataFile(t, 8*page)
	s := mapped(t, path, 100, -1, mmapstore.Shared)
	must(t, os.Truncate(path, int64(3*page)))
	for _, a := range []mmapstore.Advice{mmapstore.PopulateRead, mmapstore.PopulateWrite} {
		err := s.Advise(0, -1, a)
		wantFault(t, err, path, int64(3*page))
		if !errors.Is(err, mmapstore.ErrTruncated) {
			t.Errorf("%s: %v, want ErrTruncated", a, err)
		}
	}
	must(t, s.Advise(0, int64(page), mmapstore.PopulateRead))
}

// needCuts skips where no file can be cut off while it is mapped.
func needCuts(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not cut a file that is mapped")
	}
}
