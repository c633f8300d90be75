package order_test

import (
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

// keySets are keys of many kinds.
func keySets(n int, seed uint64) map[string][]uint32 {
	r := rand.New(rand.NewPCG(seed, 0))
	sets := map[string][]uint32{}
	add := func(name string, make func(i int) uint32) {
		keys := make2(n, make)
		sets[name] = keys
	}
	add("random", func(int) uint32 { return r.Uint32() })
	add("floats", func(int) uint32 { return math.Float32bits(r.Float32()) })
	add("few", func(int) uint32 { return r.Uint32N(5) })
	add("same", func(int) uint32 { return 77 })
	add("ascending", func(i int) uint32 { return uint32(i) })
	add("descending", func(i int) uint32 { return math.MaxUint32 - uint32(i)*3 })
	add("one high", func(i int) uint32 { return uint32(i%3) | uint32(i/(n-1))<<31 })
	return sets
}

// long runs the sweeps of these tests whole, as make sweeps does. Without it they take steps.
var long = flag.Bool("long", false, "run the sweeps whole, not in steps")

func make2(n int, fn func(i int) uint32) []uint32 {
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = fn(i)
	}
	return keys
}

func sorted[T cmp.Ordered](keys []T) []T {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	return keys
}

func TestSort(t *testing.T) {
	for _, n := range []int{2, 3, 39, 41, 1000, 50_000, 300_000} {
		for name, keys := range keySets(n, uint64(n)) {
			want := sorted(keys)
			for _, toRoom := range []bool{false, true} {
				got, room := slices.Clone(keys), make([]uint32, n)
				order.Sort(got, room, 0, toRoom)
				if toRoom {
					got = room
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %d keys, in room %v: not sorted", name, n, toRoom)
				}
			}
		}
	}
}

func TestSortIsStable(t *testing.T) {
	for _, n := range []int{2, 39, 1000, 100_000} {
		for name, keys := range keySets(n, uint64(n)) {
			packed, pairs := make([]uint64, n), make([]order.Pair, n)
			for i, k := range keys {
				packed[i] = uint64(k)<<32 | uint64(i)
				pairs[i] = order.Pair{Key: uint64(k) << 20, Index: uint64(i)}
			}
			wantPacked, wantPairs := sorted(packed), slices.Clone(pairs)
			slices.SortFunc(wantPairs, func(a, b order.Pair) int {
				return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Index, b.Index)) // indexes ascend
			})
			order.Sort(packed, make([]uint64, n), 32, false)
			order.Sort(pairs, make([]order.Pair, n), 0, false)
			if !slices.Equal(packed, wantPacked) {
				t.Errorf("%s, %d keys with indexes: not sorted", name, n)
			}
			if !slices.Equal(pairs, wantPairs) {
				t.Errorf("%s, %d pairs: not sorted", name, n)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	for _, n := range []int{2, 30, 1000, 20_000} {
		for name, keys := range keySets(n, uint64(n)) {
			want := sorted(keys)
			positions := []int{0, n / 3, n / 2, n - 1}
			order.Choose(keys, positions)
			for _, p := range positions {
				if keys[p] != want[p] {
					t.Errorf("%s, %d keys: position %d holds %d, want %d", name, n, p, keys[p], want[p])
				}
			}
		}
	}
}

// TestCoding checks that keys are in the order of elements, for all patterns of small types and
// some of large ones.
func TestCoding(t *testing.T) {
	for _, dt := range dtype.All() {
		c, ok := order.CodingOf(dt)
		if !ok {
			continue
		}
		t.Run(dt.String(), func(t *testing.T) {
			elems := patterns(dt)
			n := len(elems) / dt.Size()
			keys, back := make([]uint64, n), make([]byte, len(elems))
			order.Encode(c, keys, elems)
			order.Decode(c, back, keys)
			if dt.Kind() != dtype.KindComplex && !slices.Equal(back, elems) {
				t.Error("elements of keys are not what the keys were made of")
			}
			slices.Sort(keys)
			for i := range keys[1:] {
				a, b := c.Scalar(keys[i]), c.Scalar(keys[i+1])
				if compare(a, b) > 0 {
					t.Fatalf("%v comes before %v", a, b)
				}
				if c.IsNaN(keys[i]) != isNaN(a) {
					t.Fatalf("%v: IsNaN of its key is %v", a, c.IsNaN(keys[i]))
				}
			}
		})
	}
}

func patterns(dt dtype.Type) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	n := 1 << min(16, 8*dt.Size())
	if dt == dtype.Bool {
		n = 2
	}
	elems := make([]byte, n*dt.Size())
	for i := range n {
		v := uint64(i)
		if dt.Size() > 2 {
			v = r.Uint64()
		}
		for k := range dt.Size() {
			elems[i*dt.Size()+k] = byte(v >> (8 * k))
		}
	}
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, -1}
	for i, v := range special {
		if dt.Size() > 2 {
			dtype.ScalarOf(v).Convert(dt).Store(elems[i*dt.Size():])
		}
	}
	return elems
}

func isNaN(s dtype.Scalar) bool {
	z := s.Complex128()
	return math.IsNaN(real(z)) || math.IsNaN(imag(z))
}

// compare is the order of NumPy's sort.
func compare(a, b dtype.Scalar) int {
	switch a.Type().Kind() {
	case dtype.KindInt:
		x, _ := a.Int64()
		y, _ := b.Int64()
		return cmp.Compare(x, y)
	case dtype.KindUint:
		x, _ := a.Convert(dtype.Uint64).Any().(uint64)
		y, _ := b.Convert(dtype.Uint64).Any().(uint64)
		return cmp.Compare(x, y)
	case dtype.KindComplex:
		x, y := a.Complex128(), b.Complex128()
		rank := func(z complex128) int {
			n := 0
			if imag(z) != imag(z) {
				n++
			}
			if real(z) != real(z) {
				n += 2
			}
			return n
		}
		if rank(x) != rank(y) {
			return rank(x) - rank(y)
		}
		return cmp.Or(compareNumbers(real(x), real(y)), compareNumbers(imag(x), imag(y)))
	}
	return compareNumbers(a.Float64(), b.Float64())
}

// compareNumbers puts NaN last.
func compareNumbers(x, y float64) int {
	switch {
	case x != x && y != y:
		return 0
	case x != x:
		return 1
	case y != y:
		return -1
	}
	return cmp.Compare(x, y)
}

func BenchmarkSort(b *testing.B) {
	const n = 1 << 24
	r := rand.New(rand.NewPCG(1, 2))
	keys := make2(n, func(int) uint32 { return math.Float32bits(r.Float32()) })
	items, room := make([]uint32, n), make([]uint32, n)
	b.SetBytes(4 * n)
	for b.Loop() {
		copy(items, keys)
		order.Sort(items, room, 0, false)
	}
}
