package machine_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
)

// A mixed is a random program of operations with machine code and of others, on float32s and
// float64s.
type mixed struct {
	r      *rand.Rand
	b      machine.Builder
	values []machine.Value

	inputs, outputs []dtype.Type
}

var (
	unaryOps  = []kernel.Op{kernel.Neg, kernel.Sqrt, kernel.Exp, kernel.Abs, kernel.Tan, kernel.Erf, kernel.Cbrt, kernel.Floor}
	binaryOps = []kernel.Op{kernel.Add, kernel.Sub, kernel.Mul, kernel.Div, kernel.Max, kernel.Atan2, kernel.Hypot, kernel.Fmod, kernel.Add, kernel.Mul}
)

// newMixed returns a program of some operations, whose outputs are the last value and others.
func newMixed(r *rand.Rand, operations, outputs int) *mixed {
	m := &mixed{r: r}
	for range 1 + r.IntN(4) {
		t := []dtype.Type{dtype.Float32, dtype.Float64}[r.IntN(2)]
		m.inputs, m.values = append(m.inputs, t), append(m.values, m.b.Input(t))
	}
	m.values = append(m.values, m.b.Const(dtype.ScalarOf(float32(1.5))), m.b.Const(dtype.ScalarOf(2.5)))
	for range operations {
		m.values = append(m.values, m.operation())
	}
	m.output(m.values[len(m.values)-1])
	for range outputs - 1 {
		m.output(m.any())
	}
	return m
}

func (m *mixed) output(v machine.Value) {
	m.b.Output(v)
	m.outputs = append(m.outputs, m.b.Type(v))
}

// any returns a value, more often one of the latest.
func (m *mixed) any() machine.Value {
	return m.values[max(m.r.IntN(len(m.values)), m.r.IntN(len(m.values)))]
}

func (m *mixed) like(v machine.Value) machine.Value {
	for range 10 {
		if u := m.any(); m.b.Type(u) == m.b.Type(v) {
			return u
		}
	}
	return v
}

func (m *mixed) operation() machine.Value {
	v := m.any()
	switch m.r.IntN(6) {
	case 0, 1:
		return m.b.Op(unaryOps[m.r.IntN(len(unaryOps))], v)
	case 2:
		return m.b.Op(kernel.Where, m.b.Op(kernel.Less, v, m.like(v)), v, m.like(v))
	case 3:
		if m.b.Type(v) == dtype.Float32 {
			return m.b.Convert(v, dtype.Float64)
		}
		return m.b.Convert(v, dtype.Float32)
	}
	return m.b.Op(binaryOps[m.r.IntN(len(binaryOps))], v, m.like(v))
}

// data returns elements of the inputs.
func (m *mixed) data(n int) [][]byte {
	data := make([][]byte, len(m.inputs))
	for k, typ := range m.inputs {
		data[k] = words(n * typ.Size())
		for i := range n {
			dtype.ScalarOf(m.r.NormFloat64() * 3).Convert(typ).Store(data[k][i*typ.Size():])
		}
	}
	return data
}

// words returns memory that is aligned to words.
func words(n int) []byte {
	w := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), n)
}

// run evaluates a program on n elements, block by block, with those of outputs step places from
// each other. The only output goes to where an input is if step is 0.
func (m *mixed) run(w func(inputs []machine.Input, targets []machine.Target) *machine.Worker, data [][]byte, n, step int) [][]byte {
	if step == 0 {
		data = slices.Clone(data)
		data[0] = append(words(len(data[0]))[:0], data[0]...)
	}
	inputs := make([]machine.Input, len(data))
	for k, b := range data {
		inputs[k] = machine.Input{Base: unsafe.Pointer(&b[0]), Inner: m.inputs[k].Size()}
	}
	targets, results := make([]machine.Target, len(m.outputs)), make([][]byte, len(m.outputs))
	for k, typ := range m.outputs {
		results[k] = words(n * max(step, 1) * typ.Size())
		if step == 0 {
			results[k] = data[0]
		}
		targets[k] = machine.Target{Base: unsafe.Pointer(&results[k][0]), Inner: max(step, 1) * typ.Size()}
	}
	worker := w(inputs, targets)
	at := make([]int, len(inputs)+len(targets))
	for first := 0; first < n; {
		cols := min(worker.BlockElems(), n-first)
		worker.Eval(at, 1, cols)
		first += cols
		for k := range inputs {
			at[k] += cols * inputs[k].Inner
		}
		for k := range targets {
			at[len(inputs)+k] += cols * targets[k].Inner
		}
	}
	return results
}

// TestParts compares programs of which some operations are machine code with those by kernels
// alone.
func TestParts(t *testing.T) {
	if jit.ISA() == "" {
		t.Skip("no machine code is made on this processor or system")
	}
	programs, split := 400, 0
	if testing.Short() {
		programs = 100
	}
	for seed := range programs {
		m := newMixed(rand.New(rand.NewPCG(7, uint64(seed))), 1+seed%70, 1+seed%3)
		p := m.b.Program()
		n, step := 1+m.r.IntN(5000), 1+m.r.IntN(2)
		if len(m.outputs) == 1 && m.outputs[0] == m.inputs[0] && m.r.IntN(2) == 0 {
			step = 0
		}
		data := m.data(n)
		var backend string
		got := m.run(func(inputs []machine.Input, targets []machine.Target) *machine.Worker {
			w := p.Native(machine.Always).NewWorker(inputs, targets)
			backend = w.Backend()
			return w
		}, data, n, step)
		if strings.Contains(backend, "by kernels") {
			split++
		}
		for k, want := range m.run(p.NewWorker, data, n, step) {
			if i := differs(m.outputs[k], got[k], want); i >= 0 {
				t.Fatalf("program %d by %s: output %d differs at element %d of %d, %d places apart:\n%v", seed, backend, k, i, n, step, p)
			}
		}
	}
	if split < programs/3 {
		t.Errorf("%d of %d programs were split", split, programs)
	}
}

// differs returns the first element that is not the same bits, nor NaN, in both; -1 if there is
// none.
func differs(typ dtype.Type, a, b []byte) int {
	for i := 0; i < len(a); i += typ.Size() {
		x, y := dtype.Load(typ, a[i:]), dtype.Load(typ, b[i:])
		if !bytes.Equal(a[i:i+typ.Size()], b[i:i+typ.Size()]) && (x.Float64() == x.Float64() || y.Float64() == y.Float64()) {
			return i / typ.Size()
		}
	}
	return -1
}

// TestPartsOfMany computes sums of more values than there are registers, and of more operands.
func TestPartsOfMany(t *testing.T) {
	if jit.ISA() == "" {
		t.Skip("no machine code is made on this processor or system")
	}
	for _, n := range []int{9, 40, 200} {
		m := &mixed{r: rand.New(rand.NewPCG(8, uint64(n)))}
		for range min(n, 12) {
			m.inputs, m.values = append(m.inputs, dtype.Float32), append(m.values, m.b.Input(dtype.Float32))
		}
		for range n {
			m.values = append(m.values, m.b.Op(kernel.Sqrt, m.b.Op(kernel.Abs, m.values[len(m.values)-min(n, 12)])))
		}
		sum := m.values[0]
		for _, v := range m.values[1:] {
			sum = m.b.Op(kernel.Max, sum, m.b.Op(kernel.Neg, v))
		}
		m.output(sum)
		p, data := m.b.Program(), m.data(3000)
		var backend string
		got := m.run(func(inputs []machine.Input, targets []machine.Target) *machine.Worker {
			w := p.Native(machine.Always).NewWorker(inputs, targets)
			backend = w.Backend()
			return w
		}, data, 3000, 1)
		if !strings.Contains(backend, " + ") || !strings.Contains(backend, ", 0 of ") {
			t.Errorf("%d values: %s, want machine code in parts", n, backend)
		}
		if i := differs(dtype.Float32, got[0], m.run(p.NewWorker, data, 3000, 1)[0]); i >= 0 {
			t.Errorf("%d values by %s: differs at element %d", n, backend, i)
		}
	}
}
