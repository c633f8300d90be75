package compute_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A plane is a matrix of complex numbers for sums that follow the definition.
type plane struct {
	rows, cols int
	elems      []complex128
}

func newPlane(r *rand.Rand, rows, cols int, imaginary bool) plane {
	p := plane{rows, cols, make([]complex128, rows*cols)}
	for i := range p.elems {
		p.elems[i] = complex(float64(r.IntN(21)-10), 0)
		if imaginary {
			p.elems[i] += complex(0, float64(r.IntN(21)-10))
		}
	}
	return p
}

// at returns an element, or what is beyond the edges.
func (p plane) at(i, j int, boundary string, fill complex128) complex128 {
	i, ok1 := inside(i, p.rows, boundary)
	j, ok2 := inside(j, p.cols, boundary)
	if !ok1 || !ok2 {
		return fill
	}
	return p.elems[i*p.cols+j]
}

func inside(i, n int, boundary string) (int, bool) {
	switch boundary {
	case "wrap":
		return (i%n + n) % n, true
	case "symm":
		for i < 0 || i >= n {
			if i < 0 {
				i = -1 - i
			} else {
				i = 2*n - 1 - i
			}
		}
	}
	return i, i >= 0 && i < n
}

// convolve sums up products as the definition says; full results begin where the last element of v
// meets the first one of p.
func (p plane) convolve(v plane, mode, boundary string, fill complex128) plane {
	rows, cols, top, left := p.rows+v.rows-1, p.cols+v.cols-1, 0, 0
	switch mode {
	case "same":
		rows, cols, top, left = p.rows, p.cols, (v.rows-1)/2, (v.cols-1)/2
	case "valid":
		rows, cols, top, left = p.rows-v.rows+1, p.cols-v.cols+1, v.rows-1, v.cols-1
	}
	made := plane{rows, cols, make([]complex128, rows*cols)}
	for i := range made.elems {
		for k, factor := range v.elems {
			made.elems[i] += factor * p.at(i/cols+top-k/v.cols, i%cols+left-k%v.cols, boundary, fill)
		}
	}
	return made
}

// tensor returns the elements as a tensor of type float64 or complex128, of one axis if it is a
// row.
func (p plane) tensor(t *testing.T, imaginary bool) *view.Tensor {
	flat := fromSlice(t, p.elems)
	if !imaginary {
		parts := make([]float64, len(p.elems))
		for i, v := range p.elems {
			parts[i] = real(v)
		}
		flat = fromSlice(t, parts)
	}
	if p.rows == 1 {
		return flat
	}
	m, err := flat.Reshape(p.rows, p.cols)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// check compares elements, of which exact ones are integers.
func (p plane) check(got elements, tolerance float64) error {
	if len(got.elements) != len(p.elems)*got.dtype.Size() {
		return fmt.Errorf("shape %v, want %d, %d", got.shape, p.rows, p.cols)
	}
	for i, want := range p.elems {
		v := dtype.Load(got.dtype, got.elements[i*got.dtype.Size():]).Complex128()
		if math.Hypot(real(v-want), imag(v-want)) > tolerance {
			return fmt.Errorf("element %d of %v is %v, want %v", i, got.shape, v, want)
		}
	}
	return nil
}

// TestConvolutionsOfRandomShapes compares all modes, boundaries and methods with their definition,
// for any number of workers.
func TestConvolutionsOfRandomShapes(t *testing.T) {
	tries := 300
	if !*compute.Long {
		tries = 60
	}
	r := rand.New(rand.NewPCG(11, 12))
	sizes := []int{1, 2, 3, 4, 7, 8, 17, 31}
	pick := func(names ...string) string { return names[r.IntN(len(names))] }
	for try := range tries {
		imaginary := try%3 == 0
		x := newPlane(r, sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))], imaginary)
		v := newPlane(r, 1+r.IntN(x.rows), 1+r.IntN(x.cols), imaginary && try%2 == 0)
		mode, method, boundary, fill := pick("full", "same", "valid"), pick("auto", "direct", "fft"), pick("fill", "wrap", "symm"), r.IntN(4)
		text := fmt.Sprintf("convolve2d(x, v, '%s', '%s', %d, '%s')", mode, boundary, fill, method)
		want := x.convolve(v, mode, boundary, complex(float64(fill), 0))
		switch {
		case x.rows == 1:
			boundary, fill = "fill", 0
			want = x.convolve(v, mode, boundary, 0)
			text = fmt.Sprintf("convolve(x, v, '%s', '%s')", mode, method)
		case v.rows == 1:
			v = newPlane(r, 2, v.cols, imaginary)
			want = x.convolve(v, mode, boundary, complex(float64(fill), 0))
		}
		operands := map[string]*view.Tensor{"x": x.tensor(t, imaginary), "v": v.tensor(t, imaginary)}
		tolerance := 1e-9
		if method == "direct" {
			tolerance = 0
		}
		for _, workers := range []int{1, 3} {
			got, err := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: workers})
			if err == nil {
				err = want.check(got, tolerance)
			}
			if err != nil {
				t.Fatalf("try %d: %s of %d, %d with %d, %d, %d workers: %v", try, text, x.rows, x.cols, v.rows, v.cols, workers, err)
			}
		}
	}
}

// signal returns n elements that are no integers.
func signal(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i)*1.7) * math.Exp(2*math.Cos(float64(i)*0.37))
	}
	return x
}

// TestConvolutionsOfManyElements compares transforms with sums where both take several tiles, and
// workers with each other. No kernel is longer than that takes, as sums are work for each of its
// elements: TestConvolutionErrors has long ones.
func TestConvolutionsOfManyElements(t *testing.T) {
	x := signal(40_000)
	flat, single := fromSlice(t, x), fromSlice(t, narrowed(x))
	m, err := flat.Reshape(160, 250)
	if err != nil {
		t.Fatal(err)
	}
	operands := map[string]*view.Tensor{"x": flat, "m": m, "s": single}
	for _, text := range []string{
		"convolve(x, x[:1500], 'full'%s)",
		"convolve(x[:9000] + 1j*x[9000:0:-1], x[:700] - 1j*x[3:703], 'same'%s)",
		"correlate(x[:1700], x[7:33007], 'full'%s)",
		"convolve2d(m, m[40:80, 100:140], 'same', 'symm'%s)",
		"convolve2d(m.T, m[:130, :3], 'full', 'wrap'%s)",
		"convolve2d(m[:60], m[:2, :100]*1j, 'full', fillvalue=0.5%s)",
		"convolve(s, s[100:1100], 'full'%s)",
	} {
		direct := ofWorkers(t, fmt.Sprintf(text, ", method='direct'"), operands)
		fast := ofWorkers(t, fmt.Sprintf(text, ", method='fft'"), operands)
		off := relativeDifference(t, direct, fast)
		if off > 3e-15 && direct.dtype.Size() >= 8 && direct.dtype != dtype.Complex64 || !(off < 1e-7) {
			t.Errorf("%s with transforms is %g off", text, off)
		}
	}
}

// ofWorkers computes a program with one worker and with three, which make the same bits.
func ofWorkers(t *testing.T, text string, operands map[string]*view.Tensor) elements {
	t.Helper()
	one, err1 := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: 1})
	three, err3 := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: 3})
	if err := errors.Join(err1, err3); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !bytes.Equal(one.elements, three.elements) {
		t.Errorf("%s: 3 workers make other bits than one", text)
	}
	return one
}

// relativeDifference returns the greatest difference of elements, for the greatest magnitude of
// those wanted.
func relativeDifference(t *testing.T, want, got elements) float64 {
	t.Helper()
	if want.dtype != got.dtype || !slices.Equal(want.shape, got.shape) {
		t.Fatalf("%v %v, want %v %v", got.dtype, got.shape, want.dtype, want.shape)
	}
	difference, most, size := 0.0, 0.0, want.dtype.Size()
	for i := 0; i < len(want.elements); i += size {
		w, g := dtype.Load(want.dtype, want.elements[i:]).Complex128(), dtype.Load(want.dtype, got.elements[i:]).Complex128()
		if off := cmplx.Abs(w - g); off > difference || math.IsNaN(off) {
			difference = off
		}
		most = max(most, cmplx.Abs(w))
	}
	return difference / most
}

func narrowed(x []float64) []float32 {
	made := make([]float32, len(x))
	for i, v := range x {
		made[i] = float32(v)
	}
	return made
}

// TestConvolutionErrors holds sums and transforms to the bounds that docs/expressions.md states.
func TestConvolutionErrors(t *testing.T) {
	const n = 40_000
	r := rand.New(rand.NewPCG(13, 14))
	x := normals(r, n)
	for _, test := range []struct {
		taps   int
		direct bool // sums are looked at too
	}{{3000, true}, {9000, false}} {
		v := normals(r, test.taps)
		operands := map[string]*view.Tensor{"x": fromSlice(t, x), "v": fromSlice(t, v)}
		fast := ofWorkers(t, "convolve(x, v, 'valid', 'fft')", operands)
		var direct elements
		if test.direct {
			var err error
			if direct, err = evaluate(t.Context(), "convolve(x, v, 'valid', 'direct')", operands, nil); err != nil {
				t.Fatal(err)
			}
		}
		squares, norm := 0.0, 0.0
		for _, e := range v {
			norm += math.Abs(e)
		}
		block := 4 << bits.Len(uint(test.taps-1)) // elements of a block, of which two are transformed together
		for _, e := range x[:min(n, 2*block)] {
			squares += e * e
		}
		bound := 24 * 0x1p-53 * math.Log2(float64(block)) * math.Sqrt(squares) * norm
		worst := 0.0
		for i := 0; i < n-test.taps+1; i += 97 {
			want, size := exactProduct(x[i:i+test.taps], v)
			worst = max(worst, math.Abs(float64At(fast, i)-want))
			if !test.direct {
				continue
			}
			if off := math.Abs(float64At(direct, i) - want); off > 9*0x1p-53*size {
				t.Errorf("%d taps: the sum of element %d is %g off: products of %g", test.taps, i, off, size)
			}
		}
		t.Logf("%d taps: transforms are at most %g off, allowed are %g", test.taps, worst, bound)
		if worst > bound {
			t.Errorf("%d taps: transforms are %g off, more than %g", test.taps, worst, bound)
		}
	}
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func float64At(e elements, i int) float64 {
	return dtype.Load(e.dtype, e.elements[i*8:]).Float64()
}

// exactProduct returns the sum of the products of x and the reverse of v, to twice the digits, and
// that of their magnitudes.
func exactProduct(x, v []float64) (sum, size float64) {
	rest := 0.0
	for i, e := range x {
		f := v[len(v)-1-i]
		p := e * f
		next := sum + p
		kept := next - sum
		rest += (sum - (next - kept)) + (p - kept) + math.FMA(e, f, -p)
		sum, size = next, size+math.Abs(p)
	}
	return sum + rest, size
}

// TestConvolutionKeepsInfinities checks that what is no number stays where the kernel meets it,
// with transforms too.
func TestConvolutionKeepsInfinities(t *testing.T) {
	x := signal(50_000)
	x[20_000], x[44_000], x[1000] = math.Inf(1), math.NaN(), 1e305
	operands := map[string]*view.Tensor{"x": fromSlice(t, x), "v": fromSlice(t, signal(900))}
	made := map[string]*view.Tensor{}
	for _, method := range []string{"fft", "direct"} {
		got, err := evaluate(t.Context(), fmt.Sprintf("convolve(x, v, 'full', '%s')", method), operands, nil)
		if err != nil {
			t.Fatal(err)
		}
		elems := make([]float64, len(got.elements)/8)
		for i := range elems {
			elems[i] = float64At(got, i)
		}
		made[method] = fromSlice(t, elems)
	}
	for _, text := range []string{
		"all(isfinite(fft) == isfinite(direct))",
		"sum(isnan(fft)) == 901", // with infinity times the 0 of v
		"sum(isinf(fft)) == 899",
		"max(abs(fft[3000:19000] - direct[3000:19000])) < 1e-9",
	} {
		got, err := evaluate(t.Context(), text, made, nil)
		if err != nil || !bytes.Equal(got.elements, []byte{1}) {
			t.Errorf("%s is not so: %v, error %v", text, got, err)
		}
	}
}

// TestCorrelationsOfBothOrders computes correlations of complex vectors in both orders of the
// operands together, which are the conjugates of each other in reverse.
func TestCorrelationsOfBothOrders(t *testing.T) {
	x, v := newPlane(rand.New(rand.NewPCG(15, 16)), 1, 40, true), newPlane(rand.New(rand.NewPCG(17, 18)), 1, 7, true)
	operands := map[string]*view.Tensor{"x": x.tensor(t, true), "v": v.tensor(t, true)}
	got, err := evaluate(t.Context(), "all(correlate(x, v, 'full') == conj(correlate(v, x, 'full'))[::-1])", operands, nil)
	if err != nil || !bytes.Equal(got.elements, []byte{1}) {
		t.Errorf("they are not: %v, error %v", got, err)
	}
}

// TestConvolutionsOfTooMany refuses operands that stretch beyond what bytes can be counted of.
func TestConvolutionsOfTooMany(t *testing.T) {
	stretched := func(n int) *view.Tensor {
		made, err := fromSlice(t, []dtype.F8E4M3FN{dtype.ToF8E4M3FN(1)}).BroadcastTo(n)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	operands := map[string]*view.Tensor{"taps": stretched(1 << 60), "x": stretched(1 << 62), "v": stretched(3), "same": stretched(1<<60 + 1)}
	for _, text := range []string{"convolve(same, taps, 'valid')", "correlate(same, taps, 'valid', 'direct')", "convolve(x, v)", "convolve(x, v, method='fft')"} {
		if _, err := evaluate(t.Context(), text, operands, nil); err == nil || !strings.Contains(err.Error(), "too many") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func TestConvolutionNeedsMemory(t *testing.T) {
	x := fromSlice(t, make([]float32, 1<<20))
	_, err := evaluate(t.Context(), "convolve(x, x)", map[string]*view.Tensor{"x": x}, &compute.Options{MemoryLimit: 1 << 20})
	if err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("a kernel that the memory limit does not allow: error %v", err)
	}
}

func TestConvolveOptions(t *testing.T) {
	a, v := compute.FromTensor(fromSlice(t, []int64{1, 2, 3})), compute.FromTensor(fromSlice(t, []int64{1, 10}))
	m, w := compute.FromTensor(fromMatrix(t)), compute.FromTensor(fromMatrix(t))
	tests := []struct {
		name string
		e    compute.Expr
		want string
	}{
		{"the default", compute.Convolve(a, v, nil), "[ 1 12 23 30]"},
		{"of a correlation", compute.Correlate(a, v, nil), "[21 32]"},
		{"a mode", compute.Correlate(a, v, &compute.ConvolveOptions{Mode: "full", Method: "direct"}), "[10 21 32  3]"},
		{"matrices", compute.Convolve2D(m, w, &compute.ConvolveOptions{Mode: "same", Boundary: "wrap"}), "[[30 28]\n [22 20]]"},
		{"a number beyond the edges", compute.Correlate2D(m, w, &compute.ConvolveOptions{Mode: "valid", FillValue: compute.Scalar(2)}), "[[30]]"},
		{"no boundary of vectors", compute.Convolve(a, v, &compute.ConvolveOptions{Boundary: "wrap"}), "error"},
	}
	for _, test := range tests {
		made, err := test.e.Eval(t.Context(), compute.Env{}, nil)
		if err != nil {
			if test.want != "error" {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		var text strings.Builder
		if err := errors.Join(view.Fprint(&text, made, nil), made.Close()); err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(text.String()) != test.want {
			t.Errorf("%s: got %s, want %s", test.name, text.String(), test.want)
		}
	}
}

func fromMatrix(t *testing.T) *view.Tensor {
	m, err := view.FromSlice([]int64{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// A convolution that is cancelled ends soon, also within a tile whose sums take long, and within
// its transforms.
func TestConvolutionCancelledSoon(t *testing.T) {
	env := largeOperands(t)
	for _, text := range []string{"convolve(a, b[:3000000], method='direct')", "convolve(a, b[:3000000], method='fft')", "convolve2d(a.reshape(4096, 4096), b[:250000].reshape(500, 500), method='direct')"} {
		e, err := compute.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		checkSoon(t, text, func() time.Duration {
			ctx, cancel := context.WithCancel(t.Context())
			cancelled := make(chan time.Time, 1)
			time.AfterFunc(30*time.Millisecond, func() {
				cancelled <- time.Now()
				cancel()
			})
			made, err := e.Eval(ctx, env, nil)
			if err == nil {
				made.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", text, err)
			}
			return time.Since(<-cancelled)
		})
	}
}
