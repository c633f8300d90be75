package ptx_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/ptxvm"
)

var (
	programs = flag.Int("programs", 0, "how many random programs are compared (default 500, with -long 2000)")
	seed     = flag.Uint64("seed", 1, "where the random programs begin")
)

// numPrograms is how many random programs a test runs.
func numPrograms() int {
	switch {
	case *programs > 0:
		return *programs
	case *long:
		return 2000
	case testing.Short():
		return 300
	}
	return 500
}

// generator makes programs of what there is GPU code for.
func generator() *jittest.Generator {
	return &jittest.Generator{
		Types: []dtype.Type{
			dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64, dtype.Uint32, dtype.Uint64, dtype.Bool, dtype.Float32, dtype.Float64,
			dtype.Float16, dtype.BFloat16, dtype.Float8E4M3FN, dtype.Float8E5M2,
			dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Complex64, dtype.Complex128,
		},
		Compiles: func(kernel.Op, dtype.Type) bool { return true },
	}
}

// compiles returns why there is no code for an operation.
func compiles(op kernel.Op, t dtype.Type) error {
	p := &jit.Program{Inputs: []dtype.Type{t, dtype.Bool}, Ops: []jit.Op{{Op: op, Operand: t, Result: kernel.ResultType(op, t)}}, Outputs: []int{2}}
	if op == kernel.Where {
		p.Ops[0].Args[0] = 1
	}
	_, err := ptx.Compile(p, nil)
	return err
}

// TestCoverage checks that there is code for every operation on every type.
func TestCoverage(t *testing.T) {
	for _, typ := range dtype.All() {
		for op := kernel.Copy; op < kernel.NumOps; op++ {
			if kernel.ResultType(op, typ) == dtype.Invalid {
				continue
			}
			if err := compiles(op, typ); err != nil {
				t.Errorf("%v of %v: %v", op, typ, err)
			}
		}
	}
}

// TestSameBits runs random programs and compares all they store with what the kernels in Go make,
// one after the other.
func TestSameBits(t *testing.T) {
	var wg sync.WaitGroup
	workers, all := runtime.GOMAXPROCS(0), numPrograms()
	for w := range workers {
		wg.Go(func() {
			for i := w; i < all && !t.Failed(); i += workers {
				r := rand.New(rand.NewPCG(*seed, uint64(i)))
				p := generator().Program(r)
				k, err := ptx.Compile(p, nil)
				var unsupported *ptx.UnsupportedError
				if errors.As(err, &unsupported) {
					continue
				}
				if err == nil {
					err = compare(r, p, k)
				}
				if err != nil {
					t.Errorf("program %d of seed %d: %v\n%s", i, *seed, err, jittest.List(p))
				}
			}
		})
	}
	wg.Wait()
}

// compare runs a program once, on random operands.
func compare(r *rand.Rand, p *jit.Program, k *ptx.Kernel) error {
	n := 1 + r.IntN(300)
	if r.IntN(8) == 0 {
		n = ptx.BlockThreads*k.PerThread + r.IntN(50)
	}
	var inputs, scalars [][]byte
	for _, t := range p.Inputs {
		b := jittest.Aligned(n * t.Size())
		jittest.Fill(r, b, t)
		inputs = append(inputs, b)
	}
	for _, t := range p.Scalars {
		b := jittest.Aligned(t.Size())
		jittest.Fill(r, b, t)
		scalars = append(scalars, b)
	}
	return compareOn(p, k, inputs, scalars, n)
}

// compareOn runs a program on n packed elements and compares its outputs with their meaning.
func compareOn(p *jit.Program, k *ptx.Kernel, inputs, scalars [][]byte, n int) error {
	var d ptxvm.Device
	var params []uint64
	for _, b := range inputs {
		buffer, err := upload(&d, b)
		if err != nil {
			return err
		}
		params = append(params, buffer.Address())
	}
	params = append(params, ptxtest.ScalarParams(scalars)...)
	var outputs []*ptxvm.Buffer
	for _, v := range p.Outputs {
		buffer, err := d.Alloc(n * p.TypeOf(v).Size())
		if err != nil {
			return err
		}
		outputs, params = append(outputs, buffer), append(params, buffer.Address())
	}

	if err := launch(&d, k, append(params, uint64(n)), n); err != nil {
		return err
	}
	values := p.Values(inputs, scalars, n)
	for j, v := range p.Outputs {
		t := p.TypeOf(v)
		got := make([]byte, n*t.Size())
		if err := outputs[j].Read(0, got); err != nil {
			return err
		}
		for i := range n {
			got, want := got[i*t.Size():][:t.Size()], values[v][i*t.Size():][:t.Size()]
			if !jittest.SameBits(t, got, want) {
				return fmt.Errorf("output %d, element %d of %d: %x, want %x (%v); of %s", j, i, n, got, want, t, jittest.OperandsAt(p, inputs, scalars, i))
			}
		}
	}
	return nil
}

// upload returns a buffer with some bytes.
func upload(d *ptxvm.Device, b []byte) (*ptxvm.Buffer, error) {
	buffer, err := d.Alloc(len(b))
	if err != nil {
		return nil, err
	}
	return buffer, buffer.Write(0, b)
}

// launch runs a kernel over n elements.
func launch(d *ptxvm.Device, k *ptx.Kernel, params []uint64, n int) error {
	return launchBlocks(d, k.Text, params, k.Blocks(n))
}

// launchBlocks runs the entry of a program in some blocks.
func launchBlocks(d *ptxvm.Device, text string, params []uint64, blocks int) error {
	return launchGrid(d, text, params, blocks, 1)
}

// launchGrid runs an entry over a grid of blocks.
func launchGrid(d *ptxvm.Device, text string, params []uint64, blocks, rows int) error {
	text = mutate(text)
	m, err := d.Load(text)
	if err == nil {
		l := &ptxvm.Launch{Grid: [3]int{blocks, rows, 1}, Block: [3]int{ptx.BlockThreads, 1, 1}, Params: params}
		err = m.Launch(context.Background(), ptx.Entry, l)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}
