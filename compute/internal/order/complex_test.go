package order_test

import (
	"math"
	"testing"

	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

// parts are what the parts of complex numbers are compared by.
var parts = []float32{
	float32(math.Inf(-1)), -1, -math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1)), 0, math.SmallestNonzeroFloat32, 1,
	math.MaxFloat32, float32(math.Inf(1)), float32(math.NaN()),
}

// TestComplexKeys compares the keys of all pairs of complex numbers with some parts.
func TestComplexKeys(t *testing.T) {
	var all []dtype.Scalar
	for _, re := range parts {
		for _, im := range parts {
			all = append(all, dtype.ScalarOf(complex(re, im)))
		}
	}
	size, n := 8, len(all)
	c, _ := order.CodingOf(dtype.Complex64)
	elems, back := make([]byte, n*size), make([]byte, n*size)
	for i, z := range all {
		z.Store(elems[i*size:])
	}
	keys, equal := make([]uint64, n), make([]uint64, n)
	order.Encode(c, keys, elems)
	order.EncodeEqual(c, equal, elems)
	order.Decode(c, back, keys)
	for i, x := range all {
		if got := back[i*size:][:size]; !isNaN(x) && string(got) != string(elems[i*size:][:size]) {
			t.Errorf("%v is decoded as %x", x, got)
		}
		for k, y := range all {
			want := compare(x, y)
			if got := compareKeys(equal[i], equal[k]); got != sign(want) {
				t.Errorf("keys of %v and %v compare as %d, want %d", x, y, got, want)
			}
			if got := compareKeys(keys[i], keys[k]); want != 0 && got != sign(want) {
				t.Errorf("keys of %v and %v with signs compare as %d, want %d", x, y, got, want)
			}
		}
	}
}

func compareKeys(x, y uint64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func sign(n int) int { return max(-1, min(n, 1)) }
