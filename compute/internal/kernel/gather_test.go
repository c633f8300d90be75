package kernel_test

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// TestGatherScatter moves elements of all sizes over all kinds of strides, between canaries and at
// guard pages.
func TestGatherScatter(t *testing.T) {
	spread, packed := guarded(t, arenaBytes), guarded(t, arenaBytes)
	rng := newRand()
	for _, size := range []int{1, 2, 4, 8, 16, 3, 12} {
		for _, stride := range []int{size, -size, 0, 2 * size, -2 * size, size + 1, -size - 3, 3 * size, 4 * size, 7 * size, 100} {
			for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 16, 17, 33, 64, 301} {
				t.Run(fmt.Sprintf("%d/%d/%d", size, stride, n), func(t *testing.T) {
					step := max(stride, -stride)
					extent := min(n, 1)*size + max(n-1, 0)*step
					region := spread[arenaBytes-extent:] // ends where no page follows
					if rng.IntN(2) == 0 {
						region = spread[:extent]
					}
					first := 0
					if stride < 0 {
						first = max(n-1, 0) * step
					}
					block := packed[arenaBytes-n*size:]
					checkGather(t, block, region, size, first, stride, n)
					if step >= size {
						checkScatter(t, region, block, size, first, stride, n)
					}
				})
			}
		}
	}
}

func checkGather(t *testing.T, dst, src []byte, size, first, stride, n int) {
	for i := range src {
		src[i] = byte(i*7 + i>>8)
	}
	want := make([]byte, 0, n*size)
	for i := range n {
		want = append(want, src[first+i*stride:][:size]...)
	}
	surround(dst)
	kernel.Gather(address(dst), unsafe.Add(address(src), first), size, stride, n)
	if !bytes.Equal(dst, want) {
		t.Errorf("gathered %x, want %x", dst, want)
	}
}

func checkScatter(t *testing.T, dst, src []byte, size, first, stride, n int) {
	surround(dst)
	want := bytes.Clone(dst)
	for i := range n {
		copy(want[first+i*stride:][:size], src[i*size:])
	}
	kernel.Scatter(unsafe.Add(address(dst), first), address(src), size, stride, n)
	if !bytes.Equal(dst, want) {
		t.Errorf("scattered %x, want %x", dst, want)
	}
}

// TestScatterRepeated keeps the last element where all go to one place.
func TestScatterRepeated(t *testing.T) {
	dst, src := []byte{9, 9, 9, 9}, []byte{1, 2, 3, 4, 5, 6}
	kernel.Scatter(address(dst[1:]), address(src), 2, 0, 3)
	if !bytes.Equal(dst, []byte{9, 5, 6, 9}) {
		t.Errorf("scattered to %v, want [9 5 6 9]", dst)
	}
}

func BenchmarkGather(b *testing.B) {
	const n = 1024
	src, dst := make([]byte, n*64), make([]byte, n*16)
	for _, size := range []int{1, 2, 4, 8, 16} {
		for _, stride := range []int{0, -size, 2 * size, 64} {
			b.Run(fmt.Sprintf("%d/%d", size, stride), func(b *testing.B) {
				first := max(0, -stride) * (n - 1)
				b.SetBytes(int64(n * size))
				for b.Loop() {
					kernel.Gather(address(dst), unsafe.Add(address(src), first), size, stride, n)
				}
			})
		}
	}
}
