package mmapstore_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/mmapstore"
)

// usageOf is the line of one pair.
func usageOf(place mmapstore.Place, kind mmapstore.Kind) mmapstore.Usage {
	for _, u := range mmapstore.Stats() {
		if u.Place == place && u.Kind == kind {
			return u
		}
	}
	return mmapstore.Usage{Place: place, Kind: kind}
}

func TestStats(t *testing.T) {
	before := usageOf(mmapstore.GPU(3), mmapstore.KindDevice)
	if before.Blocks != 0 {
		t.Fatalf("blocks are alive: %+v", before)
	}
	alloc := ramAllocator{gpu: 3}
	a, err := mmapstore.WithAllocator(alloc, 100)
	must(t, err)
	b, err := mmapstore.WithAllocator(alloc, 50)
	must(t, err)
	part, err := a.Range(0, 10)
	must(t, err)
	want := mmapstore.Usage{
		Place: mmapstore.GPU(3), Kind: mmapstore.KindDevice,
		Blocks: 2, Bytes: 150, PeakBytes: 150,
		TotalBlocks: before.TotalBlocks + 2, TotalBytes: before.TotalBytes + 150,
	}
	check := func(when string) {
		t.Helper()
		if diff := cmp.Diff(want, usageOf(mmapstore.GPU(3), mmapstore.KindDevice)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("two blocks and a range")
	must(t, a.Release())
	check("a range keeps its block")
	must(t, part.Release())
	want.Blocks, want.Bytes = 1, 50
	check("one block")
	must(t, b.Release())
	want.Blocks, want.Bytes = 0, 0
	check("none")
}

func TestStatsOfEveryKind(t *testing.T) {
	kinds := map[string]mmapstore.Kind{
		"heap": mmapstore.KindHeap, "anonymous": mmapstore.KindAnonymous, "file": mmapstore.KindFile,
		"shared": mmapstore.KindMapped, "private copy": mmapstore.KindMapped, "create": mmapstore.KindMapped,
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			before := usageOf(mmapstore.CPU, kind)
			s := makerNamed(t, name)(t, pattern(1000))
			now := usageOf(mmapstore.CPU, kind)
			if now.Blocks != before.Blocks+1 || now.Bytes != before.Bytes+1000 {
				t.Errorf("a storage of 1000 bytes: %+v after %+v", now, before)
			}
			if err := s.Grow(5000); err == nil {
				if now := usageOf(mmapstore.CPU, kind); now.Blocks != before.Blocks+1 || now.Bytes != before.Bytes+5000 {
					t.Errorf("grown to 5000 bytes: %+v after %+v", now, before)
				}
			}
			must(t, s.Release())
			if now := usageOf(mmapstore.CPU, kind); now.Blocks != before.Blocks || now.Bytes != before.Bytes {
				t.Errorf("released: %+v after %+v", now, before)
			}
		})
	}
}

func TestStatsRace(t *testing.T) {
	before := usageOf(mmapstore.CPU, mmapstore.KindHeap)
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			for range 100 {
				s, err := mmapstore.New(10)
				if err != nil {
					t.Error(err)
					return
				}
				mmapstore.Stats()
				releaseAll(s)
			}
		})
	}
	group.Wait()
	after := usageOf(mmapstore.CPU, mmapstore.KindHeap)
	if after.Blocks != before.Blocks || after.TotalBlocks != before.TotalBlocks+5000 || after.TotalBytes != before.TotalBytes+50_000 {
		t.Errorf("%+v after 5000 blocks and %+v", after, before)
	}
}
