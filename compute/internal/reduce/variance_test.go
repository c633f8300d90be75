package reduce_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// variances returns the variances over the first axis of columns that all have the elements x,
// converted to typ.
func variances(t *testing.T, typ dtype.Type, x []float64, cols int, mask []byte) []float64 {
	t.Helper()
	size := typ.Size()
	o := &operand{typ: typ, layout: packed(len(x), cols), data: make([]byte, len(x)*cols*size)}
	if mask != nil {
		o.mask = make([]byte, len(x)*cols)
	}
	for i, v := range x {
		row := o.data[i*cols*size : (i+1)*cols*size]
		dtype.ScalarOf(v).Convert(typ).Store(row)
		repeat(row, size)
		if mask != nil {
			row := o.mask[i*cols : (i+1)*cols]
			row[0] = mask[i]
			repeat(row, 1)
		}
	}
	s, results := o.spec([]int{0}, []reduce.Op{reduce.Var}, 0)
	if err := run(s, 2); err != nil {
		t.Fatal(err)
	}
	v := make([]float64, cols)
	for i := range v {
		v[i] = dtype.Load(reduce.ResultType(reduce.Var, typ), results[0][i*len(results[0])/cols:]).Float64()
	}
	return v
}

// repeat fills b with its first bytes.
func repeat(b []byte, first int) {
	for ; first < len(b); first *= 2 {
		copy(b[first:], b[:first])
	}
}

// TestVarianceAccuracy checks how far variances are from exact ones, in units of the last place.
// NumPy's, from two passes over the elements, are 1.0 to 2.0 off for the first cases, and 3.3 for
// the last one.
func TestVarianceAccuracy(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	level := 0.0
	for _, test := range []struct {
		name string
		next func(i int) float64
		ulps float64
	}{
		{"mean 0", func(int) float64 { return r.NormFloat64() }, 0.6},
		{"mean 1e6", func(int) float64 { return 1e6 + r.NormFloat64() }, 0.6},
		{"mean 1e12", func(int) float64 { return 1e12 + r.NormFloat64() }, 0.6},
		{"uniform", func(int) float64 { return r.Float64() }, 0.6},
		{"exponential", func(int) float64 { return r.ExpFloat64() }, 0.6},
		{"rising", func(i int) float64 { return 1.1*float64(i) + r.Float64() }, 1},
		{"walk", func(int) float64 { level += r.NormFloat64(); return level }, 1},
		{"far start", func(i int) float64 { return 1e-3*r.NormFloat64() + float64(max(0, 600-i)) }, 1.5},
		{"constant after the start", func(i int) float64 { return 0.1 + float64(max(0, min(1, 600-i)))*1000/3 }, 4},
	} {
		for _, n := range []int{1000, 20_000} {
			x, elems := make([]float64, n), make([]dtype.Scalar, n)
			for i := range x {
				x[i] = test.next(i)
				elems[i] = dtype.ScalarOf(x[i])
			}
			exact, _ := reference(reduce.Var, dtype.Float64, elems, 0)
			want := exact.Float64()
			for _, cols := range []int{1, 3, 80} {
				got := variances(t, dtype.Float64, x, cols, nil)[cols-1]
				// The reference itself is rounded twice.
				if off := math.Abs(got-want) / (math.Nextafter(want, math.Inf(1)) - want); off > test.ulps+0.5 {
					t.Errorf("%s, %d elements in %d columns: %v is %.1f units in the last place from %v (seed %d)", test.name, n, cols, got, off, want, seed)
				}
			}
		}
	}
}

// TestVarianceLimits checks variances of elements whose squares or sums are beyond float64, which
// are no NaN, among many others, and of elements that are not finite.
func TestVarianceLimits(t *testing.T) {
	t.Parallel()
	inf, nan, cases := math.Inf(1), math.NaN(), 0
	for _, test := range []struct {
		typ     dtype.Type
		special []float64
		want    float64 // 0x1p128: that of this element squared, among zeros
	}{
		{dtype.Float64, []float64{1e200}, inf},
		{dtype.Float64, []float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, inf},
		{dtype.Float64, []float64{-math.MaxFloat64, inf, math.MaxFloat64}, nan},
		{dtype.Float64, []float64{1e200, -inf}, nan},
		{dtype.Float64, []float64{-1e200, nan}, nan},
		{dtype.Float64, []float64{inf, -inf}, nan},
		{dtype.Float32, []float64{0x1p64}, 0x1p128},
		{dtype.Float32, []float64{math.MaxFloat32}, inf},
		{dtype.Float32, []float64{inf}, nan},
		{dtype.Complex128, []float64{-1e200}, inf},
		{dtype.Complex128, []float64{1e200, nan}, nan},
		{dtype.Complex64, []float64{inf}, nan},
	} {
		for _, n := range []int{5, 1024, 9001} {
			if !*long && n == 1024 {
				continue
			}
			for _, first := range []int{0, (n - len(test.special)) / 2, n - len(test.special)} {
				x, all, others := make([]float64, n), slices.Repeat([]byte{1}, n), slices.Repeat([]byte{1}, n)
				copy(x[first:], test.special)
				clear(others[first : first+len(test.special)])
				want := test.want
				if want == 0x1p128 {
					want *= float64(n-1) / float64(n*n)
				}
				for _, cols := range []int{1, 3, 80} {
					if cases++; !*long && cases%4 != 0 {
						continue
					}
					name := fmt.Sprintf("%v at %d of %d %v in %d columns", test.special, first, n, test.typ, cols)
					for _, mask := range [][]byte{nil, all} {
						for _, got := range variances(t, test.typ, x, cols, mask) {
							if !same(got, want) && !(math.Abs(got-want) <= 0x1p-23*want && !math.IsInf(want, 0)) {
								t.Fatalf("%s, mask %t: %v, want %v", name, mask != nil, got, want)
							}
						}
					}
					if got := variances(t, test.typ, x, cols, others)[0]; got != 0 {
						t.Errorf("%s, masked out: %v, want 0", name, got)
					}
				}
			}
		}
	}
}

// TestVarianceOfMaskedRows leaves elements of long rows out, which are taken some columns at a
// time, also where they are converted first.
func TestVarianceOfMaskedRows(t *testing.T) {
	const rows, cols = 3, 3000
	for _, typ := range []dtype.Type{dtype.Bool, dtype.Uint8, dtype.Int16, dtype.Int64, dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex64} {
		t.Run(typ.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 0))
			o := newOperand(r, typ, packed(rows, cols), false)
			o.mask = make([]byte, rows*cols)
			for i := range o.mask {
				o.mask[i] = byte(r.IntN(2))
			}
			check(t, o, []int{0}, []reduce.Op{reduce.Var, reduce.Std, reduce.Mean})
		})
	}
}
