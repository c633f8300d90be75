package reduce_test

import (
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
)

// prod returns the product of elements of type t that are one row, or, if down is set, one column
// of three.
func prod(t *testing.T, typ dtype.Type, elems []complex128, down bool) complex128 {
	t.Helper()
	l, axes, columns := packed(len(elems)), []int{0}, 1
	if down {
		l, columns = packed(len(elems), 3), 3
	}
	o := &operand{typ: typ, layout: l, data: tensortest.Buffer(l.Span*typ.Size(), 0)}
	for i := range l.Span {
		dtype.ScalarOf(elems[i/columns]).Convert(typ).Store(o.data[i*typ.Size():])
	}
	s, results := o.spec(axes, []reduce.Op{reduce.Prod}, 0)
	if err := run(s, 2); err != nil {
		t.Fatal(err)
	}
	return dtype.Load(typ, results[0]).Complex128()
}

// TestProdRange multiplies numbers whose products over- or underflow on the way, or by lanes.
func TestProdRange(t *testing.T) {
	inf, nan := complex(math.Inf(1), 0), complex(math.NaN(), 0)
	for _, test := range []struct {
		name  string
		typ   dtype.Type
		elems []complex128
		times int
		want  complex128
	}{
		{"zero between large", dtype.Float64, []complex128{1e200, 0, 1e200}, 1, 0},
		{"powers that cancel", dtype.Float64, []complex128{2, 0.5}, 5000, 1},
		{"many chunks of them", dtype.Float64, []complex128{2, 0.5}, 500_000, 1},
		{"large, then small", dtype.Float64, []complex128{1e300, 1e300, 1e-300}, 1, 1e300},
		{"small, then large", dtype.Float64, []complex128{0x1p-1000, 0x1.8p-70, 0x1p1000}, 1, 0x1.8p-70},
		{"subnormal", dtype.Float64, []complex128{0x1p-1074, 0x1p1000, 0x1p74, 3}, 1, 3},
		{"rounded to a subnormal", dtype.Float64, []complex128{0x1.8p-540, 0x1p-534}, 1, 0x1p-1073},
		{"too large", dtype.Float64, []complex128{1e300, -1e300}, 1, -inf},
		{"too small", dtype.Float64, []complex128{1e-300, 1e-300, 1}, 1, 0},
		{"zero and infinity", dtype.Float64, []complex128{0, inf, 2}, 1, nan},
		{"infinity", dtype.Float64, []complex128{1e-300, inf, 1e-300, 1e-300}, 1, inf},
		{"float32", dtype.Float32, []complex128{2, 0.5}, 5000, 1},
		{"float32 zero between large", dtype.Float32, []complex128{1e38, 1e38, 0, 1e38}, 30, 0},
		{"float16", dtype.Float16, []complex128{2, 0.5}, 5000, 1},
		{"complex", dtype.Complex128, []complex128{2i, 0.5}, 4000, 1},
		{"complex zero between large", dtype.Complex128, []complex128{1e200, 0, 1e200}, 1, 0},
		{"complex as it is", dtype.Complex128, []complex128{complex(1e300, 1e-300)}, 1, complex(1e300, 1e-300)},
		{"complex infinity as it is", dtype.Complex128, []complex128{inf}, 1, inf},
		{"complex64", dtype.Complex64, []complex128{0x1p100i, 0x1p100, 0x1p-100, 0x1p-100i}, 300, 1},
	} {
		for _, down := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/down=%t", test.name, down), func(t *testing.T) {
				var elems []complex128
				for range test.times {
					elems = append(elems, test.elems...)
				}
				got := prod(t, test.typ, elems, down)
				if got != test.want && !(cmplx.IsNaN(got) && cmplx.IsNaN(test.want)) {
					t.Errorf("product %v, want %v", got, test.want)
				}
			})
		}
	}
}

// TestProdError compares products of numbers of all magnitudes with exact ones.
func TestProdError(t *testing.T) {
	const seed = 8
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		spread := r.IntN(1000)
		exact := new(big.Float).SetPrec(2000).SetInt64(1)
		var elems []complex128
		for range 1 + r.IntN(300) {
			x := math.Ldexp(1+r.Float64(), r.IntN(2*spread+1)-spread)
			elems = append(elems, complex(x, 0))
			exact.Mul(exact, new(big.Float).SetFloat64(x))
		}
		want, _ := exact.Float64()
		got := real(prod(t, dtype.Float64, elems, r.IntN(2) == 0))
		if math.Abs(got-want) > float64(len(elems))*0x1p-53*want+5e-324 && got != want {
			t.Fatalf("product of %d numbers is %v, want %v", len(elems), got, want)
		}
	}
}
