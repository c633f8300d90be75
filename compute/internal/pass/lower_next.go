package pass

import (
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
)

// A spacing says how far the floats of a type without registers are apart.
type spacing struct {
	round    kernel.Op
	fraction int     // bits after the point of a significand
	smallest int     // exponent of the smallest number above 0
	beyond   float64 // what would follow on the largest finite number, or is as near to that as float32 can
}

var spacings = map[dtype.Type]spacing{
	dtype.Float16:      {kernel.RoundFloat16, 10, -24, 0x1p16},
	dtype.BFloat16:     {kernel.RoundBFloat16, 7, -133, math.MaxFloat32},
	dtype.Float8E4M3FN: {kernel.RoundFloat8E4M3FN, 3, -9, 0x1p9},
	dtype.Float8E5M2:   {kernel.RoundFloat8E5M2, 2, -16, 0x1p16},
}

// next returns the floats of a small type that follow those of x, towards those of y. It takes a
// step of 0.6 to 1.2 times the distance to the next float and rounds. Below a power of two that
// distance is half the one above.
func (s spacing) next(b *machine.Builder, x, y machine.Value) machine.Value {
	number := func(v float64) machine.Value { return b.Const(dtype.ScalarOf(float32(v))) }
	from := b.Op(kernel.Clip, x, number(-s.beyond), number(s.beyond))
	step := b.Op(kernel.Mul, b.Op(kernel.Abs, from), number(math.Ldexp(0.6, -s.fraction)))
	step = b.Op(kernel.Max, step, number(math.Ldexp(0.6, s.smallest)))
	up := b.Op(kernel.Greater, y, x)
	moved := b.Op(s.round, b.Op(kernel.Add, from, b.Op(kernel.Where, up, step, b.Op(kernel.Neg, step))))
	equal := b.Op(kernel.Equal, x, y)
	known := b.Op(kernel.Equal, y, y)
	return b.Op(kernel.Where, equal, x, b.Op(kernel.Where, known, moved, y))
}
