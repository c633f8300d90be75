package kernel_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

var foldNames = []string{"sum", "sumsquares", "moments", "prod", "min", "max", "fmin", "fmax"}

// A foldCase is the memory of one call of a fold, with guard zones around what it may touch.
type foldCase struct {
	acc, aux, src      []byte
	stride, rows, cols int
}

const guard = 128

// newFoldCase makes operands of which few are ordinary: the others are the values that kernels get
// wrong.
func newFoldCase(r *rand.Rand, op kernel.FoldOp, t dtype.Type, rows, cols, pad int) *foldCase {
	size := t.Size()
	accSize := 8
	if op >= kernel.FoldMin {
		accSize = size
	} else if t.Kind() == dtype.KindComplex {
		accSize = 16
	}
	c := &foldCase{stride: (cols + pad) * size, rows: rows, cols: cols}
	c.src = make([]byte, rows*c.stride+size)
	fillSpecial(r, c.src, t)
	planes := 0 // beyond the first
	if op == kernel.FoldMoments {
		planes = 2 * kernel.MomentCols * 8
	}
	c.acc = make([]byte, guard+planes+cols*accSize+guard)
	c.aux = make([]byte, guard+cols*8+guard)
	for i := range c.acc {
		c.acc[i] = 0xa5
	}
	for i := range c.aux {
		c.aux[i] = 0xa5
	}
	accType := t
	if accSize != size || op < kernel.FoldMin {
		accType = map[dtype.Kind]dtype.Type{dtype.KindFloat: dtype.Float64, dtype.KindComplex: dtype.Complex128}[t.Kind()]
		if accType == dtype.Invalid {
			accType = dtype.Int64
		}
	}
	fillSpecial(r, c.acc[guard:guard+planes+cols*accSize], accType)
	fillSpecial(r, c.aux[guard:guard+cols*8], dtype.Float64)
	return c
}

// fillSpecial fills b with elements of type t.
func fillSpecial(r *rand.Rand, b []byte, t dtype.Type) {
	specials := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e300, 5e-324, 3.4e38}
	for i := 0; i+t.Size() <= len(b); i += t.Size() {
		switch {
		case t == dtype.Bool:
			b[i] = byte(r.IntN(3) % 2)
		case t.Kind() == dtype.KindInt || t.Kind() == dtype.KindUint:
			for k := range t.Size() {
				b[i+k] = byte(r.Uint32())
			}
		default:
			x := r.NormFloat64()
			if r.IntN(8) == 0 {
				x = specials[r.IntN(len(specials))]
			}
			y := r.NormFloat64()
			dtype.ScalarOf(complex(x, y)).Convert(t).Store(b[i : i+t.Size()])
		}
	}
}

func (c *foldCase) run(f kernel.Fold) *foldCase {
	d := *c
	d.acc, d.aux = bytes.Clone(c.acc), bytes.Clone(c.aux)
	kernel.CallFold(f, unsafe.Pointer(&d.acc[guard]), unsafe.Pointer(&d.aux[guard]), unsafe.Pointer(&d.src[0]), d.stride, d.rows, d.cols)
	return &d
}

// TestFoldsAgree checks that machine code has the bits of Go and touches nothing else.
func TestFoldsAgree(t *testing.T) {
	const seed = 11
	t.Logf("seed %d, %s", seed, kernel.ISA())
	r := rand.New(rand.NewPCG(seed, 0))
	for op := kernel.FoldSum; op <= kernel.FoldFMax; op++ {
		for _, typ := range dtype.All() {
			fast, slow := kernel.LookupFold(op, typ), kernel.GenericFold(op, typ)
			if (fast == nil) != (slow == nil) {
				t.Fatalf("%s of %v: one of the folds is missing", foldNames[op], typ)
			}
			if slow == nil {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", foldNames[op], typ), func(t *testing.T) {
				for range 60 {
					c := newFoldCase(r, op, typ, r.IntN(12), r.IntN(300), r.IntN(3))
					want, got := c.run(slow), c.run(fast)
					compareFolds(t, c, op, typ, want, got)
				}
			})
		}
	}
}

func compareFolds(t *testing.T, c *foldCase, op kernel.FoldOp, typ dtype.Type, want, got *foldCase) {
	t.Helper()
	accType := typ
	if op < kernel.FoldMin {
		accType = dtype.Int64
		switch typ.Kind() {
		case dtype.KindFloat:
			accType = dtype.Float64
		case dtype.KindComplex:
			accType = dtype.Complex128
		}
	}
	if want, got := canonical(want.acc, accType), canonical(got.acc, accType); !bytes.Equal(want, got) {
		t.Fatalf("%d rows of %d columns: accumulators are\n%x, want\n%x", c.rows, c.cols, got, want)
	}
	if want, got := canonical(want.aux, dtype.Float64), canonical(got.aux, dtype.Float64); !bytes.Equal(want, got) {
		t.Fatalf("%d rows of %d columns: second accumulators are\n%x, want\n%x", c.rows, c.cols, got, want)
	}
}

// canonical returns b with all NaN the same between the guard zones.
func canonical(b []byte, t dtype.Type) []byte {
	b = bytes.Clone(b)
	component := t
	switch t {
	case dtype.Complex64:
		component = dtype.Float32
	case dtype.Complex128:
		component = dtype.Float64
	}
	if component.Kind() != dtype.KindFloat {
		return b
	}
	for i := guard; i < len(b)-guard; i += component.Size() {
		if s := dtype.Load(component, b[i:]); math.IsNaN(s.Float64()) {
			dtype.ScalarOf(math.NaN()).Convert(component).Store(b[i : i+component.Size()])
		}
	}
	return b
}

func BenchmarkFold(b *testing.B) {
	for _, test := range []struct {
		op  kernel.FoldOp
		typ dtype.Type
	}{
		{kernel.FoldSum, dtype.Float32}, {kernel.FoldSum, dtype.Float64}, {kernel.FoldSum, dtype.Int32}, {kernel.FoldSum, dtype.Bool},
		{kernel.FoldSumSquares, dtype.Float32}, {kernel.FoldSumSquares, dtype.Float64},
		{kernel.FoldMoments, dtype.Float32}, {kernel.FoldMoments, dtype.Float64},
		{kernel.FoldMin, dtype.Float32}, {kernel.FoldMin, dtype.Float64}, {kernel.FoldMin, dtype.Uint8},
	} {
		for _, f := range []struct {
			name string
			fold kernel.Fold
		}{{kernel.ISA(), kernel.LookupFold(test.op, test.typ)}, {"go", kernel.GenericFold(test.op, test.typ)}} {
			b.Run(fmt.Sprintf("%s/%v/%s", foldNames[test.op], test.typ, f.name), func(b *testing.B) {
				const block = 32 << 10
				src := make([]byte, block)
				acc, aux := make([]float64, 3*kernel.MomentCols), make([]float64, 128)
				cols := 128 / test.typ.Size()
				if test.typ.Size() < 4 && test.op == kernel.FoldSum {
					cols = 32
				}
				b.SetBytes(block)
				for b.Loop() {
					kernel.CallFold(f.fold, unsafe.Pointer(&acc[0]), unsafe.Pointer(&aux[0]), unsafe.Pointer(&src[0]), cols*test.typ.Size(), block/(cols*test.typ.Size()), cols)
				}
			})
		}
	}
}
