package devicecheck

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// residentSum measures the sum of a tensor that is on the device, as users compute it.
func (c *check) residentSum(t dtype.Type) error {
	n := c.scaled(int(min(4<<30, c.info.LimitBytes*3/4)), 1<<16) &^ (1<<16 - 1)
	e := &expression{text: "sum(a)", tensors: map[string]*view.Tensor{}}
	err := c.place(e, "a", t, n/t.Size())
	if err == nil {
		var s sample
		if s, err = c.measurePlan(e, nil); err == nil {
			f := s.rate(fmt.Sprintf("resident sum, %v", t), "GB/s", float64(n)/giga)
			f.Limit, f.LimitOf, f.Goal = c.deviceCopy/giga, "device copy", 0.5
			c.Report(judged(f))
		}
	}
	return errors.Join(err, e.close())
}

// residentProducts measures products of square matrices that are on the device, to another there.
func (c *check) residentProducts() error {
	for _, of := range []struct {
		t    dtype.Type
		fma  float64
		goal float64
	}{{dtype.Float32, 2 * c.known.Float32, 0.6}, {dtype.Float64, 2 * c.known.Float64, 0.7}} {
		edge := c.scaled(8192, 128) / 128 * 128
		size := of.t.Size()
		for int64(5*edge*edge*size) > c.info.LimitBytes { // the product has a tile of its own
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
	e := &expression{text: "a @ b", tensors: map[string]*view.Tensor{}}
	for _, name := range []string{"a", "b", "to"} {
		err = errors.Join(err, c.place(e, name, t, edge, edge))
	}
	if err == nil {
		var s sample
		s, err = c.measurePlan(e, e.tensors["to"])
		f = s.rate(fmt.Sprintf("resident product %d³, %v", edge, t), "TFLOP/s", 2*float64(edge)*float64(edge)*float64(edge)/1e12)
	}
	return f, errors.Join(err, e.close())
}

// place adds a tensor of random numbers that is on the device.
func (c *check) place(e *expression, name string, t dtype.Type, shape ...int) error {
	n := t.Size()
	for _, d := range shape {
		n *= d
	}
	st, err := mmapstore.WithAllocator(c.device, int64(n))
	if err != nil {
		return err
	}
	x, err := tensorOf(st, t, shape...)
	if err != nil {
		return err
	}
	e.tensors[name] = x
	return c.fill(x, len(e.tensors))
}

// fill writes random numbers.
func (c *check) fill(x *view.Tensor, seed int) error {
	pattern := c.floats(x.DType(), seed)
	for at := int64(0); at < x.NumBytes(); at += int64(len(pattern)) {
		n := min(int64(len(pattern)), x.NumBytes()-at)
		if _, err := x.Storage().WriteAt(pattern[:n], at); err != nil {
			return err
		}
	}
	return nil
}

// measurePlan measures the runs of an expression, whose result goes to a tensor if there is one.
func (c *check) measurePlan(e *expression, to *view.Tensor) (s sample, err error) {
	parsed, err := compute.Parse(e.text)
	if err != nil {
		return nil, err
	}
	p, err := compute.NewPlan(c.ctx, []compute.Statement{{Expr: parsed}}, e.env(), &compute.Options{Device: c.device})
	if err != nil {
		return nil, err
	}
	if to != nil {
		err = p.SetDst(0, to)
	}
	if err == nil {
		s, err = c.measure(func() error { return p.Run(c.ctx) })
	}
	return s, errors.Join(err, p.Close())
}
