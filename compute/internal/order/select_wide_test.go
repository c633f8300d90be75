package order_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

// planes are the kinds of lanes that the parts of complex numbers are, beside random ones.
var planes = []struct{ re, im string }{
	{"random", "random"},
	{"equal", "random"}, // all upper halves are equal
	{"equal", "equal"},
	{"zeros", "random"}, // of both signs: imaginary parts decide
	{"zeros", "zeros"},
	{"random", "zeros"},
	{"few values", "few values"},
	{"two values", "ascending"},
	{"random", "one NaN"},
	{"some NaN", "random"},
	{"some NaN", "some NaN"},
	{"equal", "mostly NaN"},
	{"NaN", "random"},
	{"random", "NaN"},
	{"infinite", "infinite"},
	{"outlier", "late change"},
}

// TestSelectWide finds ranks of complex numbers, with room for many keys and for few.
func TestSelectWide(t *testing.T) {
	for i, plane := range planes {
		for _, n := range []int{1<<10 + 1, 1<<16 + 302} {
			if !*long && n > 1<<16 && i%2 > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s/%d", plane.re, plane.im, n), func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, uint64(n)))
				elems := make([]complex128, n+3)
				for i := range elems {
					elems[i] = complex(lanes[plane.re](i, n, r), lanes[plane.im](i, n, r))
				}
				sorted := make([]order.Wide, n)
				order.EncodeWide(sorted, bytesOf(elems[3:]), false)
				order.Sort(sorted, make([]order.Wide, n), 0, false)
				isNaN, _ := slices.BinarySearchFunc(sorted, true, func(w order.Wide, _ bool) int { return one(w.IsNaN()) - 1 })
				for _, maxKept := range []int{n, 100} {
					checkWide(t, elems, maxKept, sorted[:isNaN])
				}
			})
		}
	}
}

// checkWide holds keys at some positions against those of sorted elements that are no NaN.
func checkWide(t *testing.T, elems []complex128, maxKept int, sorted []order.Wide) {
	t.Helper()
	l := order.Lane{Source: bytesSource{bytesOf(elems), 16}, First: 3, N: len(elems) - 3, MaxKept: maxKept}
	at := func(nan int) (positions []int) {
		if n := l.N - nan; n > 0 {
			positions = []int{0, (n - 1) / 2, n / 2, n - 1}
		}
		return slices.Compact(positions)
	}
	keys, err := order.SelectWide(l, at, func(j exec.Job, _ bool) error {
		return exec.Run(context.Background(), j, exec.Options{Parallelism: 2})
	})
	if err != nil {
		t.Fatal(err)
	}
	positions := at(l.N - len(sorted))
	if len(keys) != len(positions) {
		t.Fatalf("%d keys, %d kept at most: want %d", len(keys), maxKept, len(positions))
	}
	for i, p := range positions {
		if keys[i] != sorted[p] {
			t.Errorf("key %x at %d, %d kept at most: want %x", keys[i], p, maxKept, sorted[p])
		}
	}
}

// TestSelectWidePasses counts the passes over all elements: one for the upper halves, and one for
// each of them that is wanted.
func TestSelectWidePasses(t *testing.T) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(8, 9))
	elems := make([]complex128, n)
	for i := range elems {
		elems[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	for _, positions := range [][]int{{n / 2}, {n/2 - 1, n / 2}} {
		passes := 0
		l := order.Lane{Source: bytesSource{bytesOf(elems), 16}, N: n}
		_, err := order.SelectWide(l, func(int) []int { return positions }, func(j exec.Job, reads bool) error {
			passes += one(reads && j.NumChunks() == n/order.ChunkElems)
			return exec.Run(context.Background(), j, exec.Options{Parallelism: 2})
		})
		if err != nil || passes != 1+len(positions) {
			t.Errorf("%d positions: %d passes, error %v", len(positions), passes, err)
		}
	}
}

// TestSearchSorted searches keys among sorted elements that have many equal ones.
func TestSearchSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	some := []float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 1, math.Inf(1), math.NaN()}
	elems, sought := make([]complex128, 500), make([]complex128, 0, len(some)*len(some))
	for i := range elems {
		elems[i] = complex(some[r.IntN(len(some))], some[r.IntN(len(some))])
	}
	for _, re := range some {
		for _, im := range some {
			sought = append(sought, complex(re, im))
		}
	}
	keys := make([]order.Wide, len(elems))
	order.EncodeWide(keys, bytesOf(elems), true)
	slices.SortFunc(keys, compareWide)
	order.DecodeWide(bytesOf(elems), keys)
	c, _ := order.CodingOf(dtype.Complex128)
	wanted := make([]order.Wide, len(sought))
	order.EncodeSought(c, wanted, bytesOf(sought))
	for _, copied := range []bool{false, true} {
		before, behind := make([]int64, len(sought)), make([]int64, len(sought))
		s := order.NewSorted[order.Wide](c, bytesOf(elems), copied)
		s.Search(before, wanted, false)
		s.Search(behind, wanted, true)
		for i, key := range wanted {
			below, upTo := int64(0), int64(0)
			for _, k := range keys {
				below += int64(one(compareWide(k, key) < 0))
				upTo += int64(one(compareWide(k, key) <= 0))
			}
			if before[i] != below || behind[i] != upTo {
				t.Errorf("%v, copied %v: before %d and behind %d, want %d and %d", sought[i], copied, before[i], behind[i], below, upTo)
			}
		}
	}
}
