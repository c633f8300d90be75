package offload

import (
	"context"
	"time"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/dtype"
)

// productShare is the part of the rate of arithmetic that products are expected to have.
const productShare = 0.6

// wideProduct is how many instructions a product of int64 is: devices multiply 32 bits.
const wideProduct = 8

// ChooseProduct makes the choice for a product, of which nothing is computed for it: the time of the
// CPU is that of a small product, for each number. It returns nil where there is none, and the CPU
// multiplies.
func (e *Engine) ChooseProduct(ctx context.Context, s gemm.Spec) *Choice {
	if e.failed != nil || s.K == 0 {
		return nil
	}
	operands := gemm.NewPanels(s)
	p := &Product{engine: e, spec: s, operands: operands, cutting: newCutting(operands)}
	numbers := float64(p.m) * float64(p.n) * float64(p.k) * float64(p.matrices)
	if numbers < e.Auto.Numbers {
		return nil
	}

	c := &Choice{engine: e, elems: 1}
	cpu := seconds(numbers * e.Auto.product(e.workers, p.operands.Type()))
	if cpu < e.Auto.Worth {
		c.stay("the CPU takes " + brief(cpu).String() + " for all")
		return c
	}
	rows, cols := p.sides(p.edge())
	p.set(rows, cols, e.slots, e.staging/int64(e.slots))
	c.compare(ctx, p.work(numbers), 1, cpu)
	return c
}

// work returns what a device has to do for so many products of numbers: for each tile it is sent
// panels of both operands.
func (p *Product) work(numbers float64) Work {
	tiles := float64(p.tiles())
	w := Work{In: tiles * float64(p.k) * float64(p.stepBytes()), Out: tiles * float64(p.tileBytes())}
	switch numbers /= productShare; p.operands.Type() {
	case dtype.Float64:
		w.Float64 = numbers
	case dtype.Int64:
		w.Float32 = wideProduct * numbers
	default:
		w.Float32 = numbers
	}
	return w
}

// probeSide is the side of the matrices whose product is timed. It takes about a millisecond.
const probeSide = 384

// product returns how many seconds some workers of the CPU take for a product of numbers of a type.
func (a *Auto) product(workers int, t dtype.Type) float64 {
	if each, known := a.products[t]; known {
		return each
	}
	row := probeSide * t.Size()
	matrix := func() gemm.Operand {
		return gemm.Operand{Base: unsafe.Pointer(unsafe.SliceData(make([]byte, probeSide*row))), Type: t, Row: row, Col: t.Size()}
	}
	spec := gemm.Spec{M: probeSide, N: probeSide, K: probeSide, A: matrix(), B: matrix(), C: matrix(), Workers: workers, Buffers: 1 << 20}

	best := time.Duration(0)
	for range 3 {
		start := a.Now()
		job := gemm.New(spec)
		_ = exec.Run(context.Background(), job, exec.Options{Parallelism: workers}) // it touches no file
		_ = job.Close()
		if took := max(a.Now().Sub(start), 1); best == 0 || took < best {
			best = took
		}
	}

	if a.products == nil {
		a.products = map[dtype.Type]float64{}
	}
	a.products[t] = best.Seconds() / (probeSide * probeSide * probeSide)
	return a.products[t]
}
