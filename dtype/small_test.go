package dtype_test

import (
	"math"
	"testing"

	"github.com/tstore/tstore/dtype"
)

// smallFloat is the interface of the Go types of 16 and 8 bits.
type smallFloat struct {
	typ   dtype.Type
	bits  int
	widen func(code uint16) float32
	from  func(f float32) uint16
}

var smallFloats = []smallFloat{
	{dtype.Float16, 16, func(c uint16) float32 { return dtype.F16(c).Float32() }, func(f float32) uint16 { return uint16(dtype.ToF16(f)) }},
	{dtype.BFloat16, 16, func(c uint16) float32 { return dtype.BF16(c).Float32() }, func(f float32) uint16 { return uint16(dtype.ToBF16(f)) }},
	{dtype.Float8E4M3FN, 8, func(c uint16) float32 { return dtype.F8E4M3FN(c).Float32() }, func(f float32) uint16 { return uint16(dtype.ToF8E4M3FN(f)) }},
	{dtype.Float8E5M2, 8, func(c uint16) float32 { return dtype.F8E5M2(c).Float32() }, func(f float32) uint16 { return uint16(dtype.ToF8E5M2(f)) }},
}

func TestWidenEveryPattern(t *testing.T) {
	for _, sf := range smallFloats {
		t.Run(sf.typ.String(), func(t *testing.T) {
			for code := range 1 << sf.bits {
				got := dtype.ScalarOf(sf.widen(uint16(code)))
				want := formats[sf.typ].decode(uint64(code))
				if re, _ := decode(got); !re.same(want) {
					t.Fatalf("%#x is %v, want %+v", code, got, want)
				}
			}
		})
	}
}

func TestRoundTripEveryPattern(t *testing.T) {
	for _, sf := range smallFloats {
		t.Run(sf.typ.String(), func(t *testing.T) {
			for code := range 1 << sf.bits {
				f := sf.widen(uint16(code))
				want := fromWords(sf.typ, uint64(code), 0)
				if got := fromWords(sf.typ, uint64(sf.from(f)), 0); !same(got, want) {
					t.Fatalf("%v becomes %s, want %s", f, show(got), show(want))
				}
				if got := dtype.ScalarOf(float64(f)).Convert(sf.typ); !same(got, want) {
					t.Fatalf("%v as float64 becomes %s, want %s", f, show(got), show(want))
				}
			}
		})
	}
}

// TestNarrowBetweenNeighbours rounds the numbers around the middle of every two neighbours. The
// number above the largest counts as one: it stands for infinity, or for NaN where there is none.
func TestNarrowBetweenNeighbours(t *testing.T) {
	for _, sf := range smallFloats {
		t.Run(sf.typ.String(), func(t *testing.T) {
			overflow := uint16(formats[sf.typ].overflow())
			value := func(code uint16) float64 {
				if code < overflow {
					return float64(sf.widen(code))
				}
				return 2*float64(sf.widen(code-1)) - float64(sf.widen(code-2))
			}
			for low := range overflow {
				a, b := value(low), value(low+1)
				middle := a + (b-a)/2
				even := low + low&1
				checkNarrow(t, sf, a, low)
				checkNarrow(t, sf, math.Nextafter(middle, a), low)
				checkNarrow(t, sf, middle, even)
				checkNarrow(t, sf, math.Nextafter(middle, b), low+1)
				checkNarrow(t, sf, math.Nextafter(b, a), low+1)
				if m := float32(middle); float64(m) == middle {
					checkNarrow(t, sf, float64(math.Nextafter32(m, 0)), low)
					checkNarrow(t, sf, float64(math.Nextafter32(m, math.MaxFloat32)), low+1)
				}
			}
			checkNarrow(t, sf, math.MaxFloat32, overflow)
			checkNarrow(t, sf, math.Inf(1), overflow)
		})
	}
}

// checkNarrow rounds ±f, from float32 as well where it holds f.
func checkNarrow(t *testing.T, sf smallFloat, f float64, want uint16) {
	t.Helper()
	for _, sign := range []uint16{0, 1 << (sf.bits - 1)} {
		if sign != 0 {
			f = -f
		}
		expected := fromWords(sf.typ, uint64(want|sign), 0)
		if got := dtype.ScalarOf(f).Convert(sf.typ); got != expected {
			t.Fatalf("float64 %v (%#x) becomes %s, want %s", f, math.Float64bits(f), show(got), show(expected))
		}
		if float64(float32(f)) != f {
			continue
		}
		if got := sf.from(float32(f)); got != want|sign {
			t.Fatalf("float32 %v becomes %#x, want %#x", f, got, want|sign)
		}
	}
}

// TestNarrowFloat32 compares the two ways there are over the whole range of float32.
func TestNarrowFloat32(t *testing.T) {
	const stride = 2039 // prime
	for _, sf := range smallFloats {
		t.Run(sf.typ.String(), func(t *testing.T) {
			for bits := uint64(0); bits < 1<<32; bits += stride {
				f := math.Float32frombits(uint32(bits))
				got := fromWords(sf.typ, uint64(sf.from(f)), 0)
				if want := dtype.ScalarOf(float64(f)).Convert(sf.typ); got != want {
					t.Fatalf("float32 %v (%#x) becomes %s, and by way of float64 %s", f, bits, show(got), show(want))
				}
			}
		})
	}
}

func TestNaN(t *testing.T) {
	tests := []struct {
		typ                dtype.Type
		positive, negative uint64
	}{
		{dtype.Float16, 0x7e00, 0xfe00},
		{dtype.BFloat16, 0x7fc0, 0xffc0},
		{dtype.Float8E4M3FN, 0x7f, 0xff},
		{dtype.Float8E5M2, 0x7e, 0xfe},
	}
	for _, test := range tests {
		t.Run(test.typ.String(), func(t *testing.T) {
			for _, payload := range []uint32{0x7f800001, 0x7fc00000, 0x7fffffff} {
				for _, sign := range []uint32{0, 1 << 31} {
					want := test.positive
					if sign != 0 {
						want = test.negative
					}
					f := math.Float32frombits(payload | sign)
					if lo, _ := words(dtype.ScalarOf(f).Convert(test.typ)); lo != want {
						t.Errorf("NaN %#x becomes %#x, want %#x", payload|sign, lo, want)
					}
				}
			}
		})
	}
}

func TestNoInfinityInE4M3FN(t *testing.T) {
	for _, f := range []float32{464.00003, 480, 1e30, float32(math.Inf(1))} {
		if got := dtype.ToF8E4M3FN(f); got != 0x7f {
			t.Errorf("%v becomes %#x, want NaN 0x7f", f, uint8(got))
		}
		if got := dtype.ToF8E4M3FN(-f); got != 0xff {
			t.Errorf("%v becomes %#x, want NaN 0xff", -f, uint8(got))
		}
	}
	if got := dtype.ToF8E4M3FN(464); got != 0x7e {
		t.Errorf("464 becomes %#x, want 448, 0x7e", uint8(got))
	}
}
