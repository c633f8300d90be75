//go:build invariants

package mmapstore_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/mmapstore"
)

// leaksOf are the leaks over one file.
func leaksOf(path string) (found []mmapstore.Leak) {
	for _, l := range mmapstore.Leaks() {
		if strings.Contains(l.Name, path) {
			found = append(found, l)
		}
	}
	return found
}

func TestLeaksNameTheirMaker(t *testing.T) {
	path := dataFile(t, 1000)
	s := mapped(t, path, 0, -1, mmapstore.ReadOnly)
	part, err := s.Range(10, 20)
	must(t, err)
	must(t, s.Release())
	leaks := leaksOf(path)
	if len(leaks) != 2 || leaks[0].Size != 1000 || leaks[1].Size != 20 {
		t.Fatalf("leaks: %v; want the storage, which the range keeps, and the range", leaks)
	}
	if text := leaks[1].String(); !strings.Contains(text, "TestLeaksNameTheirMaker") || !strings.Contains(text, path) {
		t.Errorf("the leak does not name its maker:\n%s", text)
	}
	must(t, part.Release())
	if leaks := leaksOf(path); len(leaks) != 0 {
		t.Errorf("leaks after the last Release: %v", leaks)
	}
}

func TestLostStorages(t *testing.T) {
	before := len(mmapstore.Leaks())
	p := &pool{}
	_, err := mmapstore.WithAllocator(p, 12_345)
	must(t, err)
	defer p.last.Free()
	deadline := time.Now().Add(5 * time.Second)
	for {
		runtime.GC()
		leaks := mmapstore.Leaks()
		if len(leaks) != before+1 {
			t.Fatalf("%d leaks, want %d", len(leaks), before+1)
		}
		if last := leaks[before]; last.Lost && last.Size == 12_345 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the lost storage is not reported: %v", leaks[before])
		}
		time.Sleep(time.Millisecond)
	}
}

// TestUseAfterRelease keeps bytes past their pin and uses them when the mapping is gone, with other
// files mapped in the meantime.
func TestUseAfterRelease(t *testing.T) {
	skipInRaceBuilds(t)
	if runtime.GOOS != "linux" {
		t.Skip("closed mappings are kept inaccessible on Linux only")
	}
	path := dataFile(t, 100_000)
	s := mapped(t, path, 0, -1, mmapstore.Shared)
	var stale []byte
	must(t, s.With(func(b []byte) error { stale = b; return nil }))
	must(t, s.Release())
	wantNotInUse(t, path)
	for range 100 {
		other := mapped(t, path, 0, -1, mmapstore.ReadOnly)
		func() {
			defer func() {
				text := fmt.Sprint(recover())
				if !strings.HasPrefix(text, "BUG: ") || !strings.Contains(text, path) || !strings.Contains(text, "TestUseAfterRelease") {
					t.Fatalf("use after Release: %q", text)
				}
			}()
			_ = other.With(func([]byte) error { sink += uint64(stale[500]); return nil })
		}()
		must(t, other.Release())
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	wantForeignPanic(t, func() { sink += uint64(stale[500]) })
}
