package catalog_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/catalog"
)

func TestChange(t *testing.T) {
	s := catalog.Storage{ID: catalog.NewID(), PayloadBytes: 100, Refs: 2, Changes: 5}
	shared := s
	s.Change(10, 20)
	before := s
	s.Change(10, 20)
	s.Change(15, 40)
	s.Change(0, 100)
	s.Change(7, 7)
	for _, tc := range []struct {
		first, end int64
		want       uint64
	}{{0, 100, 10}, {10, 20, 10}, {0, 10, 7}, {0, 11, 9}, {20, 30, 8}, {40, 50, 7}, {90, 100, 7}} {
		if got := s.ChangesWithin(tc.first, tc.end); got != tc.want {
			t.Errorf("bytes %d to %d: %d changes, want %d", tc.first, tc.end, got, tc.want)
		}
	}
	if len(shared.Spans) != 0 || before.Spans[0].Changes != 1 {
		t.Errorf("a change of a copy shows in the original: %v, %v", shared.Spans, before.Spans)
	}
	alone := catalog.Storage{PayloadBytes: 100, Refs: 1}
	alone.Change(10, 20)
	if alone.Changes != 1 || len(alone.Spans) != 0 {
		t.Errorf("the storage of one tensor counts %d changes, in %v", alone.Changes, alone.Spans)
	}
}

// TestManyChanges changes more places than are kept apart: of any bytes, the count grows with each
// change of them and never shrinks.
func TestManyChanges(t *testing.T) {
	const size, tensors = 1000, 200
	r := rand.New(rand.NewPCG(1, 2))
	s := catalog.Storage{PayloadBytes: size * tensors, Refs: tensors}
	var seen [tensors]uint64
	missed := 0
	for range 5000 {
		n := r.IntN(tensors)
		first := int64(n*size + r.IntN(size/2))
		s.Change(first, first+int64(1+r.IntN(size/2)))
		if len(s.Spans) > catalog.MaxSpans {
			t.Fatalf("%d spans", len(s.Spans))
		}
		for i := range seen {
			now := s.ChangesWithin(int64(i*size), int64((i+1)*size))
			if now < seen[i] || i == n && now == seen[i] || now > s.Changes {
				t.Fatalf("tensor %d: %d changes after %d, %d was changed", i, now, seen[i], n)
			}
			if i != n && now != seen[i] {
				missed++
			}
			seen[i] = now
		}
	}
	if missed > 5000*tensors/10 {
		t.Errorf("%d of %d times a change elsewhere was counted", missed, 5000*tensors)
	}
}
