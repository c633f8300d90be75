package devicecheck

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
	"github.com/tstore/tstore/dtype"
)

// resident measures programs and sums on operands that are on the device.
func (c *check) resident() error {
	f32, f64, i8 := dtype.Float32, dtype.Float64, dtype.Int8
	for _, p := range []struct {
		name string
		t    dtype.Type
		ops  []jit.Op
	}{
		{"resident sqrt(a*a + b*b), float32", f32, []jit.Op{
			{Op: kernel.Mul, Operand: f32, Result: f32, Args: [3]int{0, 0}}, {Op: kernel.Mul, Operand: f32, Result: f32, Args: [3]int{1, 1}},
			{Op: kernel.Add, Operand: f32, Result: f32, Args: [3]int{2, 3}}, {Op: kernel.Sqrt, Operand: f32, Result: f32, Args: [3]int{4}},
		}},
		{"resident a + b, float64", f64, []jit.Op{{Op: kernel.Add, Operand: f64, Result: f64, Args: [3]int{0, 1}}}},
		{"resident a + b, int8", i8, []jit.Op{{Op: kernel.Add, Operand: i8, Result: i8, Args: [3]int{0, 1}}}},
	} {
		program := &jit.Program{Inputs: []dtype.Type{p.t, p.t}, Ops: p.ops, Outputs: []int{1 + len(p.ops)}}
		if err := c.residentProgram(p.name, program, p.t); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	for _, t := range []dtype.Type{f32, f64} {
		if err := c.residentSum(t); err != nil {
			return fmt.Errorf("resident sum of %v: %w", t, err)
		}
	}
	return nil
}

// residentProgram measures a program of two operands and a result of one type.
func (c *check) residentProgram(name string, p *jit.Program, t dtype.Type) error {
	n := c.scaled(int(min(1<<30, c.info.LimitBytes/4)), 1<<16) &^ 255
	k, err := ptx.Compile(p, nil)
	if err != nil {
		return err
	}
	return c.queue(func(q *queue) error {
		m, err := q.compile(k.Text)
		if err != nil {
			return err
		}
		a, err1 := q.Memory(int64(n))
		b, err2 := q.Memory(int64(n))
		out, err3 := q.Memory(int64(n))
		if err := errors.Join(err1, err2, err3, q.fill(a, n, nil), q.fill(b, n, nil)); err != nil {
			return err
		}
		elems := n / t.Size()
		s, err := c.measure(func() error {
			return errors.Join(q.Launch(m, line(ptx.Entry, k.Blocks(elems), ptx.BlockThreads, a, b, out, uint64(elems))), q.wait())
		})
		f := s.rate(name, "GB/s", 3*float64(n)/giga)
		f.Limit, f.LimitOf, f.Goal = c.deviceCopy/giga, "device copy", 0.85
		c.Report(judged(f))
		return err
	})
}

// sumLanes is how many accumulators a box of residentSum has.
const sumLanes = 32

// residentSum measures the sums of boxes of several lengths, and reports the fastest.
func (c *check) residentSum(t dtype.Type) error {
	n := c.scaled(int(min(4<<30, c.info.LimitBytes*3/4)), 1<<16) &^ (1<<16 - 1)
	k, err := ptx.CompileFolds(&jit.Program{Inputs: []dtype.Type{t}, Folds: []jit.Fold{{Op: kernel.FoldSum}}}, nil, false)
	if err != nil {
		return err
	}
	return c.queue(func(q *queue) error {
		m, err := q.compile(k.Text)
		if err != nil {
			return err
		}
		a, err := q.Memory(int64(n))
		if err != nil {
			return err
		}
		if err := q.fill(a, n, c.floats(t, 0)); err != nil {
			return err
		}

		best := Figure{}
		elems := n / t.Size()
		for box := sumLanes * 128; box <= sumLanes*2048; box *= 4 {
			params, boxes, err := q.sumBoxes(elems, box)
			if err != nil {
				return err
			}
			l := line(ptx.Entry, boxes, ptx.BlockThreads, append([]uint64{a}, params...)...)
			s, err := c.measure(func() error { return errors.Join(q.Launch(m, l), q.wait()) })
			if err != nil {
				return err
			}
			if f := s.rate(fmt.Sprintf("resident sum, %v", t), "GB/s", float64(n)/giga); f.Value > best.Value {
				best = f
				best.Note = fmt.Sprintf("boxes of %d elements", box)
			}
		}
		best.Limit, best.LimitOf, best.Goal = c.deviceCopy/giga, "device copy", 0.5
		c.Report(judged(best))
		return nil
	})
}

// sumBoxes returns the parameters of a sum behind its input, as ptx.FoldKernel has them: a box is one
// segment, and all sums begin with 0.
func (q *queue) sumBoxes(elems, box int) (params []uint64, boxes int, err error) {
	boxes = (elems + box - 1) / box
	var table, segments []uint64
	for b := range uint64(boxes) {
		table = append(table, b, b+1, b, 0)
		segments = append(segments, b*uint64(box), min((b+1)*uint64(box), uint64(elems)))
	}
	zeros := make([]byte, 8*sumLanes*boxes)
	sums, err1 := q.put(zeros)
	lost, err2 := q.put(zeros)
	atTable, err3 := q.put(bytesOf(table))
	atSegments, err4 := q.put(bytesOf(segments))
	return []uint64{sums, lost, sumLanes, atTable, atSegments}, boxes, errors.Join(err1, err2, err3, err4)
}

// residentProducts measures products of square matrices that are on the device.
func (c *check) residentProducts() error {
	for _, of := range []struct {
		t    dtype.Type
		fma  float64
		goal float64
	}{{dtype.Float32, 2 * c.known.Float32, 0.6}, {dtype.Float64, 2 * c.known.Float64, 0.7}} {
		edge := c.scaled(8192, 128) / 128 * 128
		size := of.t.Size()
		for int64(3*edge*edge*size) > c.info.LimitBytes {
			edge /= 2
		}
		f, err := c.residentProduct(of.t, edge)
		if err != nil {
			return err
		}
		f.Limit, f.LimitOf, f.Goal = of.fma/1e12, "FMA rate", of.goal
		c.Report(judged(f))
		if of.t == dtype.Float32 {
			c.product32 = f.Value * 1e12
		}
	}
	return nil
}

// residentProduct measures one.
func (c *check) residentProduct(t dtype.Type, edge int) (f Figure, err error) {
	row := edge * t.Size()
	pattern := c.floats(t, 0)
	err = c.queue(func(q *queue) error {
		m, err := q.compile(ptx.ProductText(t, c.info.Major >= 8))
		if err != nil {
			return err
		}
		n := edge * row
		a, err1 := q.Memory(int64(n))
		b, err2 := q.Memory(int64(n))
		out, err3 := q.Memory(int64(n))
		if err := errors.Join(err1, err2, err3, q.fill(a, n, pattern), q.fill(b, n, pattern)); err != nil {
			return err
		}
		s, err := c.measure(func() error {
			return errors.Join(q.Launch(m, productLaunch(&ptxtest.Product{Type: t, M: edge, N: edge, K: edge, RowA: row, RowB: row}, a, b, out)), q.wait())
		})
		f = s.rate(fmt.Sprintf("resident product %d³, %v", edge, t), "TFLOP/s", 2*float64(edge)*float64(edge)*float64(edge)/1e12)
		return err
	})
	return f, err
}
