package ptx

import (
	"github.com/tstore/tstore/dtype"
)

// widen converts a float of 8 or 16 bits to float32, exactly.
func (c *compiler) widen(v value) value {
	switch v.typ {
	case dtype.Float16:
		half := c.emit("b16", "cvt.u16.u32", v.one())
		return of(dtype.Float32, c.emit("f32", "cvt.f32.f16", half))
	case dtype.BFloat16:
		return of(dtype.Float32, c.emit("f32", "mov.b32", c.emit("b32", "shl.b32", v.one(), "16")))
	}
	return c.function(functions()["From "+v.typ.String()], dtype.Float32, []value{v})
}

// round converts to a float of 8 or 16 bits, rounded once: from float32, or from float64, which
// holds what all other types but the integers of 64 bits do.
func (c *compiler) round(v value, to dtype.Type) value {
	switch {
	case v.typ == dtype.Float32 && to == dtype.Float16:
		return c.half("f32", v.one())
	case v.typ == dtype.Float32:
		return c.function(functions()["To "+to.String()], to, []value{v})
	case v.typ.Size() == 8 && v.typ.Kind() != dtype.KindFloat:
		v = of(dtype.Float64, c.odd(v))
	default:
		v = c.convert(v, dtype.Float64)
	}
	if to == dtype.Float16 {
		return c.half("f64", v.one())
	}
	return c.function(functions()["Narrow "+to.String()], to, []value{v})
}

// half rounds a float to float16.
func (c *compiler) half(typ, x string) value {
	bits := c.emit("b16", "cvt.rn.f16."+typ, x)
	return of(dtype.Float16, c.emit("b32", "cvt.u32.u16", bits))
}

// odd rounds an integer of 64 bits to a float64 whose last bit says whether it is inexact, so that
// rounding it again is as rounding once.
func (c *compiler) odd(v value) string {
	n, negative := v.one(), ""
	if v.typ == dtype.Int64 {
		negative = c.emit("pred", "setp.lt.s64", n, "0")
		n = c.emit("b64", "abs.s64", n)
	}

	x := c.emit("f64", "cvt.rz.f64.u64", n)
	inexact := c.emit("pred", "setp.ne.u64", c.emit("b64", "cvt.rzi.u64.f64", x), n)
	bits := c.emit("b64", "mov.b64", x)
	sticky := c.emit("b64", "selp.b64", "1", "0", inexact)
	x = c.emit("f64", "mov.b64", c.emit("b64", "or.b64", bits, sticky))

	if negative != "" {
		x = c.emit("f64", "selp.f64", c.emit("f64", "neg.f64", x), x, negative)
	}
	return x
}
