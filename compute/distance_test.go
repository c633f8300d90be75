package compute_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/tstore/tstore/dtype"
)

// The NaN that stands for all, of each type that has one: the parts of complex numbers are taken as
// floats.
var quietNaN = map[dtype.Type]uint64{
	dtype.Float16: 0x7e00, dtype.BFloat16: 0x7fc0, dtype.Float8E4M3FN: 0x7f, dtype.Float8E5M2: 0x7e,
	dtype.Float32: 0x7fc00000, dtype.Float64: 0x7ff8000000000000,
}

// canonical puts one NaN for all, in place, and with zeros also 0 for -0.
func canonical(b []byte, t dtype.Type, zeros bool) {
	t = t.Part()
	nan, ok := quietNaN[t]
	if !ok {
		return
	}
	size := t.Size()
	for i := 0; i+size <= len(b); i += size {
		switch v := dtype.Load(t, b[i:]).Float64(); {
		case math.IsNaN(v):
			putBits(b[i:i+size], nan)
		case v == 0 && zeros:
			putBits(b[i:i+size], 0)
		}
	}
}

func putBits(b []byte, v uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], v)
	copy(b, all[:])
}

func bitsOf(b []byte) uint64 {
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:])
}

// distance counts the floats between two, of the part of complex numbers that is further off. It is
// 0 for the same bits and for two NaNs, and the greatest number there is where elements of other
// types differ. 0 and -0 are 1 apart.
func distance(x, y dtype.Scalar) uint64 {
	t := x.Type().Part()
	a, b := make([]byte, x.Type().Size()), make([]byte, x.Type().Size())
	x.Store(a)
	y.Store(b)
	worst := uint64(0)
	for i := 0; i < len(a); i += t.Size() {
		worst = max(worst, partDistance(t, a[i:i+t.Size()], b[i:i+t.Size()]))
	}
	return worst
}

func partDistance(t dtype.Type, a, b []byte) uint64 {
	x, y := bitsOf(a), bitsOf(b)
	if x == y {
		return 0
	}
	if _, float := quietNaN[t]; !float {
		return math.MaxUint64
	}
	switch xNaN, yNaN := math.IsNaN(dtype.Load(t, a).Float64()), math.IsNaN(dtype.Load(t, b).Float64()); {
	case xNaN && yNaN:
		return 0
	case xNaN || yNaN:
		return math.MaxUint64
	}
	p, q := place(x, t), place(y, t)
	return uint64(max(p, q)) - uint64(min(p, q))
}

// place numbers the floats of a type in their order.
func place(bits uint64, t dtype.Type) int64 {
	sign := uint64(1) << (8*t.Size() - 1)
	if bits&sign != 0 {
		return -int64(bits&^sign) - 1
	}
	return int64(bits)
}

func TestDistance(t *testing.T) {
	tests := []struct {
		name string
		x, y dtype.Scalar
		want uint64
	}{
		{"the same", dtype.ScalarOf(1.5), dtype.ScalarOf(1.5), 0},
		{"neighbours", dtype.ScalarOf(float32(1)), dtype.ScalarOf(math.Nextafter32(1, 2)), 1},
		{"across zero", dtype.ScalarOf(math.SmallestNonzeroFloat64), dtype.ScalarOf(-math.SmallestNonzeroFloat64), 3},
		{"zeros", dtype.ScalarOf(0.0), dtype.ScalarOf(math.Copysign(0, -1)), 1},
		{"the largest and infinity", dtype.ScalarOf(float32(math.MaxFloat32)), dtype.ScalarOf(float32(math.Inf(1))), 1},
		{"not a number twice", dtype.ScalarOf(math.NaN()), dtype.ScalarOf(math.Float64frombits(0xfff8000000000001)), 0},
		{"not a number once", dtype.ScalarOf(math.NaN()), dtype.ScalarOf(0.0), math.MaxUint64},
		{"integers", dtype.ScalarOf(int8(1)), dtype.ScalarOf(int8(2)), math.MaxUint64},
		{"the imaginary part", dtype.ScalarOf(complex(1.0, 1)), dtype.ScalarOf(complex(1, math.Nextafter(1, 2))), 1},
		{"float16", dtype.ScalarOf(dtype.F16(0x3c00)), dtype.ScalarOf(dtype.F16(0x3bfe)), 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := distance(test.x, test.y); got != test.want {
				t.Errorf("distance(%v, %v) = %d, want %d", test.x, test.y, got, test.want)
			}
		})
	}
}
