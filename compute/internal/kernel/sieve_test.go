package kernel_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
)

const numSieves = kernel.SieveFloat64 + 1

// checkSieve holds a sieve of every instruction set against what the bounds mean. Elements lie
// before a guard page.
func checkSieve(t *testing.T, arena []byte, s kernel.Sieve, elems []uint64, b kernel.SieveBounds) {
	t.Helper()
	size := 4
	if s == kernel.SieveInteger64 || s == kernel.SieveFloat64 {
		size = 8
	}
	lane := arena[len(arena)-len(elems)*size:]
	key := func(x uint64) int64 {
		if size == 4 {
			v := int32(x)
			if s == kernel.SieveFloat32 && v < 0 {
				v ^= math.MaxInt32
			}
			return int64(v - int32(b.Offset))
		}
		v := int64(x)
		if s == kernel.SieveFloat64 && v < 0 {
			v ^= math.MaxInt64
		}
		return v - int64(b.Offset)
	}
	bound := func(v uint64) int64 {
		if size == 4 {
			return int64(int32(v))
		}
		return int64(v)
	}
	var want []uint32
	var counts kernel.SieveCounts
	for i, x := range elems {
		if size == 4 {
			binary.NativeEndian.PutUint32(lane[4*i:], uint32(x))
		} else {
			binary.NativeEndian.PutUint64(lane[8*i:], x)
		}
		k := key(x)
		if k > bound(b.Low) && k < bound(b.High) {
			want = append(want, uint32(i))
		}
		for _, c := range []struct {
			count *int
			is    bool
		}{
			{&counts.AboveLow, k > bound(b.Low)}, {&counts.BelowLow, k < bound(b.Low)}, {&counts.BelowHigh, k < bound(b.High)},
			{&counts.AboveHigh, k > bound(b.High)}, {&counts.AboveLast, k > bound(b.Last)},
		} {
			if c.is {
				*c.count++
			}
		}
	}
	for name, run := range kernel.Sieves(s) {
		const canary = 0xa5a5a5a5
		index := slices.Repeat([]uint32{canary}, len(elems)+2*kernel.SieveRoom)
		var got kernel.SieveCounts
		n := run(index[:len(elems)+kernel.SieveRoom], address(lane), len(elems), &b, &got)
		if n != len(want) || !slices.Equal(index[:n], want) {
			t.Fatalf("%s, sieve %d of %d elements: kept %v, want %v", name, s, len(elems), index[:n], want)
		}
		if got != counts {
			t.Fatalf("%s, sieve %d of %d elements: counts %+v, want %+v", name, s, len(elems), got, counts)
		}
		if slices.ContainsFunc(index[len(elems)+kernel.SieveRoom:], func(v uint32) bool { return v != canary }) {
			t.Fatalf("%s, sieve %d of %d elements: wrote beyond its room", name, s, len(elems))
		}
	}
}

func TestSieve(t *testing.T) {
	arena, r := guarded(t, arenaBytes), newRand()
	for s := range numSieves {
		for _, n := range []int{0, 1, 15, 16, 17, 32, 100, 1000} {
			t.Run(fmt.Sprintf("%d/%d", s, n), func(t *testing.T) {
				elems := make([]uint64, n)
				for _, few := range []bool{false, true} {
					for i := range elems {
						if elems[i] = r.Uint64(); few {
							elems[i] = uint64(r.IntN(5)) - 2
						}
					}
					for range 8 {
						b := kernel.SieveBounds{Offset: r.Uint64(), Low: r.Uint64(), High: r.Uint64(), Last: r.Uint64()}
						if few {
							b = kernel.SieveBounds{Low: uint64(r.IntN(5)) - 2, High: uint64(r.IntN(5)) - 2, Last: uint64(r.IntN(5)) - 2}
						}
						checkSieve(t, arena, s, elems, b)
					}
				}
			})
		}
	}
}

// FuzzSieve runs sieves of every instruction set beside those in Go.
func FuzzSieve(f *testing.F) {
	f.Add(uint8(0), uint64(1<<31), uint64(3), uint64(9), uint64(20), []byte("\x00\x00\x80\x3f\x00\x00\xc0\x7f"))
	f.Add(uint8(3), uint64(0), uint64(1)<<63, uint64(math.MaxInt64), uint64(1), slices.Repeat([]byte("\x00\xff\x80\x3f\x00\x00\xc0\xff\x01"), 30))
	f.Fuzz(func(t *testing.T, s uint8, offset, low, high, last uint64, data []byte) {
		elems := make([]uint64, min(len(data)/8, maxElems))
		for i := range elems {
			elems[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
		b := kernel.SieveBounds{Offset: offset, Low: low, High: high, Last: last}
		checkSieve(t, guarded(t, arenaBytes), kernel.Sieve(s)%numSieves, elems, b)
	})
}

func BenchmarkSieve(b *testing.B) {
	const n = 8192
	r := newRand()
	elems := make([]uint64, n)
	for i := range elems {
		elems[i] = r.Uint64()
	}
	block := make([]byte, 8*n)
	for i, x := range elems {
		binary.NativeEndian.PutUint64(block[8*i:], x)
	}
	bounds := kernel.SieveBounds{Low: 1 << 57, High: 1<<57 + 1<<56, Last: math.MaxInt64}
	for s := range numSieves {
		for name, run := range kernel.Sieves(s) {
			b.Run(fmt.Sprintf("%d/%s", s, name), func(b *testing.B) {
				size := 4 << (s & 1)
				index := make([]uint32, n+kernel.SieveRoom)
				b.SetBytes(int64(n * size))
				var counts kernel.SieveCounts
				for b.Loop() {
					run(index, address(block), n, &bounds, &counts)
				}
			})
		}
	}
}
