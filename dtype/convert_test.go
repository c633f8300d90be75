package dtype_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

const seed = 20240607 // of every random test here

func newRand() *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// alignedBytes returns n zeroed bytes, skip bytes past a 64-byte boundary.
func alignedBytes(n, skip int) []byte {
	b := make([]byte, n+skip+64)
	start := -int(uintptr(unsafe.Pointer(&b[0]))) & 63
	return b[start+skip:][:n:n]
}

func pack(values []dtype.Scalar, skip int) []byte {
	size := values[0].Type().Size()
	b := alignedBytes(len(values)*size, skip)
	for i, v := range values {
		v.Store(b[i*size:])
	}
	return b
}

// conversions are the two ways to convert, and the reference of each.
var conversions = []struct {
	name   string
	bulk   func(dst []byte, to dtype.Type, src []byte, from dtype.Type)
	scalar func(s dtype.Scalar, to dtype.Type) dtype.Scalar
	slowly func(s dtype.Scalar, to dtype.Type) dtype.Scalar
}{
	{"Convert", dtype.Convert, dtype.Scalar.Convert, convertSlowly},
	{"ConvertSaturating", dtype.ConvertSaturating, dtype.Scalar.ConvertSaturating, saturateSlowly},
}

func TestConvertAgainstReference(t *testing.T) {
	for _, c := range conversions {
		rng := newRand()
		for _, from := range dtype.All() {
			values := samples(from, rng, 60)
			for _, to := range dtype.All() {
				t.Run(c.name+"/"+from.String()+"/"+to.String(), func(t *testing.T) {
					out := alignedBytes(len(values)*to.Size(), 0)
					c.bulk(out, to, pack(values, 0), from)
					for i, v := range values {
						want := c.slowly(v, to)
						if got := dtype.Load(to, out[i*to.Size():]); !same(got, want) {
							t.Errorf("%s becomes %s, want %s", show(v), show(got), show(want))
						}
						if got := c.scalar(v, to); !same(got, want) {
							t.Errorf("scalar %s becomes %s, want %s", show(v), show(got), show(want))
						}
					}
				})
			}
		}
	}
}

// TestConvertLengths converts every pair at the lengths around a block, aligned and not, between
// guard bytes.
func TestConvertLengths(t *testing.T) {
	rng := newRand()
	const most = 515 // two blocks and a bit
	for _, from := range dtype.All() {
		values := samples(from, rng, most)[:most]
		for _, to := range dtype.All() {
			for _, n := range []int{0, 1, 2, 255, 256, 257, most} {
				for _, skip := range [][2]int{{0, 0}, {1, 0}, {0, 3}, {7, 5}} {
					checkLengths(t, values[:n:n], from, to, skip)
				}
			}
		}
	}
}

func checkLengths(t *testing.T, values []dtype.Scalar, from, to dtype.Type, skip [2]int) {
	t.Helper()
	in := alignedBytes(0, skip[0])
	if len(values) > 0 {
		in = pack(values, skip[0])
	}
	const guard = 16
	whole := alignedBytes(len(values)*to.Size()+guard, skip[1])
	out := whole[:len(whole)-guard]
	for _, c := range conversions {
		for i := range whole {
			whole[i] = 0xa5
		}
		c.bulk(out, to, in, from)
		for i, v := range values {
			if got, want := dtype.Load(to, out[i*to.Size():]), c.scalar(v, to); !same(got, want) {
				t.Fatalf("%s of %v to %v, %d elements, skip %v: element %d, %s, becomes %s, want %s", c.name, from, to, len(values), skip, i, show(v), show(got), show(want))
			}
		}
		for _, b := range whole[len(out):] {
			if b != 0xa5 {
				t.Fatalf("%s of %v to %v, %d elements, skip %v: wrote past the end", c.name, from, to, len(values), skip)
			}
		}
	}
}

func TestConvertBoolOfAnyByte(t *testing.T) {
	src := []byte{0, 1, 2, 255}
	for _, to := range []dtype.Type{dtype.Bool, dtype.Uint8} {
		dst := make([]byte, len(src))
		dtype.Convert(dst, to, src, dtype.Bool)
		if string(dst) != "\x00\x01\x01\x01" {
			t.Errorf("bool bytes %v become %s %v, want 0 1 1 1", src, to, dst)
		}
	}
}

func TestConvertMisuse(t *testing.T) {
	tests := []struct {
		name     string
		dst      int
		to       dtype.Type
		src      int
		from     dtype.Type
		panicked bool
	}{
		{"nothing", 0, dtype.Int8, 0, dtype.Float64, false},
		{"short dst", 3, dtype.Int8, 32, dtype.Float64, true},
		{"long dst", 5, dtype.Int8, 32, dtype.Float64, true},
		{"half an element", 4, dtype.Int8, 31, dtype.Float64, true},
		{"invalid from", 0, dtype.Int8, 0, dtype.Invalid, true},
		{"invalid to", 0, dtype.Type(200), 0, dtype.Int8, true},
	}
	for _, test := range tests {
		for _, c := range conversions {
			t.Run(c.name+"/"+test.name, func(t *testing.T) {
				defer func() {
					if r := recover(); (r != nil) != test.panicked {
						t.Errorf("recovered %v, want a panic: %v", r, test.panicked)
					}
				}()
				c.bulk(make([]byte, test.dst), test.to, make([]byte, test.src), test.from)
			})
		}
	}
}

func TestConvertAllocatesNothing(t *testing.T) {
	for _, from := range dtype.All() {
		src := alignedBytes(600*from.Size(), 0)
		for _, to := range dtype.All() {
			dst := alignedBytes(600*to.Size(), 0)
			scalar := dtype.Load(from, src)
			if n := testing.AllocsPerRun(1, func() {
				dtype.Convert(dst, to, src, from)
				dtype.ConvertSaturating(dst, to, src, from)
				scalar.Convert(to)
				scalar.ConvertSaturating(to)
			}); n != 0 {
				t.Errorf("%v to %v: %v allocations", from, to, n)
			}
		}
	}
}

func TestSwapBytes(t *testing.T) {
	tests := []struct {
		typ  dtype.Type
		want string
	}{
		{dtype.Bool, "0123456789abcdefg"},
		{dtype.Float8E5M2, "0123456789abcdefg"},
		{dtype.BFloat16, "1032547698badcfeg"},
		{dtype.Int32, "32107654ba98fedcg"},
		{dtype.Complex64, "32107654ba98fedcg"},
		{dtype.Float64, "76543210fedcba98g"},
		{dtype.Complex128, "76543210fedcba98g"},
	}
	for _, test := range tests {
		t.Run(test.typ.String(), func(t *testing.T) {
			b := []byte("0123456789abcdefg")
			dtype.SwapBytes(b, test.typ)
			if string(b) != test.want {
				t.Errorf("got %q, want %q", b, test.want)
			}
		})
	}
}
