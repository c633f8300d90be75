package compute_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/internal/pieces"
)

// randomBytesOf are the elements that a text makes, by some workers.
func randomBytesOf(t *testing.T, text string, workers int) []byte {
	t.Helper()
	made, err := parsed(t, text).Eval(t.Context(), names{}.env(), &compute.Options{Parallelism: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	return packedBytes(t, made, 0)
}

// TestRandomBits pins the elements of random functions, which stay the same in all versions, and do
// not depend on the number of workers or on which part of them is asked for.
func TestRandomBits(t *testing.T) {
	for text, want := range map[string]uint32{
		"permutation(7, 1000)": 0xbbdcafe1, "permutation(7, 100_000)": 0x6c53fac6, "permutation(7, 2_000_000)[:5000]": 0xa38ba97a, "integers(3, -5, 1000, 70_000, dtype=int16)": 0x9d7132de,
		"integers(3, 0, 2**63, 1000)": 0x81860852, "uniform(9, -1, 3, shape=(70, 1000))": 0xf734fa7, "normal(9, 5, 2, shape=70_000)": 0x7af8d873, "integers(1, 0, 255, 99, dtype=uint8, endpoint=True)": 0xe9f2208a,
		"integers(4, -2**63, 2**63 - 1, 99, endpoint=True)": 0xc9f1a776,
	} {
		b := randomBytesOf(t, text, 1)
		if got := crc32.ChecksumIEEE(b); got != want {
			t.Errorf("%s: checksum %#x, want %#x", text, got, want)
		}
		if !bytes.Equal(b, randomBytesOf(t, text, 3)) {
			t.Errorf("%s: other elements by 3 workers", text)
		}
		if part := randomBytesOf(t, "("+text+").reshape(-1)[11:97:2]", 1); !bytes.Equal(part, randomBytesOf(t, "("+text+").reshape(-1)[:97].copy()[11::2]", 1)) {
			t.Errorf("%s: a part has other elements", text)
		}
	}
}

// TestPermutation checks that each number comes once, and that no place prefers a number.
func TestPermutation(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100, 1 << 16, 1<<16 + 1, 100_000, 1 << 18} {
		got := slices.Clone(pieces.As[int64](randomBytesOf(t, fmt.Sprintf("permutation(%d, %d)", n, n), 2)))
		fixed, ordered := 0, 0
		for i, v := range got {
			if v == int64(i) {
				fixed++
			}
			if i > 0 && v > got[i-1] {
				ordered++
			}
		}
		slices.Sort(got)
		for i, v := range got {
			if v != int64(i) {
				t.Fatalf("of %d: number %d is missing", n, i)
			}
		}
		if n >= 100 && (fixed > 8 || math.Abs(float64(ordered)-float64(n)/2) > 3*math.Sqrt(float64(n))) {
			t.Errorf("of %d: %d stay where they were, and %d are larger than the one before", n, fixed, ordered)
		}
	}
}

// TestRandomDistributions checks moments and bounds.
func TestRandomDistributions(t *testing.T) {
	for text, want := range map[string][2]float64{
		"mean(normal(1, 3, 2, shape=400_000))": {2.98, 3.02}, "std(normal(1, 3, 2, shape=400_000))": {1.98, 2.02}, "mean(normal(2, shape=400_000)**4)": {2.9, 3.1},
		"mean(uniform(1, 2, 4, shape=400_000))": {2.99, 3.01}, "min(uniform(1, 2, 4, shape=400_000))": {2, 2.001}, "max(uniform(1, 2, 4, shape=400_000))": {3.999, 4},
		"min(integers(1, -3, 4, 1000))": {-3, -3}, "max(integers(1, -3, 4, 1000))": {3, 3}, "max(integers(1, 4, shape=1000, endpoint=True))": {4, 4},
		"mean(float64(integers(1, 7, shape=700_000)))": {2.99, 3.01}, "mean(normal(1, [0, 100.0], 1, shape=(1000, 2)), axis=0)[1]": {99, 101},
	} {
		made, err := parsed(t, text+" * 1.0").Eval(t.Context(), names{}.env(), nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		v, err := made.Get()
		made.Close()
		if err != nil || v.Float64() < want[0] || v.Float64() > want[1] {
			t.Errorf("%s: %v, %v; want it within %v", text, v, err, want)
		}
	}
}
