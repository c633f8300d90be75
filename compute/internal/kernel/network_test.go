package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// TestNetwork sorts columns of every order of zeros and ones, which sort all others if they sort
// these, and of random numbers.
func TestNetwork(t *testing.T) {
	kernel.Networks(func(name string, lanes func(size int) int, network func(size, rows int) *kernel.Network) {
		for _, size := range []int{4, 8} {
			if lanes(size) == 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				sort := func(rows int, at func(row, col int) uint64) {
					if size == 4 {
						checkNetwork[uint32](t, network(size, rows), rows, lanes(size), at)
					} else {
						checkNetwork[uint64](t, network(size, rows), rows, lanes(size), at)
					}
				}
				for rows := range 14 {
					for first := 0; first < 1<<rows; first += lanes(size) {
						sort(rows, func(row, col int) uint64 { return uint64((first + col) >> row & 1) })
					}
				}
				r := rand.New(rand.NewPCG(1, 2))
				for _, rows := range []int{31, 64, 100, 257, 512} {
					sort(rows, func(_, _ int) uint64 { return r.Uint64() >> r.IntN(64) })
				}
			})
		}
	})
}

func checkNetwork[K uint32 | uint64](t *testing.T, n *kernel.Network, rows, lanes int, at func(row, col int) uint64) {
	t.Helper()
	const guard = 64
	room := make([]K, guard+rows*lanes+guard)
	for i := range room {
		room[i] = ^K(0) - 1
	}
	x := room[guard:][:rows*lanes]
	want := make([][]K, lanes)
	for i := range x {
		x[i] = K(at(i/lanes, i%lanes))
		want[i%lanes] = append(want[i%lanes], x[i])
	}
	n.Sort(unsafe.Pointer(&room[guard]))
	for col := range lanes {
		slices.Sort(want[col])
		for row := range rows {
			if got := x[row*lanes+col]; got != want[col][row] {
				t.Fatalf("%d rows: row %d of column %d is %d, want %d", rows, row, col, got, want[col][row])
			}
		}
	}
	for i := range guard {
		if room[i] != ^K(0)-1 || room[len(room)-1-i] != ^K(0)-1 {
			t.Fatalf("%d rows: something beside them was written", rows)
		}
	}
}
