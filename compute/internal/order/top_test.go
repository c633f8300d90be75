package order_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

// TestTop finds the first elements of all kinds, and holds them against sorted ones.
func TestTop(t *testing.T) {
	types := []dtype.Type{dtype.Float32, dtype.Bool, dtype.Float16, dtype.Uint8, dtype.Int32, dtype.Uint32, dtype.Float64, dtype.Int64, dtype.Complex64}
	for name, at := range lanes {
		if !*long && len(name)%3 != 0 {
			continue
		}
		for i, dt := range types {
			if i > 0 && len(name)%4 != i%4 {
				continue // each type with some of them
			}
			t.Run(fmt.Sprintf("%s/%s", name, dt), func(t *testing.T) {
				const n = 1<<16 + 99
				r := rand.New(rand.NewPCG(uint64(len(name)), 3))
				elems := make([]byte, n*dt.Size())
				for i := range n {
					dtype.ScalarOf(at(i, n, r)).Convert(dt).Store(elems[i*dt.Size():])
				}
				for _, indexes := range []bool{false, true} {
					checkTop(t, dt, elems, indexes)
				}
			})
		}
	}
}

// checkTop holds what a Top finds against sorted elements.
func checkTop(t *testing.T, dt dtype.Type, elems []byte, indexes bool) {
	c, _ := order.CodingOf(dt)
	n := len(elems)/dt.Size() - 5
	keys, sorted := make([]uint64, n), make([]order.Pair, n)
	if indexes {
		order.EncodeEqual(c, keys, elems[5*dt.Size():])
	} else {
		order.Encode(c, keys, elems[5*dt.Size():])
	}
	for _, largest := range []bool{false, true} {
		flip := uint64(0)
		if largest {
			flip--
		}
		for i, key := range keys {
			sorted[i] = order.Pair{Key: key ^ flip, Index: uint64(i)}
		}
		order.Sort(sorted, make([]order.Pair, n), 0, false)
		for i := range sorted {
			sorted[i].Key ^= flip
		}
		for _, first := range []int{1, 10, 3000} {
			got, err := order.Top{
				Lane:  order.Lane{Source: bytesSource{elems, dt.Size()}, Coding: c, First: 5, N: n},
				First: first, Largest: largest, Indexes: indexes,
				Run: func(j exec.Job, _ bool) error {
					return exec.Run(context.Background(), j, exec.Options{Parallelism: 2})
				},
			}.Find()
			if err != nil {
				t.Fatal(err)
			}
			if !indexes {
				for i := range got {
					got[i].Index = sorted[i].Index
				}
			}
			if !slices.Equal(got, sorted[:first]) {
				t.Errorf("the first %d, largest %v, indexes %v: not as sorted", first, largest, indexes)
			}
		}
	}
}

func TestSortFirst(t *testing.T) {
	for _, n := range []int{3, 100, 20_000} {
		for name, keys := range keySets(n, uint64(n)) {
			want := slices.Sorted(slices.Values(keys))
			for _, first := range []int{0, 1, n / 9, n / 3, n} {
				got := slices.Clone(keys)
				order.SortFirst(got, make([]uint32, n), first, 0)
				if !slices.Equal(got[:first], want[:first]) {
					t.Errorf("%s, the first %d of %d keys: not sorted", name, first, n)
				}
				packed := make([]uint64, n)
				for i, k := range keys {
					packed[i] = uint64(k)<<32 | uint64(i)
				}
				wantPacked := slices.Sorted(slices.Values(packed))
				order.SortFirst(packed, make([]uint64, n), first, 32)
				if !slices.Equal(packed[:first], wantPacked[:first]) {
					t.Errorf("%s, the first %d of %d keys with indexes: not sorted", name, first, n)
				}
			}
		}
	}
}
