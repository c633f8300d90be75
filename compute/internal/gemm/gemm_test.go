package gemm_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/dtype"
)

// A matrix is a batch of matrices for tests.
type matrix struct {
	gemm.Operand
	bytes []byte
	shape []int // the batch, rows and columns
}

// newMatrix lays a batch out: how says which way. Gaps hold bytes that are no numbers.
func newMatrix(t dtype.Type, how string, shape ...int) matrix {
	size, rank := t.Size(), len(shape)
	strides := make([]int, rank)
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	step := size
	switch how {
	case "columns":
		order[0], order[1] = order[1], order[0]
	case "strided", "back":
		step = 3 * size
	}
	for _, axis := range order {
		strides[axis] = step
		step *= shape[axis]
		if how == "gaps" {
			step += 5 * size
		}
	}
	m := matrix{bytes: slices.Repeat([]byte{0xff}, step+64), shape: shape}
	m.Type, m.Row, m.Col, m.Batch = t, strides[rank-2], strides[rank-1], strides[:rank-2]
	m.Base = unsafe.Pointer(&m.bytes[0])
	switch how {
	case "back":
		m.Base = unsafe.Add(m.Base, (shape[rank-1]-1)*m.Col+(shape[rank-2]-1)*m.Row)
		m.Row, m.Col = -m.Row, -m.Col
	case "repeated":
		m.Row = 0
	}
	return m
}

func (m *matrix) at(batch, i, j int) []byte {
	off := i*m.Row + j*m.Col
	for axis := len(m.Batch) - 1; axis >= 0; axis-- {
		off += batch % m.shape[axis] * m.Batch[axis]
		batch /= m.shape[axis]
	}
	return unsafe.Slice((*byte)(unsafe.Add(m.Base, off)), m.Type.Size())
}

// each calls fn with each element.
func (m *matrix) each(fn func(batch, i, j int, b []byte)) {
	count := 1
	for _, n := range m.shape[:len(m.shape)-2] {
		count *= n
	}
	for batch := range count {
		for i := range m.shape[len(m.shape)-2] {
			for j := range m.shape[len(m.shape)-1] {
				fn(batch, i, j, m.at(batch, i, j))
			}
		}
	}
}

// numbers returns the elements of one matrix after another, row by row.
func (m *matrix) numbers() (all []complex128) {
	m.each(func(_, _, _ int, b []byte) { all = append(all, dtype.Load(m.Type, b).Complex128()) })
	return all
}

// fill stores random numbers: small whole ones, of which sums are exact, or any.
func (m *matrix) fill(random *rand.Rand, exact bool) {
	m.each(func(_, _, _ int, b []byte) {
		v := complex(random.NormFloat64(), random.NormFloat64())
		if exact {
			v = complex(float64(random.IntN(5)-2), float64(random.IntN(5)-2))
		}
		s := dtype.ScalarOf(v)
		if m.Type.Kind() != dtype.KindComplex {
			s = dtype.ScalarOf(real(v))
		}
		if m.Type.Kind() == dtype.KindUint {
			s = dtype.ScalarOf(math.Abs(real(v)))
		}
		s.Convert(m.Type).Store(b)
	})
}

// multiply runs a product with one of the sets of kernels.
func multiply(t testing.TB, variant int, a, b, c matrix, workers int, buffers int64) {
	t.Helper()
	run(t, gemm.NewVariant(variant, spec(a, b, c, workers, buffers)), workers)
}

func spec(a, b, c matrix, workers int, buffers int64) gemm.Spec {
	rank := len(c.shape)
	return gemm.Spec{
		Batch: c.shape[:rank-2], M: c.shape[rank-2], N: c.shape[rank-1], K: a.shape[rank-1],
		A: a.Operand, B: b.Operand, C: c.Operand, Workers: workers, Buffers: buffers,
	}
}

func run(t testing.TB, job gemm.Job, workers int) {
	t.Helper()
	defer job.Close()
	if err := exec.Run(context.Background(), job, exec.Options{Parallelism: workers}); err != nil {
		t.Fatal(err)
	}
}

var layouts = []string{"rows", "columns", "gaps", "strided", "back", "repeated"}

// TestExact multiplies small whole numbers, whose products and sums have no errors, of all types,
// layouts and odd sizes.
func TestExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sizes := [][3]int{{1, 1, 1}, {3, 5, 7}, {12, 32, 4}, {13, 33, 5}, {6, 17, 390}, {25, 70, 129}, {40, 3, 800}}
	for variant := range gemm.NumVariants() {
		for _, dt := range dtype.All() {
			t.Run(fmt.Sprintf("%d/%v", variant, dt), func(t *testing.T) {
				for n, size := range sizes {
					how := layouts[(n+int(dt))%len(layouts)]
					a, b := newMatrix(dt, how, size[0], size[2]), newMatrix(dt, layouts[random.IntN(len(layouts))], size[2], size[1])
					c := newMatrix(dt, "gaps", size[0], size[1])
					a.fill(random, true)
					b.fill(random, true)
					multiply(t, variant, a, b, c, 1, 0)
					compareExact(t, fmt.Sprint(size, how), a, b, c)
				}
			})
		}
	}
}

// compareExact computes a product of whole numbers in complex128, of large ones some elements.
func compareExact(t *testing.T, name string, a, b, c matrix) {
	t.Helper()
	long, rows, cols := a.shape[len(a.shape)-1], c.shape[len(c.shape)-2], c.shape[len(c.shape)-1]
	few := rows*cols > 10_000
	x, y := a.numbers(), b.numbers()
	c.each(func(batch, i, j int, got []byte) {
		if few && (7*i+j)%101 != 0 {
			return
		}
		sum := complex128(0)
		for k := range long {
			sum += x[(batch*rows+i)*long+k] * y[(batch*long+k)*cols+j]
		}
		s := dtype.ScalarOf(sum)
		if c.Type.Kind() != dtype.KindComplex {
			s = dtype.ScalarOf(real(sum))
		}
		want := make([]byte, len(got))
		s.Convert(c.Type).Store(want)
		if !slices.Equal(got, want) && !t.Failed() {
			t.Errorf("%s: element (%d, %d) of matrix %d is %v, want %v", name, i, j, batch, dtype.Load(c.Type, got), s)
		}
	})
}

// TestBatches multiplies batches, of matrices that are repeated too, with small and with large
// matrices' code.
func TestBatches(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Int16, dtype.Complex128, dtype.Bool, dtype.BFloat16} {
		for _, workers := range []int{1, 3} {
			a, b, c := newMatrix(dt, "rows", 3, 4, 20, 30), newMatrix(dt, "columns", 3, 4, 30, 40), newMatrix(dt, "gaps", 3, 4, 20, 40)
			a.fill(random, true)
			b.fill(random, true)
			a.Batch[0], b.Batch[1] = 0, 0
			multiply(t, 0, a, b, c, workers, 0)
			compareExact(t, "batched", a, b, c)
			job := gemm.TiledVariant(0, spec(a, b, c, workers, 0))
			run(t, job, workers)
			compareExact(t, "tiled", a, b, c)
		}
	}
}

// TestTiles multiplies matrices of several tiles and runs with little memory.
func TestTiles(t *testing.T) {
	t.Parallel()
	const m, k, n = 300, 800, 530
	random := rand.New(rand.NewPCG(5, 6))
	types := []dtype.Type{dtype.Float32, dtype.Complex64, dtype.Int64, dtype.Float16, dtype.Uint8}
	if !*gemm.Long {
		types = types[:3]
	}
	for _, dt := range types {
		a, b, c := newMatrix(dt, "rows", m, k), newMatrix(dt, "rows", k, n), newMatrix(dt, "rows", m, n)
		a.fill(random, true)
		b.fill(random, true)
		s := spec(a, b, c, 3, 1)
		parts := map[gemm.Part]int{}
		area := 0
		s.Next = func(p gemm.Part) { parts[p]++ }
		s.Last = func(p gemm.Part) { area += p.Rows * p.Cols }
		run(t, gemm.TiledVariant(0, s), 1)
		compareExact(t, dt.String(), a, b, c)
		if area != m*n {
			t.Errorf("%v: the last parts have %d elements, want %d", dt, area, m*n)
		}
		for p, n := range parts {
			if n > 4 || p.Rows <= 0 || p.Cols <= 0 || p.Long <= 0 {
				t.Errorf("%v: part %v comes %d times", dt, p, n)
			}
		}
	}
}

// TestSameBits compares kernels, numbers of workers, layouts and sizes of tiles: all give the same
// bits.
func TestSameBits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128, dtype.Float16, dtype.Int64} {
		m, n, k := 70, 90, 900
		a, b, want := newMatrix(dt, "rows", m, k), newMatrix(dt, "rows", k, n), newMatrix(dt, "rows", m, n)
		a.fill(random, false)
		b.fill(random, false)
		special(a, random)
		multiply(t, gemm.NumVariants()-1, a, b, want, 1, 0)
		for variant := range gemm.NumVariants() {
			for _, how := range layouts[:5] {
				if !*gemm.Long && how != "rows" {
					continue
				}
				x, y, got := newMatrix(dt, how, m, k), newMatrix(dt, how, k, n), newMatrix(dt, "gaps", m, n)
				x.each(func(_, i, j int, e []byte) { copy(e, a.at(0, i, j)) })
				y.each(func(_, i, j int, e []byte) { copy(e, b.at(0, i, j)) })
				run(t, gemm.TiledVariant(variant, spec(x, y, got, 2, 0)), 2)
				got.each(func(_, i, j int, e []byte) {
					if w := want.at(0, i, j); !sameBits(dt, e, w) && !t.Failed() {
						t.Errorf("%v, variant %d, %s: element (%d, %d) is %v, want %v", dt, variant, how, i, j, dtype.Load(dt, e), dtype.Load(dt, w))
					}
				})
			}
		}
	}
}

// special stores what is no ordinary number here and there.
func special(m matrix, random *rand.Rand) {
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1e-40, -1e-310, 3e38, 1e308}
	for i, v := range values {
		for range 2 {
			dtype.ScalarOf(v).Convert(m.Type).Store(m.at(0, 7*i%m.shape[0], random.IntN(m.shape[1])))
		}
	}
}

// sameBits compares elements; any NaN is as good as another.
func sameBits(t dtype.Type, x, y []byte) bool {
	if slices.Equal(x, y) {
		return true
	}
	a, b := dtype.Load(t, x).Complex128(), dtype.Load(t, y).Complex128()
	same := func(a, b float64) bool {
		return a != a && b != b || math.Float64bits(a) == math.Float64bits(b)
	}
	return t.Kind() >= dtype.KindFloat && same(real(a), real(b)) && same(imag(a), imag(b))
}

// TestErrorBound compares with sums in more digits: an element is off by no more than a rounding
// for each step of a run and each run.
func TestErrorBound(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64} {
		a, b, c := newMatrix(dt, "rows", 40, 1000), newMatrix(dt, "columns", 1000, 50), newMatrix(dt, "rows", 40, 50)
		a.fill(random, false)
		b.fill(random, false)
		multiply(t, 0, a, b, c, 1, 0)
		unit := 0x1p-24
		if dt == dtype.Float64 {
			unit = 0x1p-53
		}
		c.each(func(_, i, j int, e []byte) {
			sum, rest, size := 0.0, 0.0, 0.0
			for k := range 1000 {
				x, y := dtype.Load(dt, a.at(0, i, k)).Float64(), dtype.Load(dt, b.at(0, k, j)).Float64()
				p := x * y
				total := sum + p
				part := total - sum
				rest += math.FMA(x, y, -p) + ((sum - (total - part)) + (p - part))
				sum = total
				size += math.Abs(p)
			}
			if d := math.Abs(dtype.Load(dt, e).Float64() - (sum + rest)); d > 400*unit*size {
				t.Errorf("%v: element (%d, %d) is off by %v, which is %v units of its terms", dt, i, j, d, d/unit/size)
			}
		})
	}
}

// TestEmpty multiplies without products.
func TestEmpty(t *testing.T) {
	for _, shape := range [][3]int{{3, 4, 0}, {0, 4, 5}, {3, 0, 5}} {
		a, b, c := newMatrix(dtype.Float32, "rows", shape[0], shape[2]), newMatrix(dtype.Float32, "rows", shape[2], shape[1]), newMatrix(dtype.Float32, "rows", shape[0], shape[1])
		multiply(t, 0, a, b, c, 2, 0)
		compareExact(t, fmt.Sprint(shape), a, b, c)
	}
}

// TestStop fails while chunks wait for others: all of them end.
func TestStop(t *testing.T) {
	a, b, c := newMatrix(dtype.Float32, "rows", 600, 900), newMatrix(dtype.Float32, "rows", 900, 600), newMatrix(dtype.Float32, "rows", 600, 600)
	bad := errors.New("bad")
	for at := range 40 {
		job := gemm.TiledVariant(0, spec(a, b, c, 3, 1))
		err := exec.Run(t.Context(), job, exec.Options{Parallelism: 3, Before: func(chunk int) error {
			if chunk == at {
				return bad
			}
			return nil
		}})
		job.Close()
		if err == nil || !errors.Is(err, bad) && at < job.NumChunks() {
			t.Fatalf("failing at chunk %d: %v", at, err)
		}
	}
}

func TestFMA32(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	check := func(x, y, z float32) {
		exact := new(big.Float).SetPrec(2000).SetFloat64(float64(x) * float64(y))
		exact.Add(exact, big.NewFloat(float64(z)))
		want, _ := exact.Float32()
		if got := gemm.FMA32(float64(x), float64(y), float64(z)); got != float64(want) {
			t.Fatalf("%x * %x + %x = %x, want %x", x, y, z, got, want)
		}
	}
	for range 200_000 {
		// Few bits each, so that sums often lie halfway, or almost.
		x := float32(math.Ldexp(float64(random.IntN(1<<12)|1), random.IntN(6)))
		y := float32(math.Ldexp(float64(random.IntN(1<<13)|1), random.IntN(6)))
		z := float32(math.Ldexp(float64(random.IntN(1<<24)-1<<23), random.IntN(70)-40))
		check(x, y, z)
		check(-x, float32(math.Ldexp(float64(y), -150)), z*0x1p-120)
	}
	check(0x1.000002p+0, 0x1.000002p+0, -0x1p-60)
	check(0x1p-75, 0x1p-75, 0x1.8p-149)
	check(0x1.fffffep127, 1, 0x1.8p103) // beyond float32
	check(0x1.fffffep63, -0x1p64, -0x1.4p102)
	check(0x1p-126, 1, -0x1p-149)
	check(0x1p-63, 0x1p-63, 0x1p-150)
	check(3, -5, 15)
}

// FuzzSame compares kernels on any bytes.
func FuzzSame(f *testing.F) {
	f.Add(uint8(3), uint8(5), uint16(7), uint64(1))
	f.Add(uint8(13), uint8(33), uint16(400), uint64(2))
	f.Fuzz(func(t *testing.T, m, n uint8, k uint16, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		rows, cols, long := int(m)%40+1, int(n)%70+1, int(k)%900+1
		for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64} {
			a, b := newMatrix(dt, "rows", rows, long), newMatrix(dt, "rows", long, cols)
			for _, bytes := range [][]byte{a.bytes, b.bytes} {
				for i := range bytes {
					bytes[i] = byte(random.Uint32())
				}
			}
			want := newMatrix(dt, "rows", rows, cols)
			multiply(t, gemm.NumVariants()-1, a, b, want, 1, 0)
			for variant := range gemm.NumVariants() - 1 {
				got := newMatrix(dt, "rows", rows, cols)
				multiply(t, variant, a, b, got, 1, 0)
				got.each(func(_, i, j int, e []byte) {
					if w := want.at(0, i, j); !sameBits(dt, e, w) {
						t.Fatalf("%v, variant %d: element (%d, %d) is %v, want %v", dt, variant, i, j, dtype.Load(dt, e), dtype.Load(dt, w))
					}
				})
			}
		}
	})
}
