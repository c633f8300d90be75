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

// chains are expressions of which several operations become one kernel.
func chains() []expression {
	type V = machine.Value
	var list []expression
	add := func(name string, steps int, build func(c chain, x, y V) V, want func(x, y float32) float32) {
		list = append(list, expression{name, func(b *machine.Builder, x, y V) V { return build(chain{b}, x, y) }, want, steps})
	}
	add("polynomial of two", 3, func(c chain, x, y V) V {
		squares := c.add(c.mul(c.mul(c.num(2), x), x), c.mul(c.mul(c.num(3), x), y))
		return c.add(c.sub(squares, y), c.num(1.5))
	}, func(x, y float32) float32 {
		return float32(float32(float32(2*x)*x)+float32(float32(3*x)*y)) - y + 1.5
	})
	add("horner", 2, func(c chain, x, y V) V {
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
	add("quadratic", 2, func(c chain, x, y V) V {
		return c.add(c.add(c.mul(c.num(2), c.mul(x, x)), c.mul(c.num(3), x)), c.num(7))
	}, func(x, y float32) float32 { return float32(2*float32(x*x)) + float32(3*x) + 7 })
	add("sum of three", 1, func(c chain, x, y V) V { return c.add(c.add(x, y), c.num(3)) },
		func(x, y float32) float32 { return x + y + 3 })
	add("sum of three from the right", 1, func(c chain, x, y V) V { return c.add(c.num(3), c.add(x, y)) },
		func(x, y float32) float32 { return 3 + (x + y) })
	add("sum without one", 1, func(c chain, x, y V) V { return c.sub(c.add(c.num(3), x), y) },
		func(x, y float32) float32 { return 3 + x - y })
	add("difference with one", 1, func(c chain, x, y V) V { return c.add(c.sub(c.num(1), x), y) },
		func(x, y float32) float32 { return 1 - x + y })
	add("difference without one", 1, func(c chain, x, y V) V { return c.sub(c.sub(x, y), c.num(1)) },
		func(x, y float32) float32 { return x - y - 1 })
	add("five terms", 2, func(c chain, x, y V) V { return c.sub(c.sub(c.add(c.add(x, y), y), x), c.num(1)) },
		func(x, y float32) float32 { return x + y + y - x - 1 })
	add("weighted sum", 1, func(c chain, x, y V) V { return c.add(c.mul(c.num(0.3), x), c.mul(y, c.num(0.7))) },
		func(x, y float32) float32 { return float32(0.3*x) + float32(y*0.7) })
	add("weighted difference", 1, func(c chain, x, y V) V { return c.sub(c.mul(c.num(0.3), x), c.mul(c.num(0.7), y)) },
		func(x, y float32) float32 { return float32(0.3*x) - float32(0.7*y) })
	add("square and sum", 1, func(c chain, x, y V) V { return c.add(c.mul(x, x), y) },
		func(x, y float32) float32 { return float32(x*x) + y })
	add("interpolation", 1, func(c chain, x, y V) V { return c.add(x, c.mul(c.sub(y, x), c.num(0.25))) },
		func(x, y float32) float32 { return x + float32((y-x)*0.25) })
	add("normalisation", 1, func(c chain, x, y V) V { return c.div(c.sub(x, c.num(3)), c.num(7)) },
		func(x, y float32) float32 { return (x - 3) / 7 })
	add("scaling", 1, func(c chain, x, y V) V { return c.add(c.mul(c.sub(x, c.num(3)), c.num(7)), c.num(1)) },
		func(x, y float32) float32 { return float32((x-3)*7) + 1 })
	add("squared difference", 1, func(c chain, x, y V) V { d := c.sub(x, y); return c.mul(d, d) },
		func(x, y float32) float32 { return (x - y) * (x - y) })
	add("normalised difference", 1, func(c chain, x, y V) V { return c.div(c.sub(x, y), c.add(x, y)) },
		func(x, y float32) float32 { return (x - y) / (x + y) })
	add("normalised difference the other way", 1, func(c chain, x, y V) V { return c.div(c.sub(x, y), c.add(y, x)) },
		func(x, y float32) float32 { return (x - y) / (y + x) })
	add("distance", 3, func(c chain, x, y V) V {
		p, q := c.sub(x, c.num(2)), c.sub(y, c.num(5))
		return c.sqrt(c.add(c.mul(p, p), c.mul(q, q)))
	}, func(x, y float32) float32 {
		p, q := x-2, y-5
		return float32(math.Sqrt(float64(float32(p*p) + float32(q*q))))
	})
	add("shared difference", 2, func(c chain, x, y V) V { d := c.sub(x, y); return c.add(c.mul(d, x), d) },
		func(x, y float32) float32 { return float32((x-y)*x) + (x - y) })
	add("shared product", 2, func(c chain, x, y V) V { p := c.mul(x, y); return c.sub(c.add(p, x), p) },
		func(x, y float32) float32 { return float32(x*y) + x - float32(x*y) })
	add("exponential of a sum", 2, func(c chain, x, y V) V { return c.b.Op(kernel.Exp, c.add(c.mul(x, c.num(0.01)), y)) }, func(x, y float32) float32 {
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
