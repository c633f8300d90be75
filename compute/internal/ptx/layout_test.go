package ptx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/ptxvm"
)

// TestLayouts runs random programs on operands of all layouts and compares what they store with
// what the kernels in Go make of the same elements, packed.
func TestLayouts(t *testing.T) {
	for i := range max(numPrograms()/10, 1) {
		r := rand.New(rand.NewPCG(*seed, 1<<32|uint64(i)))
		c := newLayoutCase(r, generator().Program(r))
		if err := c.compare(r); err != nil {
			t.Fatalf("program %d of seed %d, %+v, cols %d, dims %v: %v\n%s", i, *seed, c.layouts, c.cols, c.dims, err, jittest.List(c.program))
		}
	}
}

// A layoutCase is a program, and how its operands lie.
type layoutCase struct {
	program *jit.Program
	layouts *ptx.Layouts
	cols    int
	dims    []int
	n       int
	device  ptxvm.Device
}

func newLayoutCase(r *rand.Rand, p *jit.Program) *layoutCase {
	c := &layoutCase{program: p, layouts: &ptx.Layouts{Rank: 1 + r.IntN(4)}, cols: 1 + r.IntN(20), n: 1}
	if r.IntN(8) == 0 {
		c.layouts.Rank = ptx.MaxRank
	}
	for range c.layouts.Rank {
		c.dims = append(c.dims, 1+r.IntN(max(2, 12/c.layouts.Rank)))
		c.n *= c.dims[len(c.dims)-1]
	}
	for range p.Inputs {
		c.layouts.Inputs = append(c.layouts.Inputs, ptx.Layout(r.IntN(4)))
	}
	for range p.Outputs {
		c.layouts.Outputs = append(c.layouts.Outputs, []ptx.Layout{ptx.Packed, ptx.Strided}[r.IntN(2)])
	}
	return c
}

// An operand is a buffer, and where in it each element is.
type operand struct {
	bytes   []byte
	at      []int // the bytes of each element
	first   int   // the byte that the parameter points to
	strides []int
}

// operand returns room for an operand. Elements of one that is strided lie apart, in any order of
// the axes, in either direction.
func (c *layoutCase) operand(r *rand.Rand, l ptx.Layout, t dtype.Type) operand {
	size := t.Size()
	o := operand{}
	if l != ptx.Packed { // which alone begin at multiples of 16 bytes
		o.first = r.IntN(3) * partsOf(t)[0].Size()
	}
	end := 0
	place := func(at int) {
		o.at = append(o.at, at)
		end = max(end, at+size)
	}

	if l == ptx.Strided {
		o.strides = make([]int, len(c.dims))
		step := size * (1 + r.IntN(2))
		for _, axis := range r.Perm(len(c.dims)) {
			o.strides[axis] = step
			if step *= c.dims[axis]; r.IntN(3) == 0 {
				o.first += step - o.strides[axis]
				o.strides[axis] = -o.strides[axis]
			}
		}
	}

	for i := range c.n {
		switch l {
		case ptx.Packed:
			place(i * size)
		case ptx.PerColumn:
			place(o.first + i%c.cols*size)
		case ptx.PerRow:
			place(o.first + i/c.cols*size)
		case ptx.Strided:
			at, left := o.first, i
			for axis, dim := range slices.Backward(c.dims) {
				at += left % dim * o.strides[axis]
				left /= dim
			}
			place(at)
		}
	}
	o.bytes = jittest.Aligned((end + size - 1) / size * size)
	return o
}

// packed returns the elements of an operand one after the other.
func (o *operand) packed(size int) []byte {
	b := jittest.Aligned(len(o.at) * size)[:0]
	for _, at := range o.at {
		b = append(b, o.bytes[at:at+size]...)
	}
	return b
}

func (c *layoutCase) compare(r *rand.Rand) error {
	p := c.program
	k, err := ptx.Compile(p, c.layouts)
	if _, unsupported := err.(*ptx.UnsupportedError); unsupported {
		return nil
	}

	var params, strides []uint64
	var inputs, scalars [][]byte
	add := func(o operand, b *ptxvm.Buffer) {
		params = append(params, b.Address()+uint64(o.first))
		for _, s := range o.strides {
			strides = append(strides, uint64(s))
		}
	}

	for j, t := range p.Inputs {
		o := c.operand(r, c.layouts.Inputs[j], t)
		jittest.Fill(r, o.bytes, t)
		b, err := upload(&c.device, o.bytes)
		if err != nil {
			return err
		}
		add(o, b)
		inputs = append(inputs, o.packed(t.Size()))
	}
	for _, t := range p.Scalars {
		b := jittest.Aligned(t.Size())
		jittest.Fill(r, b, t)
		scalars = append(scalars, b)
	}
	params = append(params, ptxtest.ScalarParams(scalars)...)
	var outputs []operand
	var buffers []*ptxvm.Buffer
	for j, v := range p.Outputs {
		o := c.operand(r, c.layouts.Outputs[j], p.TypeOf(v))
		b, err := upload(&c.device, o.bytes)
		if err != nil {
			return err
		}
		add(o, b)
		outputs, buffers = append(outputs, o), append(buffers, b)
	}

	params = append(params, uint64(c.n))
	if slices.Contains(c.layouts.Inputs, ptx.PerColumn) || slices.Contains(c.layouts.Inputs, ptx.PerRow) {
		params = append(params, uint64(c.cols))
	}
	if len(strides) > 0 {
		for _, dim := range c.dims {
			params = append(params, uint64(dim))
		}
	}
	if err := launch(&c.device, k, append(params, strides...), c.n); err != nil {
		return err
	}

	values := p.Values(inputs, scalars, c.n)
	for j, v := range p.Outputs {
		t := p.TypeOf(v)
		if err := buffers[j].Read(0, outputs[j].bytes); err != nil {
			return err
		}
		got := outputs[j].packed(t.Size())
		for i := range c.n {
			got, want := got[i*t.Size():][:t.Size()], values[v][i*t.Size():][:t.Size()]
			if !jittest.SameBits(t, got, want) {
				return fmt.Errorf("output %d, element %d of %d: %x, want %x (%v)", j, i, c.n, got, want, t)
			}
		}
	}
	return nil
}
