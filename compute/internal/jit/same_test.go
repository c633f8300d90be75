package jit_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
)

var (
	programs = flag.Int("programs", 4000, "how many random programs are compared")
	seed     = flag.Uint64("seed", 1, "where the random programs begin")
)

// needCode skips a test where no code is made.
func needCode(t testing.TB) {
	if jit.ISA() == "" {
		t.Skip("no machine code is made on this processor or system")
	}
}

// TestSameBits runs random programs and compares all they store with what the kernels in Go make,
// one after the other.
func TestSameBits(t *testing.T) {
	forEachISA(t, testSameBits)
}

// forEachISA runs a test for each instruction set that there is code for here.
func forEachISA(t *testing.T, test func(t *testing.T, isa string)) {
	needCode(t)
	for _, isa := range jit.ISAs() {
		t.Run(isa, func(t *testing.T) { test(t, isa) })
	}
}

func testSameBits(t *testing.T, isa string) {
	refused := map[string]int{}
	compiled := 0
	arenas := newArenas(t, 8)
	for i := range *programs {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		p := generator.Program(r)
		code, err := jit.CompileFor(isa, p)
		var unsupported *jit.UnsupportedError
		switch {
		case errors.As(err, &unsupported):
			refused[unsupported.What]++
			continue
		case err != nil:
			t.Fatal(err)
		}
		compiled++
		if err := compare(r, p, code, arenas); err != nil {
			t.Fatalf("program %d of seed %d: %v\n%s", i, *seed, err, jittest.List(p))
		}
		for jit.Mapped() > 900 {
			runtime.GC()
		}
	}
	t.Logf("%d programs compared", compiled)
	if compiled < *programs/2 {
		t.Errorf("%d of %d programs were compiled, want half of them at least; refused: %v", compiled, *programs, refused)
	}
	if testing.Verbose() {
		for what, n := range refused {
			t.Logf("refused %d: %s", n, what)
		}
	}
}

// compare runs a program once. Operands end where a page ends that is followed by one that can't be
// touched, or begin on a boundary of 64 bytes.
func compare(r *rand.Rand, p *jit.Program, code *jit.Code, arenas []arena) error {
	n := r.IntN(300)
	if r.IntN(3) == 0 {
		n = r.IntN(20)
	}
	if len(p.Inputs)+len(p.Outputs) > len(arenas) {
		return nil
	}
	constants := code.Constants(len(p.Scalars))
	args := []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(constants))}
	var inputs, scalars, outputs [][]byte
	for k, t := range p.Inputs {
		b := arenas[k].last(n * t.Size())
		if r.IntN(2) == 0 {
			b = arenas[k].first(n * t.Size())
		}
		jittest.Fill(r, b, t)
		inputs, args = append(inputs, b), append(args, unsafe.Pointer(unsafe.SliceData(b)))
	}
	for k, t := range p.Scalars {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&constants[k])), t.Size())
		jittest.Fill(r, b, t)
		scalars = append(scalars, append([]byte{}, b...))
	}
	for k, v := range p.Outputs {
		size := n * p.TypeOf(v).Size()
		a := arenas[len(p.Inputs)+k]
		b := a.last(size)
		if p.Stream || r.IntN(2) == 0 {
			b = a.first(size)
		}
		clear(b)
		outputs, args = append(outputs, b), append(args, unsafe.Pointer(unsafe.SliceData(b)))
	}
	values := p.Values(inputs, scalars, n)
	// One output may lie where an input of its size was.
	if into := r.IntN(len(p.Inputs)); len(outputs) == 1 && r.IntN(4) == 0 && !p.Stream && len(inputs[into]) == len(outputs[0]) {
		values = p.Values(copies(inputs), scalars, n)
		outputs[0], args[len(args)-1] = inputs[into], args[1+into]
	}
	code.Call(args, n)
	for k, v := range p.Outputs {
		t := p.TypeOf(v)
		size := t.Size()
		for i := range n {
			got, want := outputs[k][i*size:][:size], values[v][i*size:][:size]
			if !jittest.SameBits(t, got, want) {
				return fmt.Errorf("output %d, element %d of %d: %x, want %x (%v); of %s", k, i, n, got, want, t, jittest.OperandsAt(p, inputs, scalars, i))
			}
		}
	}
	return nil
}

func copies(all [][]byte) [][]byte {
	var out [][]byte
	for _, b := range all {
		out = append(out, append(jittest.Aligned(len(b))[:0], b...))
	}
	return out
}
