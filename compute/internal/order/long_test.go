package order_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

// sortLong sorts elements, in runs of at most maxItems.
func sortLong(t *testing.T, elems []uint32, maxItems int) []uint32 {
	t.Helper()
	c, _ := order.CodingOf(dtype.Uint32)
	got := make([]uint32, len(elems))
	var mu sync.Mutex
	spilled, chunk := 0, 0
	l := order.Long[uint32]{
		Lane:     order.Lane{Source: bytesSource{bytesOf(elems), 4}, Coding: c, N: len(elems)},
		Load:     func(items []uint32, elems []byte, _ int) { order.Encode(c, items, elems) },
		MaxItems: maxItems,
		NewEmit: func() func(at int, items []uint32) error {
			return func(at int, items []uint32) error {
				mu.Lock()
				defer mu.Unlock()
				copy(got[at:], items)
				return nil
			}
		},
		Run:     func(j exec.Job, _ bool) error { return exec.Run(context.Background(), j, exec.Options{Parallelism: 2}) },
		Scratch: func(n int) ([]uint32, error) { return make([]uint32, n), nil },
		Spilled: func(first, n int) error {
			if first != spilled || n < 1 || n > maxItems {
				t.Errorf("a run of %d items from %d on, after %d items in runs of %d at most", n, first, spilled, maxItems)
			}
			spilled = first + n
			return nil
		},
		Soon: func(first, n int) {
			if first < 0 || n < 1 || first+n > len(elems) || first/maxItems != (first+n-1)/maxItems {
				t.Errorf("%d items from %d on are to be read, of runs of %d", n, first, maxItems)
			}
		},
		Merge: func(j exec.Job, items int) error {
			chunk = items
			return exec.Run(context.Background(), j, exec.Options{Parallelism: 2})
		},
	}
	emit := l.NewEmit
	l.NewEmit = func() func(at int, items []uint32) error {
		keep := emit()
		return func(at int, items []uint32) error {
			if chunk > 0 && (at%chunk != 0 || len(items) != min(chunk, len(elems)-at)) {
				t.Errorf("%d merged items from %d on, in chunks of %d", len(items), at, chunk)
			}
			return keep(at, items)
		}
	}
	if err := l.Sort(); err != nil {
		t.Fatal(err)
	}
	if external := len(elems) > maxItems; external && (spilled != len(elems) || chunk == 0) || !external && spilled+chunk > 0 {
		t.Errorf("%d of %d items were in runs of %d, merged in chunks of %d", spilled, len(elems), maxItems, chunk)
	}
	return got
}

func TestLong(t *testing.T) {
	if !*long {
		t.Skip("sorts millions of keys")
	}
	const n = 5 << 18
	r := rand.New(rand.NewPCG(8, 9))
	for name, make := range map[string]func(i int) uint32{
		"random":   func(int) uint32 { return r.Uint32() },
		"one high": func(i int) uint32 { return uint32(i/(n-1))<<31 | r.Uint32N(1<<18) }, // the others are one giant part
		"same":     func(int) uint32 { return 9 },
		"outlier":  func(i int) uint32 { return uint32(i / (n - 1)) },
	} {
		elems := make2(n, make)
		want := slices.Clone(elems)
		order.Sort(want, make2(n, func(int) uint32 { return 0 }), 0, false)
		for _, maxItems := range []int{n, n / 3} {
			if !slices.Equal(sortLong(t, elems, maxItems), want) {
				t.Errorf("%s, %d items at once: not sorted", name, maxItems)
			}
		}
	}
}
