package order_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

func compareWide(x, y order.Wide) int {
	return cmp.Or(cmp.Compare(x.Key, y.Key), cmp.Compare(x.Low, y.Low))
}

func compareWidePairs(x, y order.WidePair) int {
	return cmp.Or(cmp.Compare(x.Key, y.Key), cmp.Compare(x.Low, y.Low), cmp.Compare(x.Index, y.Index))
}

// TestWideKeys compares the keys of all pairs of complex numbers with some parts.
func TestWideKeys(t *testing.T) {
	var all []dtype.Scalar
	for _, re := range parts {
		for _, im := range parts {
			all = append(all, dtype.ScalarOf(complex(float64(re), float64(im))))
		}
	}
	words := make([]uint64, 4*len(all))
	room := bytesOf(words)
	elems, back := room[:len(room)/2], room[len(room)/2:]
	for i, z := range all {
		z.Store(elems[16*i:])
	}
	keys, equal := make([]order.Wide, len(all)), make([]order.Wide, len(all))
	order.EncodeWide(keys, elems, false)
	order.EncodeWide(equal, elems, true)
	order.DecodeWide(back, keys)
	for i, x := range all {
		if got := back[16*i:][:16]; !isNaN(x) && string(got) != string(elems[16*i:][:16]) {
			t.Errorf("%v is decoded as %x", x, got)
		}
		if keys[i].IsNaN() != isNaN(x) {
			t.Errorf("%v: IsNaN of its key is %v", x, keys[i].IsNaN())
		}
		for k, y := range all {
			want := compare(x, y)
			if got := compareWide(equal[i], equal[k]); got != sign(want) {
				t.Errorf("keys of %v and %v compare as %d, want %d", x, y, got, want)
			}
			if got := compareWide(keys[i], keys[k]); want != 0 && got != sign(want) {
				t.Errorf("keys of %v and %v with signs compare as %d, want %d", x, y, got, want)
			}
		}
	}
}

// wideSets are wide keys of many kinds.
var wideSets = map[string]func(r *rand.Rand, i, n int) order.Wide{
	"random":    func(r *rand.Rand, _, _ int) order.Wide { return order.Wide{Key: r.Uint64(), Low: r.Uint64()} },
	"one high":  func(r *rand.Rand, _, _ int) order.Wide { return order.Wide{Key: 7, Low: r.Uint64()} },
	"one low":   func(r *rand.Rand, _, _ int) order.Wide { return order.Wide{Key: r.Uint64(), Low: 7} },
	"few":       func(r *rand.Rand, _, _ int) order.Wide { return order.Wide{Key: r.Uint64N(3), Low: r.Uint64N(3)} },
	"same":      func(*rand.Rand, int, int) order.Wide { return order.Wide{Key: 1, Low: 2} },
	"few highs": func(r *rand.Rand, _, _ int) order.Wide { return order.Wide{Key: r.Uint64N(2) << 63, Low: r.Uint64()} },
	"outlier": func(r *rand.Rand, i, n int) order.Wide {
		return order.Wide{Key: uint64(i/(n-1)) << 63, Low: r.Uint64N(1 << 20)}
	},
}

// TestSortWide sorts wide keys, alone and with indexes.
func TestSortWide(t *testing.T) {
	for name, at := range wideSets {
		for _, n := range []int{2, 40, 1000, 60_000} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			keys, pairs := make([]order.Wide, n), make([]order.WidePair, n)
			for i := range keys {
				keys[i] = at(r, i, n)
				pairs[i] = order.WidePair{Key: keys[i].Key, Low: keys[i].Low, Index: uint64(i)}
			}
			want, wantPairs := slices.Clone(keys), slices.Clone(pairs)
			slices.SortFunc(want, compareWide)
			slices.SortFunc(wantPairs, compareWidePairs) // whose indexes ascend
			for _, toRoom := range []bool{false, true} {
				got, room := slices.Clone(keys), make([]order.Wide, n)
				order.Sort(got, room, 0, toRoom)
				gotPairs, roomPairs := slices.Clone(pairs), make([]order.WidePair, n)
				order.Sort(gotPairs, roomPairs, 0, toRoom)
				if toRoom {
					got, gotPairs = room, roomPairs
				}
				if !slices.Equal(got, want) || !slices.Equal(gotPairs, wantPairs) {
					t.Errorf("%s, %d keys, in room %v: not sorted", name, n, toRoom)
				}
			}
		}
	}
}

// TestLongWide sorts lanes of wide keys with indexes, in memory and in runs that are merged.
func TestLongWide(t *testing.T) {
	const n = 9 << 17
	for name, at := range wideSets {
		for i, maxItems := range []int{n, n/3 + 5} {
			if !*long && len(name)%2 != i {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, maxItems), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(4, 5))
				items := make([]order.WidePair, n)
				for i := range items {
					k := at(r, i, n)
					items[i] = order.WidePair{Key: k.Key, Low: k.Low, Index: uint64(i)}
				}
				got := make([]order.WidePair, n)
				run := func(j exec.Job, _ bool) error { return exec.Run(context.Background(), j, exec.Options{Parallelism: 2}) }
				l := order.Long[order.WidePair]{
					Lane:     order.Lane{Source: bytesSource{bytesOf(make([]uint64, n)), 8}, N: n},
					Load:     func(to []order.WidePair, _ []byte, first int) { copy(to, items[first:]) },
					MaxItems: maxItems,
					NewEmit: func() func(at int, items []order.WidePair) error {
						return func(at int, items []order.WidePair) error {
							copy(got[at:], items)
							return nil
						}
					},
					Run:     run,
					Scratch: func(n int) ([]order.WidePair, error) { return make([]order.WidePair, n), nil },
				}
				if err := l.Sort(); err != nil {
					t.Fatal(err)
				}
				seen := make([]bool, n)
				for i, e := range got {
					seen[e.Index] = true
					if i > 0 && compareWidePairs(got[i-1], e) >= 0 {
						t.Fatalf("item %d: %v comes before %v", i, got[i-1], e)
					}
				}
				if slices.Contains(seen, false) {
					t.Error("an item is missing")
				}
			})
		}
	}
}
