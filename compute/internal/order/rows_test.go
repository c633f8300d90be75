package order_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/order"
)

// TestRowSorter sorts few and many rows of some lengths, of keys alone and with indexes.
func TestRowSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, length := range []int{1, 2, 7, 8, 33, 64, 511, 512, 513} {
		for _, first := range []int{1, length/2 + 1, length} {
			checkRows(t, length, first, 0, func(int) uint32 { return r.Uint32() >> r.IntN(32) }, cmp.Compare[uint32])
			checkRows(t, length, first, 0, func(int) uint64 { return r.Uint64() >> r.IntN(64) }, cmp.Compare[uint64])
			checkRows(t, length, first, 32, func(i int) uint64 { return uint64(r.IntN(10))<<32 | uint64(i) }, cmp.Compare[uint64])
			checkRows(t, length, first, 0, func(i int) order.Pair { return order.Pair{Key: uint64(r.IntN(10)), Index: uint64(i)} },
				func(x, y order.Pair) int { return cmp.Or(cmp.Compare(x.Key, y.Key), cmp.Compare(x.Index, y.Index)) })
		}
	}
}

func checkRows[E order.Item](t *testing.T, length, first int, low uint, at func(i int) E, compare func(x, y E) int) {
	t.Helper()
	for _, rows := range []int{1, 1000} {
		checkSorter(t, order.NewRowSorter[E](rows, length, first, low), length, first, at, compare)
	}
}

func checkSorter[E order.Item](t *testing.T, s *order.RowSorter[E], length, first int, at func(i int) E, compare func(x, y E) int) {
	t.Helper()
	for _, rows := range []int{1, s.Together()/2 + 1, s.Together()} {
		items := s.Items()
		for i := range rows * length {
			items[i] = at(i % length)
		}
		want := slices.Clone(items)
		s.Sort(items, rows)
		for row := range rows {
			got, want := items[row*length:][:first], want[row*length:][:length]
			slices.SortFunc(want, compare)
			if !slices.Equal(got, want[:first]) {
				t.Errorf("%T, row %d of %d, the first %d of %d: %v, want %v", *new(E), row, rows, first, length, got, want[:first])
				return
			}
		}
	}
}
