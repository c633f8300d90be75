package jit_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// TestSums folds values of random programs and compares the accumulators with those of the folds in
// Go.
func TestSums(t *testing.T) {
	forEachISA(t, testSums)
}

func testSums(t *testing.T, isa string) {
	arenas := newArenas(t, 8)
	compiled := map[kernel.FoldOp]int{}
	all := 0
	for i := range *programs / 2 {
		r := rand.New(rand.NewPCG(*seed+1000, uint64(i)))
		p := generator.Program(r)
		if !addFolds(r, p) {
			continue
		}
		code, err := jit.CompileFor(isa, p)
		var unsupported *jit.UnsupportedError
		switch {
		case errors.As(err, &unsupported):
			continue
		case err != nil:
			t.Fatal(err)
		}
		all++
		compiled[p.Folds[0].Op]++
		compareFolds(t, r, p, code, arenas)
		if t.Failed() {
			t.Fatalf("program %d of seed %d:\n%s, folds %v", i, *seed, jittest.List(p), p.Folds)
		}
		for jit.Mapped() > 900 {
			runtime.GC()
		}
	}
	t.Logf("%d programs compared: %v", all, compiled)
	if all < *programs/10 || len(compiled) < 6 {
		t.Errorf("only %d of %d programs were compiled: %v", all, *programs/2, compiled)
	}
}

// addFolds gives p a fold of its last value instead of outputs, and of values before it if they
// have as many lanes.
func addFolds(r *rand.Rand, p *jit.Program) bool {
	ops := []kernel.FoldOp{kernel.FoldSum, kernel.FoldSum, kernel.FoldSumSquares, kernel.FoldProd, kernel.FoldMin, kernel.FoldMax, kernel.FoldFMin, kernel.FoldFMax}
	p.Outputs, p.Stream = nil, false
	last := len(p.Inputs) + len(p.Scalars) + len(p.Ops) - 1
	lanes := 0
	for v := last; v >= max(0, last-r.IntN(3)); v-- {
		isScalar := v >= len(p.Inputs) && v < len(p.Inputs)+len(p.Scalars)
		op := ops[r.IntN(len(ops))]
		have := jit.FoldLanes(op, p.TypeOf(v))
		if isScalar || have == 0 || lanes > 0 && have != lanes {
			continue
		}
		lanes = have
		p.Folds = append(p.Folds, jit.Fold{Op: op, Value: v})
	}
	return lanes > 0
}

func compareFolds(t *testing.T, r *rand.Rand, p *jit.Program, code *jit.Code, arenas []arena) {
	t.Helper()
	lanes := jit.FoldLanes(p.Folds[0].Op, p.TypeOf(p.Folds[0].Value))
	n := r.IntN(8) * lanes
	constants := code.Constants(len(p.Scalars))
	args := []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(constants))}
	var inputs, scalars [][]byte
	for k, typ := range p.Inputs {
		b := arenas[k].last(n * typ.Size())
		jittest.Fill(r, b, typ)
		inputs, args = append(inputs, b), append(args, unsafe.Pointer(unsafe.SliceData(b)))
	}
	for k, typ := range p.Scalars {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&constants[k])), typ.Size())
		jittest.Fill(r, b, typ)
		scalars = append(scalars, append([]byte{}, b...))
	}
	values := p.Values(inputs, scalars, n)
	var got, want [][]byte
	for _, f := range p.Folds {
		typ := p.TypeOf(f.Value)
		acc, lost, wantAcc, wantLost := jittest.Aligned(8*lanes), jittest.Aligned(8*lanes), jittest.Aligned(8*lanes), jittest.Aligned(8*lanes)
		jittest.Fill(r, acc, f.Op.Accumulator(typ))
		copy(wantAcc, acc)
		if n > 0 {
			kernel.CallFold(kernel.GenericFold(f.Op, typ), unsafe.Pointer(&wantAcc[0]), unsafe.Pointer(&wantLost[0]), unsafe.Pointer(&values[f.Value][0]), lanes*typ.Size(), n/lanes, lanes)
		}
		got, want = append(got, acc, lost), append(want, wantAcc, wantLost)
		args = append(args, unsafe.Pointer(&acc[0]), unsafe.Pointer(&lost[0]))
	}
	code.Call(args, n)
	for k := range got {
		typ := dtype.Float64
		if f := p.Folds[k/2]; k%2 == 0 {
			typ = f.Op.Accumulator(p.TypeOf(f.Value))
		}
		for i := 0; i < len(got[k]); i += typ.Size() {
			if g, w := got[k][i:i+typ.Size()], want[k][i:i+typ.Size()]; !jittest.SameBits(typ, g, w) {
				t.Errorf("fold %d: accumulator %d of %v is %x, want %x", k/2, i/typ.Size(), typ, g, w)
				return
			}
		}
	}
}
