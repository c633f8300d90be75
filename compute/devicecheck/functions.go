package devicecheck

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/kernel/kerneltest"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

// functions computes the functions of one float32 of all 2³² float32s, in blocks. Where the time is
// short, the blocks that were done lie everywhere among them.
func (c *check) functions() error {
	const most = 20 // bits of a block
	low := bits.Len(uint(c.scaled(1<<most, 1<<8))) - 1
	blocks := 1 << (32 - low)
	want := min(c.scaled(1<<(32-most), 4), blocks)
	ops := slices.Sorted(maps.Keys(kerneltest.Hashes))
	done, err := c.each(want, func(q *queue) (func(i int) error, error) {
		f, err := newFunctionRunner(q, ops, 1<<low)
		if err != nil {
			return nil, err
		}
		// An odd factor gives each block once.
		return func(i int) error { return f.run(uint32(i*0x9e3779b1&(blocks-1)) << low) }, nil
	})
	f := counted(fmt.Sprintf("%d functions of float32, per mille of 2³²", len(ops)), done, want, err)
	f.Value, f.Limit = 1000*f.Value/float64(blocks), 1000*f.Limit/float64(blocks)
	c.Report(f)
	return nil
}

// A functionRunner computes functions of blocks of consecutive float32s.
type functionRunner struct {
	queue   *queue
	ops     []kernel.Op
	modules []device.Module
	kernels []*ptx.Kernel
	x, want []float32
	in, out uint64
}

func newFunctionRunner(q *queue, ops []kernel.Op, elems int) (*functionRunner, error) {
	f := &functionRunner{queue: q, ops: ops, x: make([]float32, elems), want: make([]float32, elems)}
	for _, op := range ops {
		k, err := ptx.Compile(&jit.Program{
			Inputs: []dtype.Type{dtype.Float32}, Ops: []jit.Op{{Op: op, Operand: dtype.Float32, Result: dtype.Float32}}, Outputs: []int{1},
		}, nil)
		if err != nil {
			return nil, err
		}
		m, err := q.compile(k.Text)
		if err != nil {
			return nil, err
		}
		f.kernels, f.modules = append(f.kernels, k), append(f.modules, m)
	}
	var err error
	if f.in, err = q.Memory(int64(4 * elems)); err == nil {
		f.out, err = q.Memory(int64(4 * elems))
	}
	return f, err
}

// run compares all functions of the float32s from first on, as numbers of 32 bits.
func (f *functionRunner) run(first uint32) error {
	q, n := f.queue, len(f.x)
	for i := range f.x {
		f.x[i] = math.Float32frombits(first + uint32(i))
	}
	if err := q.write(f.in, bytesOf(f.x)); err != nil {
		return err
	}

	for i, op := range f.ops {
		if err := q.Launch(f.modules[i], line(ptx.Entry, f.kernels[i].Blocks(n), ptx.BlockThreads, f.in, f.out, uint64(n))); err != nil {
			return err
		}
		kernel.Call(kernel.Lookup(op, dtype.Float32, 0), unsafe.Pointer(&f.want[0]), unsafe.Pointer(&f.x[0]), nil, nil, n)
		got, err := q.read(f.out, 4*n)
		if err != nil {
			return err
		}
		if at, same := sameElements(dtype.Float32, got, bytesOf(f.want)); !same {
			return fmt.Errorf("%v of %v (%#x): %x, want %x", op, f.x[at], first+uint32(at), got[4*at:][:4], bytesOf(f.want)[4*at:][:4])
		}
	}
	return nil
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}
