package mmapstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

// TestGrow grows every sort of storage that can.
func TestGrow(t *testing.T) {
	const small, large = 10_000, 3 << 20
	for _, maker := range makers {
		t.Run(maker.name, func(t *testing.T) {
			s := maker.make(t, pattern(small))
			defer releaseAll(s)
			want := pattern(small)
			err := s.Grow(large)
			switch maker.name {
			case "borrowed", "range", "range of range of file", "private", "private copy":
				if err == nil {
					t.Error("it grew")
				}
				wantBytes(t, s, want)
				return
			case "shared", "shared copy", "shared copy of a sole writer":
				want = append(want, pattern(small + 5000)[small+4567:]...) // the file has them
			}
			must(t, err)
			want = append(want, make([]byte, large-len(want))...)
			wantBytes(t, s, want)
			must(t, s.Grow(large))
			testGrown(t, s, want)
		})
	}
}

func testGrown(t *testing.T, s *mmapstore.Storage, want []byte) {
	tail := mustRange(t, s, 2<<20, 5)
	fill(t, tail, []byte("grown"))
	copy(want[2<<20:], "grown")
	must(t, s.Flush(0, -1))
	if err := s.Grow(s.Size() + 1); !errors.Is(err, mmapstore.ErrBusy) {
		t.Errorf("Grow with a range out: %v, want ErrBusy", err)
	}
	must(t, tail.Release())
	if err := s.Grow(1); err == nil || errors.Is(err, mmapstore.ErrBusy) {
		t.Errorf("Grow to less: %v, want an error of its own", err)
	}
	if err := s.Grow(math.MaxInt64); err == nil {
		t.Error("Grow to the largest size succeeded")
	}
	wantBytes(t, s, want)
}

func TestGrowWithPin(t *testing.T) {
	s, err := mmapstore.New(10)
	must(t, err)
	err = s.With(func([]byte) error { return s.Grow(20) })
	if !errors.Is(err, mmapstore.ErrBusy) || s.Size() != 10 {
		t.Errorf("Grow with a pin out: %v, size %d; want ErrBusy and 10", err, s.Size())
	}
	must(t, s.Grow(20))
	must(t, s.Release())
	if err := s.Grow(30); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("Grow of a closed storage: %v, want ErrClosed", err)
	}
}

func TestGrowReachesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	s, err := mmapstore.Map(path, 100, 0, mmapstore.Create, nil)
	must(t, err)
	for _, size := range []int64{1, 5000, 5001, 100_000} {
		must(t, s.Grow(size))
		if _, err := s.WriteAt([]byte{byte(size)}, size-1); err != nil {
			t.Fatal(err)
		}
	}
	must(t, s.Flush(0, -1))
	must(t, s.Release())
	want := make([]byte, 100_100)
	for _, size := range []int{1, 5000, 5001, 100_000} {
		want[100+size-1] = byte(size)
	}
	got, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes in the file, or not those stored", len(got))
	}
}

// TestGrowRacesUsers grows storages while others read and write them.
func TestGrowRacesUsers(t *testing.T) {
	for _, name := range []string{"heap", "anonymous", "create"} {
		t.Run(name, func(t *testing.T) {
			want := pattern(1000)
			s := makerNamed(t, name)(t, want)
			var stop atomic.Bool
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					for !stop.Load() {
						wantPrefix(t, s, want)
						runtime.Gosched()
					}
				})
			}
			grown := 0
			for grown < 50 {
				switch err := s.Grow(s.Size() + 500); {
				case err == nil:
					grown++
				case !errors.Is(err, mmapstore.ErrBusy):
					t.Error(err)
					grown = 50
				}
			}
			stop.Store(true)
			group.Wait()
			must(t, s.Release())
		})
	}
}

func makerNamed(t *testing.T, name string) func(*testing.T, []byte) *mmapstore.Storage {
	t.Helper()
	for _, maker := range makers {
		if maker.name == name {
			return maker.make
		}
	}
	t.Fatalf("no maker %q", name)
	return nil
}

func wantPrefix(t *testing.T, s *mmapstore.Storage, want []byte) {
	err := s.With(func(b []byte) error {
		if !bytes.HasPrefix(b, want) {
			return fmt.Errorf("the first of %d bytes differ", len(b))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestGrowAfterCut does not let growth hide that bytes were lost.
func TestGrowAfterCut(t *testing.T) {
	for _, heap := range []bool{false, true} {
		t.Run(fmt.Sprint("copy=", heap), func(t *testing.T) {
			if !heap {
				needCuts(t)
			}
			path := dataFile(t, 20_000)
			s, err := mmapstore.Map(path, 0, -1, mmapstore.Shared, &mmapstore.MapOptions{Copy: heap})
			must(t, err)
			must(t, os.Truncate(path, 15_000))
			if err := s.Grow(30_000); !errors.Is(err, mmapstore.ErrTruncated) {
				t.Errorf("Grow: %v, want ErrTruncated", err)
			}
			if info, err := os.Stat(path); err != nil || info.Size() != 15_000 {
				t.Errorf("file after Grow: %v, %v", info.Size(), err)
			}
			releaseAll(s)
		})
	}
}
