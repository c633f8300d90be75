package device_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

func TestBudget(t *testing.T) {
	b := device.NewBudget(mmapstore.GPU(1), 1000)
	for _, c := range []struct {
		take, give int64
		fails      bool
		now, most  int64
	}{
		{take: 0, now: 0, most: 0},
		{take: 600, now: 600, most: 600},
		{take: 401, fails: true, now: 600, most: 600},
		{take: 400, now: 1000, most: 1000},
		{take: 1, fails: true, now: 1000, most: 1000},
		{give: 600, now: 400, most: 1000},
		{take: 1<<63 - 1, fails: true, now: 400, most: 1000},
		{take: -1, fails: true, now: 400, most: 1000},
		{take: 600, now: 1000, most: 1000},
	} {
		before, _ := b.Used()
		b.Give(c.give)
		err := b.Take(c.take)
		e, is := errors.AsType[*device.MemoryError](err)
		if is != c.fails {
			t.Fatalf("take %d of %d in use: got %v, want an error: %v", c.take, before, err, c.fails)
		}
		want := device.MemoryError{Place: mmapstore.GPU(1), Asked: c.take, Used: before, Limit: 1000}
		if is && cmp.Diff(want, *e) != "" {
			t.Error(cmp.Diff(want, *e))
		}
		if now, most := b.Used(); now != c.now || most != c.most {
			t.Errorf("take %d, give %d: got %d in use and %d at most, want %d and %d", c.take, c.give, now, most, c.now, c.most)
		}
	}
	if b.Limit() != 1000 {
		t.Errorf("the limit is %d", b.Limit())
	}
}

// Goroutines take no more than the limit between them.
func TestBudgetConcurrently(t *testing.T) {
	b := device.NewBudget(mmapstore.GPU(0), 10)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				if b.Take(3) == nil {
					b.Give(3)
				}
			}
		})
	}
	all.Wait()
	if now, most := b.Used(); now != 0 || most < 3 || most > 9 {
		t.Errorf("got %d in use and %d at most, want 0 and 3 to 9", now, most)
	}
}

func ExampleMemoryError() {
	b := device.NewBudget(mmapstore.GPU(0), 4<<30)
	fmt.Println(b.Take(3 << 30))
	fmt.Println(b.Take(2 << 30))
	// Output:
	// <nil>
	// gpu:0: no room for 2.0 GiB: 3.0 GiB of 4.0 GiB are in use
}
