package kernel_test

import (
	"math"
	"math/big"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// apply returns what the kernel in Go makes of operands in the same order, all of them vectors.
func apply(t *testing.T, op kernel.Op, typ dtype.Type, n int, operands ...[]byte) []byte {
	t.Helper()
	fn, result := kernel.Generic(op, typ, 0), kernel.ResultType(op, typ)
	if fn == nil {
		t.Fatalf("no %v of %v", op, typ)
	}
	var args [4]unsafe.Pointer
	for i, b := range operands {
		args[i] = address(b)
	}
	dst := elements(n * result.Size())
	fn(address(dst), args[0], args[1], args[2], args[3], n)
	return dst
}

// elements returns bytes aligned for any type.
func elements(size int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8+1)))), size)
}

// TestSeveralInOne compares operations that do several at once with these, one after the other.
func TestSeveralInOne(t *testing.T) {
	const n = 5000
	type ops = func(op kernel.Op, operands ...[]byte) []byte
	tests := []struct {
		op    kernel.Op
		steps func(do ops, a, b, c []byte) []byte
	}{
		{kernel.Square, func(do ops, a, b, c []byte) []byte { return do(kernel.Mul, a, a) }},
		{kernel.Clip, func(do ops, a, b, c []byte) []byte { return do(kernel.Min, do(kernel.Max, a, b), c) }},
		{kernel.Relu, func(do ops, a, b, c []byte) []byte { return do(kernel.Max, a, make([]byte, len(a))) }},
	}
	for _, test := range tests {
		for _, typ := range dtype.All() {
			if kernel.Generic(test.op, typ, 0) == nil {
				continue
			}
			t.Run(test.op.String()+"/"+typ.String(), func(t *testing.T) {
				rng := newRand()
				var v [3][]byte
				for i := range v {
					v[i] = elements(n * typ.Size())
					fillFrom(v[i], typ, rng)
				}
				do := func(op kernel.Op, operands ...[]byte) []byte { return apply(t, op, typ, n, operands...) }
				got, want := do(test.op, v[:test.op.NumOperands()]...), test.steps(do, v[0], v[1], v[2])
				expectSame(t, typ, got, want, func(i int) string { return showArgs(typ, i, v[:]...) })
			})
		}
	}
}

// expectSame compares elements of type typ; of says what they were made of.
func expectSame(t *testing.T, typ dtype.Type, got, want []byte, of func(i int) string) {
	t.Helper()
	size := typ.Size()
	for i := range len(want) / size {
		g, w := got[i*size:][:size], want[i*size:][:size]
		if !sameValue(g, w, typ) {
			t.Fatalf("element %d is %s, want %s, of %s", i, show(dtype.Load(typ, g)), show(dtype.Load(typ, w)), of(i))
		}
	}
}

// TestRoundToSmall compares the roundings with conversions there and back.
func TestRoundToSmall(t *testing.T) {
	const n = poolElems
	a := elements(n * 4)
	copy(a, pools[dtype.Float32])
	for op, small := range map[kernel.Op]dtype.Type{
		kernel.RoundFloat16: dtype.Float16, kernel.RoundBFloat16: dtype.BFloat16,
		kernel.RoundFloat8E4M3FN: dtype.Float8E4M3FN, kernel.RoundFloat8E5M2: dtype.Float8E5M2,
	} {
		want, mid := elements(n*4), elements(n*small.Size())
		dtype.Convert(mid, small, a, dtype.Float32)
		dtype.Convert(want, dtype.Float32, mid, small)
		got := apply(t, op, dtype.Float32, n, a)
		expectSame(t, dtype.Float32, got, want, func(i int) string { return op.String() + " " + showArgs(dtype.Float32, i, a) })
	}
}

// TestIntegerDivision compares quotients, remainders and powers of all pairs of int8 and uint8 with
// those of big.Int.
func TestIntegerDivision(t *testing.T) {
	const n = 1 << 16
	for _, typ := range []dtype.Type{dtype.Int8, dtype.Uint8} {
		a, b := elements(n), elements(n)
		for i := range n {
			a[i], b[i] = byte(i>>8), byte(i)
		}
		for op, reference := range map[kernel.Op]func(x, y int64) int64{
			kernel.FloorDiv: floorDiv, kernel.Mod: floorMod, kernel.Fmod: truncMod, kernel.Pow: power,
		} {
			got := apply(t, op, typ, n, a, b)
			for i := range n {
				x, _ := dtype.Load(typ, a[i:]).Int64()
				y, _ := dtype.Load(typ, b[i:]).Int64()
				if want := byte(reference(x, y)); got[i] != want {
					t.Fatalf("%v/%v of %d and %d is %#x, want %#x", op, typ, x, y, got[i], want)
				}
			}
		}
	}
}

func floorDiv(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	q, m := new(big.Int).DivMod(big.NewInt(x), big.NewInt(y), new(big.Int)) // Euclid's: the remainder is not negative
	if y < 0 && m.Sign() != 0 {
		q.Sub(q, big.NewInt(1))
	}
	return q.Int64()
}

func floorMod(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	return x - y*floorDiv(x, y)
}

func truncMod(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	return new(big.Int).Rem(big.NewInt(x), big.NewInt(y)).Int64()
}

// power returns the low byte of x to the power y, towards zero.
func power(x, y int64) int64 {
	switch {
	case y >= 0:
		return new(big.Int).Exp(big.NewInt(x), big.NewInt(y), big.NewInt(256)).Int64()
	case x == 1 || x == -1 && y%2 == 0:
		return 1
	case x == -1:
		return -1
	}
	return 0
}

// TestFmod compares remainders of floats with those of math.Mod, which subtracts bit by bit.
func TestFmod(t *testing.T) {
	const n = 20000
	rng := newRand()
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		y[i] = math.Ldexp(rng.Float64()-0.5, rng.IntN(2000)-1000)
		switch rng.IntN(3) {
		case 0:
			x[i] = math.Ldexp(rng.Float64()-0.5, rng.IntN(2000)-1000)
		case 1:
			x[i] = math.Nextafter(y[i]*float64(rng.IntN(1000)), float64(rng.IntN(3)-1)*math.Inf(1)) // near whole quotients
		default:
			x[i] = y[i] * math.Ldexp(rng.Float64(), rng.IntN(70))
		}
	}
	got := make([]float64, n)
	kernel.Generic(kernel.Fmod, dtype.Float64, 0)(pointer(got), pointer(x), pointer(y), nil, nil, n)
	for i, g := range got {
		want := math.Mod(x[i], y[i])
		if math.Float64bits(g) != math.Float64bits(want) && (g == g || want == want) {
			t.Fatalf("fmod of %v and %v is %v, want %v", x[i], y[i], g, want)
		}
	}
}

// TestNoSuchOperation lists what has no meaning.
func TestNoSuchOperation(t *testing.T) {
	tests := []struct {
		op   kernel.Op
		typ  dtype.Type
		want dtype.Type
	}{
		{kernel.Invalid, dtype.Float32, dtype.Invalid},
		{kernel.NumOps, dtype.Float32, dtype.Invalid},
		{kernel.Add, dtype.Invalid, dtype.Invalid},
		{kernel.Add, dtype.Float16, dtype.Invalid},
		{kernel.Copy, dtype.Float16, dtype.Float16},
		{kernel.Sub, dtype.Bool, dtype.Invalid},
		{kernel.Neg, dtype.Bool, dtype.Invalid},
		{kernel.Div, dtype.Int32, dtype.Invalid},
		{kernel.Mod, dtype.Complex64, dtype.Invalid},
		{kernel.And, dtype.Float64, dtype.Invalid},
		{kernel.Angle, dtype.Float64, dtype.Invalid},
		{kernel.Abs, dtype.Complex64, dtype.Float32},
		{kernel.Imag, dtype.Complex128, dtype.Float64},
		{kernel.IsNaN, dtype.Complex128, dtype.Bool},
		{kernel.Less, dtype.Uint64, dtype.Bool},
		{kernel.Where, dtype.Int16, dtype.Int16},
	}
	for _, test := range tests {
		if got := kernel.ResultType(test.op, test.typ); got != test.want {
			t.Errorf("the result of %v of %v is %v, want %v", test.op, test.typ, got, test.want)
		}
		fn := kernel.Generic(test.op, test.typ, 0)
		if (fn == nil) != (test.want == dtype.Invalid) {
			t.Errorf("Generic(%v, %v) is nil: %v, but the result is %v", test.op, test.typ, fn == nil, test.want)
		}
	}
}
