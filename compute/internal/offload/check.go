package offload

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/dtype"
)

// A checker computes chunks of a Loop on the CPU as well, and compares all bits with those of the
// device, but for the payloads of NaNs.
type checker struct {
	worker  *worker
	types   []dtype.Type
	machine *machine.Worker
	inputs  []machine.Input // of the machine
	at      []int
	block   []byte // of a result that is one element for a whole block
	seen    int    // elements of the chunk
	chunk   int
}

// newChecker returns the checker of a worker; nil if nothing is checked: the CPU can't compute on what
// is on the device.
func newChecker(w *worker) *checker {
	l := w.loop
	if l.engine.CheckShare <= 0 || isResident(l.operands...) {
		return nil
	}
	c := &checker{worker: w, types: l.program.OutputTypes(), at: make([]int, len(l.nest.Strides))}
	for k, o := range l.all[:l.read] {
		c.inputs = append(c.inputs, machine.Input{Base: o.Base, Inner: l.nest.Inner(k), Fill: o.Fill})
	}
	c.machine = l.program.NewWorker(c.inputs, nil)
	return c
}

// check compares a chunk that the device has computed, if it is one of the share. c may be nil.
func (c *checker) check(chunk int) error {
	if c == nil || !c.worker.loop.engine.draws() {
		return nil
	}
	l := c.worker.loop
	for i := range c.worker.sources {
		c.inputs[l.numbers[i]].Base = c.worker.sources[i].Base
	}
	c.chunk, c.seen = chunk, 0
	return l.chunks.Boxes(chunk, &c.worker.box, c.box)
}

// box compares the elements of a box, row by row.
func (c *checker) box(b *plan.Box) error {
	nest := c.worker.loop.nest
	most := c.machine.BlockElems()
	for row := range b.Rows {
		for col := 0; col < b.Cols; col += most {
			for k := range c.at {
				c.at[k] = b.At[k] + row*nest.Outer(k) + col*nest.Inner(k)
			}
			for i := range c.worker.sources {
				k := c.worker.loop.numbers[i]
				c.at[k] = c.worker.sources[i].Offset(c.at[k])
			}
			n := min(most, b.Cols-col)
			c.machine.Eval(c.at, 1, n)
			if err := c.compare(n); err != nil {
				return err
			}
			c.seen += n
		}
	}
	return nil
}

// compare compares n elements of each output.
func (c *checker) compare(n int) error {
	w := c.worker
	for j, t := range c.types {
		p := w.loop.places[len(w.inputs)+j]
		got, want := w.slot.down[p.stage+c.seen*p.size:][:n*p.size], c.expected(j, n, p.size)
		err := w.loop.engine.compare(t, got, want, func(i int) string { return fmt.Sprintf("element %d of chunk %d", c.seen+i, c.chunk+1) })
		if err != nil {
			return err
		}
	}
	return nil
}

// expected returns n elements of an output that the machine has just computed.
func (c *checker) expected(output, n, size int) []byte {
	ptr, same := c.machine.Out(output)
	if same {
		if len(c.block) < n*size {
			c.block = make([]byte, n*size)
		}
		repeated := unsafe.Pointer(unsafe.SliceData(c.block))
		kernel.Gather(repeated, ptr, size, 0, n)
		ptr = repeated
	}
	return unsafe.Slice((*byte)(ptr), n*size)
}
