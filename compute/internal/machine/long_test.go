package machine_test

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
)

// A chain writes operations one after another.
type chain struct{ b *machine.Builder }

func (c chain) add(x, y machine.Value) machine.Value { return c.b.Op(kernel.Add, x, y) }
func (c chain) sub(x, y machine.Value) machine.Value { return c.b.Op(kernel.Sub, x, y) }
func (c chain) mul(x, y machine.Value) machine.Value { return c.b.Op(kernel.Mul, x, y) }
func (c chain) div(x, y machine.Value) machine.Value { return c.b.Op(kernel.Div, x, y) }
func (c chain) sqrt(x machine.Value) machine.Value   { return c.b.Op(kernel.Sqrt, x) }
func (c chain) num(v float32) machine.Value          { return c.b.Const(dtype.ScalarOf(v)) }

// longExpressions are of several operations on values that some of them share.
func longExpressions() []expression {
	type V = machine.Value
	var list []expression
	add := func(name string, steps int, build func(c chain, x, y V) V, want func(x, y float32) float32) {
		list = append(list, expression{name, func(b *machine.Builder, x, y V) V { return build(chain{b}, x, y) }, want, steps})
	}
	add("polynomial of two", 7, func(c chain, x, y V) V {
		squares := c.add(c.mul(c.mul(c.num(2), x), x), c.mul(c.mul(c.num(3), x), y))
		return c.add(c.sub(squares, y), c.num(1.5))
	}, func(x, y float32) float32 {
		return float32(float32(float32(2*x)*x)+float32(float32(3*x)*y)) - y + 1.5
	})
	add("horner", 8, func(c chain, x, y V) V {
		v := c.num(0.25)
		for k := range 4 {
			v = c.add(c.mul(v, x), c.num(float32(k)))
		}
		return v
	}, func(x, y float32) float32 {
		v := float32(0.25)
		for k := range 4 {
			v = float32(v*x) + float32(k)
		}
		return v
	})
	add("normalised difference", 3, func(c chain, x, y V) V { return c.div(c.sub(x, y), c.add(x, y)) },
		func(x, y float32) float32 { return (x - y) / (x + y) })
	add("distance", 6, func(c chain, x, y V) V {
		p, q := c.sub(x, c.num(2)), c.sub(y, c.num(5))
		return c.sqrt(c.add(c.mul(p, p), c.mul(q, q)))
	}, func(x, y float32) float32 {
		p, q := x-2, y-5
		return float32(math.Sqrt(float64(float32(p*p) + float32(q*q))))
	})
	add("shared difference", 3, func(c chain, x, y V) V { d := c.sub(x, y); return c.add(c.mul(d, x), d) },
		func(x, y float32) float32 { return float32((x-y)*x) + (x - y) })
	add("exponential of a sum", 3, func(c chain, x, y V) V { return c.b.Op(kernel.Exp, c.add(c.mul(x, c.num(0.01)), y)) }, func(x, y float32) float32 {
		return expOf(float32(x*0.01) + y)
	})
	return list
}

// expOf returns what the exponential is in Go.
func expOf(x float32) float32 {
	var y float32
	kernel.Generic(kernel.Exp, dtype.Float32, 0)(unsafe.Pointer(&y), unsafe.Pointer(&x), nil, nil, nil, 1)
	return y
}
