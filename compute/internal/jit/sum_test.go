package jit_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
)

// TestSums adds up values of random programs and compares the accumulators with those of the folds in Go.
func TestSums(t *testing.T) {
	forEachISA(t, testSums)
}

func testSums(t *testing.T, isa string) {
	arenas := newArenas(t, 8)
	compiled := 0
	for i := range *programs / 2 {
		r := rand.New(rand.NewPCG(*seed+1000, uint64(i)))
		p := randomProgram(r)
		p.Outputs, p.Stream = nil, false
		last := len(p.Inputs) + len(p.Scalars) + len(p.Ops) - 1
		for v := last; v >= max(0, last-r.IntN(3)); v-- {
			if v < len(p.Inputs) || v >= len(p.Inputs)+len(p.Scalars) {
				p.Sums = append(p.Sums, v)
			}
		}
		code, err := jit.CompileFor(isa, p)
		var unsupported *jit.UnsupportedError
		switch {
		case errors.As(err, &unsupported):
			continue
		case err != nil:
			t.Fatal(err)
		}
		compiled++
		compareSums(t, r, p, code, arenas)
		if t.Failed() {
			t.Fatalf("program %d of seed %d:\n%s, sums %v", i, *seed, list(p), p.Sums)
		}
		for jit.Mapped() > 900 {
			runtime.GC()
		}
	}
	t.Logf("%d programs compared", compiled)
	if compiled < *programs/50 {
		t.Errorf("only %d of %d programs were compiled", compiled, *programs/2)
	}
}

func compareSums(t *testing.T, r *rand.Rand, p *jit.Program, code *jit.Code, arenas []arena) {
	t.Helper()
	lanes := jit.SumLanes(typeOf(p, p.Sums[0]))
	n := r.IntN(8) * lanes
	constants := code.Constants(len(p.Scalars))
	args := []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(constants))}
	var inputs, scalars [][]byte
	for k, typ := range p.Inputs {
		b := arenas[k].last(n * typ.Size())
		fill(r, b, typ)
		inputs, args = append(inputs, b), append(args, unsafe.Pointer(unsafe.SliceData(b)))
	}
	for k, typ := range p.Scalars {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&constants[k])), typ.Size())
		fill(r, b, typ)
		scalars = append(scalars, append([]byte{}, b...))
	}
	values := reference(p, inputs, scalars, n)
	var got, want [][]float64
	for _, v := range p.Sums {
		acc, lost, wantAcc, wantLost := make([]float64, lanes), make([]float64, lanes), make([]float64, lanes), make([]float64, lanes)
		for i := range acc {
			acc[i] = float64(i)
			wantAcc[i] = acc[i]
		}
		typ := typeOf(p, v)
		if n > 0 {
			kernel.CallFold(kernel.GenericFold(kernel.FoldSum, typ), unsafe.Pointer(&wantAcc[0]), unsafe.Pointer(&wantLost[0]), unsafe.Pointer(&values[v][0]), lanes*typ.Size(), n/lanes, lanes)
		}
		got, want = append(got, acc, lost), append(want, wantAcc, wantLost)
		args = append(args, unsafe.Pointer(&acc[0]), unsafe.Pointer(&lost[0]))
	}
	code.Call(args, n)
	for k := range got {
		for i := range got[k] {
			if g, w := got[k][i], want[k][i]; math.Float64bits(g) != math.Float64bits(w) && (g == g || w == w) {
				t.Errorf("sum %d: accumulator %d is %v, want %v", k, i, g, w)
				return
			}
		}
	}
}
