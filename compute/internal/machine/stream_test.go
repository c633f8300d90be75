package machine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
)

// TestStream compares results that are written past the caches with those that are not, by kernels
// and by machine code.
func TestStream(t *testing.T) {
	type (
		B = *machine.Builder
		V = machine.Value
	)
	for _, test := range []struct {
		name  string
		build func(b B, x, y V) V
	}{
		{"copy", func(b B, x, y V) V { return x }},
		{"constant", func(b B, x, y V) V { return b.Const(dtype.ScalarOf(float32(2))) }},
		{"sum", func(b B, x, y V) V { return b.Op(kernel.Add, x, y) }},
		{"sine", func(b B, x, y V) V { return b.Op(kernel.Sin, x) }},
		{"power of a constant", func(b B, x, y V) V { return b.Op(kernel.Pow, x, b.Const(dtype.ScalarOf(float32(1.5)))) }},
		{"comparison", func(b B, x, y V) V { return b.Op(kernel.Less, x, y) }},
		{"to int8", func(b B, x, y V) V { return b.Convert(x, dtype.Int8) }},
		{"to float16", func(b B, x, y V) V {
			return b.Convert(b.Op(kernel.RoundFloat16, b.Op(kernel.Add, x, y)), dtype.Float16)
		}},
		{"to float64", func(b B, x, y V) V { return b.Convert(x, dtype.Float64) }},
		{"to complex128", func(b B, x, y V) V { return b.Convert(x, dtype.Complex128) }},
		{"several", func(b B, x, y V) V { return b.Op(kernel.Sub, b.Op(kernel.Mul, x, y), b.Op(kernel.Sin, x)) }},
	} {
		for _, skew := range []int{0, 1} { // elements past a boundary that stores past the caches need
			t.Run(fmt.Sprintf("%s/%d", test.name, skew), func(t *testing.T) {
				m := &mixed{r: rand.New(rand.NewPCG(9, 1)), inputs: []dtype.Type{dtype.Float32, dtype.Float32}}
				v := test.build(&m.b, m.b.Input(dtype.Float32), m.b.Input(dtype.Float32))
				typ := m.b.Type(v)
				m.b.Output(v)
				p, data := m.b.Program(), m.data(10_000)
				want := streamed(p.Kernels(), data, typ, skew, false)
				for _, q := range []*machine.Program{p.Kernels(), p.Native(machine.Always)} {
					if got := streamed(q, data, typ, skew, true); !bytes.Equal(got, want) {
						t.Errorf("results differ at byte %d", differs(dtype.Uint8, got, want))
					}
				}
			})
		}
	}
}

// streamed returns what a program of two inputs of float32 and one output makes of them. It is
// written skew elements past a boundary of 64 bytes.
func streamed(p *machine.Program, data [][]byte, typ dtype.Type, skew int, past bool) []byte {
	size := typ.Size()
	n := len(data[0]) / 4
	room := words((n+skew)*size + 64)
	first := -uintptr(unsafe.Pointer(&room[0]))%64 + uintptr(skew*size)
	out := room[first:][:n*size]
	w := p.NewWorker([]machine.Input{{Base: unsafe.Pointer(&data[0][0]), Inner: 4}, {Base: unsafe.Pointer(&data[1][0]), Inner: 4}},
		[]machine.Target{{Base: unsafe.Pointer(&out[0]), Inner: size, Stream: past}})
	for done := 0; done < n; {
		cols := min(w.BlockElems(), n-done)
		w.Eval([]int{4 * done, 4 * done, size * done}, 1, cols)
		done += cols
	}
	return out
}

// TestStreamedOne checks that machine code does a single operation whose results go past the
// caches.
func TestStreamedOne(t *testing.T) {
	if jit.ISA() == "" {
		t.Skip("no machine code is made on this processor or system")
	}
	var b machine.Builder
	b.Output(b.Op(kernel.Neg, b.Input(dtype.Float32)))
	p := b.Program().Native(1 << 20)
	for _, test := range []struct {
		past bool
		want string
	}{{false, "one kernel does it"}, {true, "bytes of machine code"}} {
		x := make([]float32, 1)
		w := p.NewWorker([]machine.Input{{Base: unsafe.Pointer(&x[0]), Inner: 4}}, []machine.Target{{Base: unsafe.Pointer(&x[0]), Inner: 4, Stream: test.past}})
		if got := w.Backend(); !strings.Contains(got, test.want) {
			t.Errorf("past the caches %t: %s, want %s", test.past, got, test.want)
		}
	}
}
