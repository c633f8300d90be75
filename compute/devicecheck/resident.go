package devicecheck

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
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
