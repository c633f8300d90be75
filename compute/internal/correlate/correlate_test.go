package correlate_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/tstore/tstore/compute/internal/correlate"
)

var counts = []int{1, 2, 7, 8, 9, 16, 17, 100, 1023, 1025}

func never() bool { return false }

// taps returns factors at random distances below most.
func taps[T correlate.Number](r *rand.Rand, n, most int, value func() T) *correlate.Taps[T] {
	t := &correlate.Taps[T]{}
	for range n {
		t.Append(r.IntN(most), value())
	}
	return t
}

// TestSumsOfIntegers compares wrapping sums of all kernels with their definition.
func TestSumsOfIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	t.Run("int32", func(t *testing.T) { checkIntegers(t, r, func() int32 { return int32(r.Uint32()) }) })
	t.Run("int64", func(t *testing.T) { checkIntegers(t, r, func() int64 { return int64(r.Uint64()) }) })
}

func checkIntegers[T int32 | int64](t *testing.T, r *rand.Rand, value func() T) {
	for _, n := range []int{correlate.Stripe, 3 * correlate.Stripe} {
		for _, count := range counts {
			x := make([]T, n+50)
			for i := range x {
				x[i] = value()
			}
			k := taps(r, count, 51, value)
			for variant := range correlate.NumVariants() {
				sums := make([]T, n)
				correlate.AddVariant(variant, k, sums, make([]T, n), x)
				for i, got := range sums {
					want := T(0)
					for j, v := range k.Values {
						want += v * x[i+k.Offsets[j]]
					}
					if got != want {
						t.Fatalf("kernels %d, %d taps: sum %d of %d is %d, want %d", variant, count, i, n, got, want)
					}
				}
			}
		}
	}
}

// TestSumsOfFloats compares the kernels with the one in Go, bit for bit, and the sums with exact
// ones.
func TestSumsOfFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const n = 2 * correlate.Stripe
	for _, count := range counts {
		k := taps(r, count, 90, r.NormFloat64)
		x := make([]float64, n+90)
		for i := range x {
			x[i] = r.NormFloat64() * math.Exp(8*r.NormFloat64())
		}
		want := make([]float64, n)
		correlate.AddVariant(correlate.NumVariants()-1, k, want, make([]float64, n), x)
		for i := 0; i < n; i += 17 {
			exact, size := exactSum(k, x[i:])
			if off := math.Abs(want[i] - exact); off > 9*0x1p-53*size {
				t.Fatalf("%d taps: sum %d is %v, which is %g off: of products of %g", count, i, want[i], off, size)
			}
		}
		for variant := range correlate.NumVariants() {
			got := make([]float64, n)
			correlate.AddVariant(variant, k, got, make([]float64, n), x)
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("kernels %d, %d taps: sum %d is %v, want %v", variant, count, i, got[i], want[i])
				}
			}
		}
	}
}

// exactSum returns a sum of products, rounded once, and that of their magnitudes.
func exactSum(k *correlate.Taps[float64], x []float64) (sum, size float64) {
	exact := new(big.Float).SetPrec(2000)
	for j, v := range k.Values {
		e := x[k.Offsets[j]]
		exact.Add(exact, new(big.Float).SetPrec(200).Mul(big.NewFloat(v), big.NewFloat(e)))
		size += math.Abs(v * e)
	}
	sum, _ = exact.Float64()
	return sum, size
}

// TestSumsBeyondNumbers sums up infinities and NaN, which must not spoil what is beside them.
func TestSumsBeyondNumbers(t *testing.T) {
	const n = correlate.Stripe
	inf := math.Inf(1)
	for variant := range correlate.NumVariants() {
		for _, count := range []int{3, 20} {
			k := &correlate.Taps[float64]{}
			for j := range count {
				k.Append(j, 1)
			}
			x := make([]float64, n+count)
			x[5], x[60], x[90], x[91] = inf, math.NaN(), inf, -inf
			sums := make([]float64, n)
			correlate.AddVariant(variant, k, sums, make([]float64, n), x)
			for i, got := range sums {
				want := 0.0
				for j := range count {
					want += x[i+j]
				}
				if got != want && (got == got || want == want) {
					t.Errorf("kernels %d, %d taps: sum %d is %v, want %v", variant, count, i, got, want)
				}
			}
		}
	}
}

// TestFourier compares transforms with Gonum's, and what comes back with what was there.
func TestFourier(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := 4; n <= 1<<13; n *= 2 {
		f := correlate.NewFourier(n, never)
		b, x := correlate.NewBlock(n), make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
			b.Re[i], b.Im[i] = real(x[i]), imag(x[i])
		}
		f.Forward(b, never)
		want := fourier.NewCmplxFFT(n).Coefficients(nil, x)
		tolerance := 7 * 0x1p-53 * math.Log2(float64(n)) * float64(n)
		for i, at := range places(n) {
			if d := complex(b.Re[i], b.Im[i]) - want[at]; math.Hypot(real(d), imag(d)) > tolerance {
				t.Fatalf("transform of %d: number %d is off by %v", n, at, d)
			}
		}
		f.Inverse(b, never)
		for i, v := range x {
			if d := complex(b.Re[i], b.Im[i])/complex(float64(n), 0) - v; math.Hypot(real(d), imag(d)) > tolerance/float64(n) {
				t.Fatalf("there and back of %d: number %d is off by %v", n, i, d)
			}
		}
	}
}

// places returns where in the usual order the numbers of a transform of n belong: with their digits
// reversed.
func places(n int) []int {
	if n == 1 {
		return []int{0}
	}
	parts := 4
	if n == 2 {
		parts = 2
	}
	var all []int
	for k := range parts {
		for _, at := range places(n / parts) {
			all = append(all, parts*at+k)
		}
	}
	return all
}

// TestFourierIsAccurate compares transforms with sums in more digits.
func TestFourierIsAccurate(t *testing.T) {
	const n = 1 << 10
	r := rand.New(rand.NewPCG(4, 4))
	b := correlate.NewBlock(n)
	for i := range n {
		b.Re[i] = r.NormFloat64()
	}
	x := append([]float64(nil), b.Re...)
	correlate.NewFourier(n, never).Forward(b, never)
	for i, at := range places(n) {
		if i%37 != 0 {
			continue
		}
		re := new(big.Float).SetPrec(100)
		for j, v := range x {
			c := math.Cos(2 * math.Pi * float64(j*at%n) / n)
			re.Add(re, new(big.Float).SetPrec(120).Mul(big.NewFloat(v), big.NewFloat(c)))
		}
		want, _ := re.Float64()
		if math.Abs(b.Re[i]-want) > 2e-14 {
			t.Errorf("number %d is %v, want %v", at, b.Re[i], want)
		}
	}
}

// TestProducts finds the sums of products of two blocks at all distances around them.
func TestProducts(t *testing.T) {
	const n = 32
	r := rand.New(rand.NewPCG(5, 5))
	a, b, sum := correlate.NewBlock(n), correlate.NewBlock(n), correlate.NewBlock(n)
	for _, part := range [][]float64{a.Re, a.Im, b.Re, b.Im} {
		for i := range part {
			part[i] = float64(r.IntN(9))
		}
	}
	want := make([]complex128, n)
	for i := range want {
		for j := range n {
			want[i] += complex(a.Re[(i+j)%n], a.Im[(i+j)%n]) * complex(b.Re[j], -b.Im[j])
		}
	}
	f := correlate.NewFourier(n, never)
	f.Forward(a, never)
	f.Forward(b, never)
	sum.AddProducts(a, b)
	f.Inverse(sum, never)
	for i, w := range want {
		if math.Abs(sum.Re[i]/n-real(w)) > 1e-9 || math.Abs(sum.Im[i]/n-imag(w)) > 1e-9 {
			t.Errorf("sum %d is %v%+vi, want %v", i, sum.Re[i]/n, sum.Im[i]/n, w)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, count := range []int{3, 32, 1000} {
		b.Run(fmt.Sprint("float64/", count), func(b *testing.B) { benchmarkAdd[float64](b, count) })
		b.Run(fmt.Sprint("int32/", count), func(b *testing.B) { benchmarkAdd[int32](b, count) })
		b.Run(fmt.Sprint("int64/", count), func(b *testing.B) { benchmarkAdd[int64](b, count) })
	}
}

func benchmarkAdd[T correlate.Number](b *testing.B, count int) {
	const n = correlate.MaxBlock
	k := &correlate.Taps[T]{}
	for j := range count {
		k.Append(j, 1)
	}
	x, sums, rests := make([]T, n+count), make([]T, n), make([]T, n)
	for b.Loop() {
		k.Add(sums, rests, x, never)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())*1000/float64(b.N)/float64(n*count), "ps/product")
}

func BenchmarkFourier(b *testing.B) {
	for _, n := range []int{1 << 10, 1 << 14, 1 << 16, 1 << 18} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f, x := correlate.NewFourier(n, never), correlate.NewBlock(n)
			for b.Loop() {
				f.Forward(x, never)
				f.Inverse(x, never)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}
