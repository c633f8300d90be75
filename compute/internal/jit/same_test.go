package jit_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
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
		p := randomProgram(r)
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
			t.Fatalf("program %d of seed %d: %v\n%s", i, *seed, err, list(p))
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
		fill(r, b, t)
		inputs, args = append(inputs, b), append(args, unsafe.Pointer(unsafe.SliceData(b)))
	}
	for k, t := range p.Scalars {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&constants[k])), t.Size())
		fill(r, b, t)
		scalars = append(scalars, append([]byte{}, b...))
	}
	for k, v := range p.Outputs {
		size := n * typeOf(p, v).Size()
		a := arenas[len(p.Inputs)+k]
		b := a.last(size)
		if p.Stream || r.IntN(2) == 0 {
			b = a.first(size)
		}
		clear(b)
		outputs, args = append(outputs, b), append(args, unsafe.Pointer(unsafe.SliceData(b)))
	}
	values := reference(p, inputs, scalars, n)
	// One output may lie where an input of its size was.
	if into := r.IntN(len(p.Inputs)); len(outputs) == 1 && r.IntN(4) == 0 && !p.Stream && len(inputs[into]) == len(outputs[0]) {
		values = reference(p, copies(inputs), scalars, n)
		outputs[0], args[len(args)-1] = inputs[into], args[1+into]
	}
	code.Call(args, n)
	for k, v := range p.Outputs {
		t := typeOf(p, v)
		size := t.Size()
		for i := range n {
			got, want := outputs[k][i*size:][:size], values[v][i*size:][:size]
			if !sameBits(t, got, want) {
				return fmt.Errorf("output %d, element %d of %d: %x, want %x (%v); of %s", k, i, n, got, want, t, operandsAt(p, inputs, scalars, i))
			}
		}
	}
	return nil
}

func copies(all [][]byte) [][]byte {
	var out [][]byte
	for _, b := range all {
		out = append(out, append(aligned(len(b))[:0], b...))
	}
	return out
}

// operandsAt prints the operands of one element.
func operandsAt(p *jit.Program, inputs, scalars [][]byte, i int) string {
	var text strings.Builder
	for k, t := range p.Inputs {
		fmt.Fprintf(&text, " %x", inputs[k][i*t.Size():][:t.Size()])
	}
	for _, s := range scalars {
		fmt.Fprintf(&text, " scalar %x", s)
	}
	return text.String()
}

// list prints a program.
func list(p *jit.Program) string {
	var text strings.Builder
	fmt.Fprintf(&text, "inputs %v, scalars %v\n", p.Inputs, p.Scalars)
	for i, o := range p.Ops {
		name := fmt.Sprint(o.Op)
		if o.Op == kernel.Invalid {
			name = "convert"
		}
		fmt.Fprintf(&text, "v%d %v = %s(%v) %v\n", len(p.Inputs)+len(p.Scalars)+i, o.Result, name, o.Operand, o.Args)
	}
	fmt.Fprintf(&text, "outputs %v, stream %v", p.Outputs, p.Stream)
	return text.String()
}
