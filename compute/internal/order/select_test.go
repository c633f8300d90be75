package order_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

// bytesSource is elements in memory.
type bytesSource struct {
	b    []byte
	size int
}

func (s bytesSource) Buffer(int) []byte { return nil }

func (s bytesSource) Fetch(_ []byte, first, n int) ([]byte, error) {
	return s.b[first*s.size : (first+n)*s.size], nil
}

func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(x[0])))
}

// A selection is order.Select, or one of the ways in which it is done.
type selection func(l order.Lane, at func(numNaN int) []int, run order.Runner) ([]uint64, error)

// selected returns the elements at some positions, and how many passes that took.
func selected(t *testing.T, sel selection, dt dtype.Type, elems []byte, positions []int, workers int) (keys []uint64, nan, passes int) {
	t.Helper()
	c, _ := order.CodingOf(dt)
	l := order.Lane{Source: bytesSource{elems, dt.Size()}, Coding: c, First: 3, N: len(elems)/dt.Size() - 3}
	keys, err := sel(l, func(n int) []int {
		nan = n
		return positions
	}, func(j exec.Job, reads bool) error {
		if reads {
			passes++
		}
		return exec.Run(context.Background(), j, exec.Options{Parallelism: workers})
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys, nan, passes
}

func TestSelect(t *testing.T) {
	const n = 1<<20 + 200_000
	r := rand.New(rand.NewPCG(5, 6))
	floats, alike, narrow := make([]float64, n), make([]uint64, n), make([]uint16, n)
	for i := range n {
		floats[i], alike[i], narrow[i] = r.NormFloat64(), 1<<40|r.Uint64N(3)<<20|r.Uint64N(7), uint16(r.Uint32())
	}
	floats[7], floats[n-1] = math.NaN(), -math.NaN()
	positions := []int{0, 1, 99, n / 3, n / 2, n/2 + 1, n - 6, n - 4}
	for _, tt := range []struct {
		name   string
		dtype  dtype.Type
		elems  []byte
		nan    int
		passes int
		beyond int // passes if a position is that of a NaN
		digits int // passes if digits are counted
	}{
		{"float64", dtype.Float64, bytesOf(floats), 2, 1, 3, 2},
		{"alike", dtype.Uint64, bytesOf(alike), 0, 1, 1, 4},
		{"one pass", dtype.Uint16, bytesOf(narrow), 0, 1, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := order.CodingOf(tt.dtype)
			sorted := make([]uint64, n)
			order.Encode(c, sorted, tt.elems)
			sorted = sorted[3:]
			order.Sort(sorted, make([]uint64, len(sorted)), 0, false)
			check := func(sel selection, positions []int, workers, wantPasses int) {
				got, nan, passes := selected(t, sel, tt.dtype, tt.elems, positions, workers)
				for i, p := range positions {
					if got[i] != sorted[p] {
						t.Errorf("position %d: key %x, want %x", p, got[i], sorted[p])
					}
				}
				if nan != tt.nan || passes != wantPasses {
					t.Errorf("%d NaNs and %d passes, want %d and %d", nan, passes, tt.nan, wantPasses)
				}
			}
			for _, workers := range []int{1, 3} {
				check(order.Select, positions[:len(positions)-1], workers, tt.passes)
				check(order.Select, positions, workers, tt.beyond)
				check(order.ByDigits, positions, workers, tt.digits)
			}
		})
	}
}

// TestSelectMany looks for more keys than one pass counts digits for.
func TestSelectMany(t *testing.T) {
	if !*long {
		t.Skip("counts millions of keys")
	}
	const n = 3 << 20
	elems := make([]uint64, n)
	var positions []int
	for i := range elems {
		elems[i] = uint64(i%50)<<48 | uint64(i%1000)
	}
	for i := range 60 {
		positions = append(positions, i*(n-4)/59)
	}
	sorted := slices.Clone(elems[3:])
	order.Sort(sorted, make([]uint64, len(sorted)), 0, false)
	got, _, _ := selected(t, order.Select, dtype.Uint64, bytesOf(elems), positions, 2)
	for i, p := range positions {
		if got[i] != sorted[p] {
			t.Errorf("position %d: key %x, want %x", p, got[i], sorted[p])
		}
	}
}

// A changing source has zeros for elements once they have been read as often as left says.
type changing struct {
	bytesSource
	left *int
}

func (s changing) Fetch(buf []byte, first, n int) ([]byte, error) {
	if *s.left--; *s.left < 0 {
		return make([]byte, n*s.size), nil
	}
	return s.bytesSource.Fetch(buf, first, n)
}

// TestSelectOfChangingElements finds ranks of elements that change after each number of reads.
func TestSelectOfChangingElements(t *testing.T) {
	const n = 2 * order.ChunkElems
	r := rand.New(rand.NewPCG(2, 3))
	elems := make([]uint64, n)
	for i := range elems {
		elems[i] = 1<<60 | r.Uint64N(5)<<40 | r.Uint64N(5)<<20 | r.Uint64N(9)
	}
	c, _ := order.CodingOf(dtype.Uint64)
	for i, sel := range []selection{order.ByDigits, order.Select} {
		for reads := range 12 {
			left := reads
			l := order.Lane{Source: changing{bytesSource{bytesOf(elems), 8}, &left}, Coding: c, N: n, MaxKept: 100}
			keys, err := sel(l, func(int) []int { return []int{0, n / 2, n - 1} }, func(j exec.Job, _ bool) error {
				return exec.Run(context.Background(), j, exec.Options{Parallelism: 1})
			})
			if err == nil && len(keys) != 3 {
				t.Errorf("change after %d reads: %d keys", reads, len(keys))
			}
			if i == 0 && reads == n/order.ChunkElems && err == nil {
				t.Error("no error of elements that change behind the first pass")
			}
		}
	}
}
