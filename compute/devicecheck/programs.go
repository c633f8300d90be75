package devicecheck

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
	"github.com/tstore/tstore/dtype"
)

// programTypes are those of random programs.
var programTypes = []dtype.Type{
	dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64, dtype.Uint32, dtype.Uint64, dtype.Bool, dtype.Float32, dtype.Float64,
	dtype.Float16, dtype.BFloat16, dtype.Float8E4M3FN, dtype.Float8E5M2,
	dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Complex64, dtype.Complex128,
}

// generator makes programs of what there is GPU code for.
func generator() *jittest.Generator {
	return &jittest.Generator{Types: programTypes, Compiles: func(kernel.Op, dtype.Type) bool { return true }}
}

// referenceElems is how many elements the CPU computes at once.
const referenceElems = 1 << 13

// programs runs random programs, and compares all they store with what the kernels in Go make. The
// operands are on the device: a program begins somewhere in them.
func (c *check) programs() error {
	n, elems := c.scaled(5000, 40), c.scaled(1<<20, 1<<12)
	operands := map[dtype.Type][]byte{}
	for _, t := range programTypes {
		operands[t] = jittest.Aligned(2 * elems * t.Size())
		jittest.Fill(c.random("operands", int(t)), operands[t], t)
	}
	return c.queue(func(resident *queue) error {
		at := map[dtype.Type]uint64{}
		for t, b := range operands {
			var err error
			if at[t], err = resident.put(b); err != nil {
				return err
			}
		}
		done, err := c.each(n, func(q *queue) (func(i int) error, error) {
			p := &programRunner{queue: q, elems: elems, operands: operands, at: at}
			return func(i int) error { return p.run(c.random("programs", i), i) }, nil
		})
		c.Report(counted(fmt.Sprintf("random programs of %d elements", elems), done, n, err))
		return nil
	})
}

// A programRunner runs random programs.
type programRunner struct {
	queue    *queue
	elems    int
	operands map[dtype.Type][]byte
	at       map[dtype.Type]uint64 // where they are on the device
	outputs  []*room
}

// run makes program i, runs it, and compares its outputs.
func (p *programRunner) run(r *rand.Rand, i int) error {
	var program *jit.Program
	var k *ptx.Kernel
	for k == nil {
		program = generator().Program(r)
		var err error
		var unsupported *ptx.UnsupportedError
		if k, err = ptx.Compile(program, nil); err != nil && !errors.As(err, &unsupported) {
			return err
		}
	}
	if err := p.compare(r, program, k); err != nil {
		return fmt.Errorf("program %d of seed %d: %w\n%s", i, p.queue.check.Seed, err, jittest.List(program))
	}
	return nil
}

// compare runs a program and compares its outputs.
func (p *programRunner) compare(r *rand.Rand, program *jit.Program, k *ptx.Kernel) error {
	// Inputs begin at multiples of 16 elements, scalars are new.
	var params []uint64
	var inputs, scalars [][]byte
	for _, t := range program.Inputs {
		first := r.IntN(p.elems/16+1) * 16 * t.Size()
		inputs, params = append(inputs, p.operands[t][first:]), append(params, p.at[t]+uint64(first))
	}
	for _, t := range program.Scalars {
		b := jittest.Aligned(t.Size())
		jittest.Fill(r, b, t)
		scalars = append(scalars, b)
	}
	outputs, err := p.outputsOf(program)
	if err != nil {
		return err
	}

	q := p.queue
	params = append(append(append(params, ptxtest.ScalarParams(scalars)...), outputs...), uint64(p.elems))
	m, err := q.compile(k.Text)
	if err != nil {
		return err
	}
	if err := q.Launch(m, line(ptx.Entry, k.Blocks(p.elems), ptx.BlockThreads, params...)); err != nil {
		return err
	}
	for j, v := range program.Outputs {
		got, err := q.read(outputs[j], p.elems*program.TypeOf(v).Size())
		if err != nil {
			return err
		}
		if err := p.compareOutput(program, v, got, inputs, scalars); err != nil {
			return fmt.Errorf("output %d: %w", j, err)
		}
	}
	return q.drop()
}

// outputsOf returns where the outputs of a program go.
func (p *programRunner) outputsOf(program *jit.Program) (all []uint64, err error) {
	for j, v := range program.Outputs {
		if j == len(p.outputs) {
			p.outputs = append(p.outputs, &room{})
		}
		at, err := p.outputs[j].of(p.queue, p.elems*max(program.TypeOf(v).Size(), 8))
		if err != nil {
			return nil, err
		}
		all = append(all, at)
	}
	return all, nil
}

// compareOutput compares a value with what the kernels in Go make of the inputs.
func (p *programRunner) compareOutput(program *jit.Program, v int, got []byte, inputs, scalars [][]byte) error {
	t := program.TypeOf(v)
	for first := 0; first < p.elems; first += referenceElems {
		n := min(referenceElems, p.elems-first)
		part := make([][]byte, len(inputs))
		for k, of := range program.Inputs {
			part[k] = inputs[k][first*of.Size():][:n*of.Size()]
		}
		want := program.Values(part, scalars, n)[v]
		if at, same := sameElements(t, got[first*t.Size():][:n*t.Size()], want); !same {
			return fmt.Errorf("element %d of %d: %x, want %x (%v); of %s", first+at, p.elems,
				got[(first+at)*t.Size():][:t.Size()], want[at*t.Size():][:t.Size()], t, jittest.OperandsAt(program, part, scalars, at))
		}
	}
	return nil
}

// sameElements compares elements. at is the first that differs: NaNs are all the same.
func sameElements(t dtype.Type, got, want []byte) (at int, same bool) {
	if string(got) == string(want) {
		return 0, true
	}
	size := t.Size()
	for at := 0; at < len(want)/size; at++ {
		if !jittest.SameBits(t, got[at*size:][:size], want[at*size:][:size]) {
			return at, false
		}
	}
	return 0, true
}
