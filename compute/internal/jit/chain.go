package jit

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// chains holds the operations that are several, in terms of these.
var chains map[kernel.Op]func(l *lowering, t dtype.Type, args []value) value

func init() {
	const a, b, c, d = 0, 1, 2, 3
	// do returns the steps of a chain: each an operation and its operands, counted from 0, with the results of steps before
	// it from 4 on.
	type step struct {
		op   kernel.Op
		args []int
	}
	do := func(steps ...step) func(l *lowering, t dtype.Type, args []value) value {
		return func(l *lowering, t dtype.Type, args []value) value {
			all := make([]value, 4, 4+len(steps))
			copy(all, args)
			for _, s := range steps {
				operands := make([]value, len(s.args))
				for k, from := range s.args {
					operands[k] = all[from]
				}
				all = append(all, l.apply(s.op, t, operands))
			}
			return all[len(all)-1]
		}
	}
	of := func(op kernel.Op, args ...int) step { return step{op, args} }
	const r, s, u = 4, 5, 6 // results of the first three steps
	chains = map[kernel.Op]func(l *lowering, t dtype.Type, args []value) value{
		kernel.Square:         do(of(kernel.Mul, a, a)),
		kernel.SumSquares:     do(of(kernel.Mul, a, a), of(kernel.Mul, b, b), of(kernel.Add, r, s)),
		kernel.SqrtSumSquares: do(of(kernel.Mul, a, a), of(kernel.Mul, b, b), of(kernel.Add, r, s), of(kernel.Sqrt, u)),
		kernel.DiffSquare:     do(of(kernel.Sub, a, b), of(kernel.Mul, r, r)),
		kernel.DiffOverSum:    do(of(kernel.Sub, a, b), of(kernel.Add, a, b), of(kernel.Div, r, s)),
		kernel.Clip:           do(of(kernel.Max, a, b), of(kernel.Min, r, c)),
		kernel.MulAdd:         do(of(kernel.Mul, a, b), of(kernel.Add, r, c)),
		kernel.MulSub:         do(of(kernel.Mul, a, b), of(kernel.Sub, r, c)),
		kernel.SubMul:         do(of(kernel.Mul, a, b), of(kernel.Sub, c, r)),
		kernel.Add3:           do(of(kernel.Add, a, b), of(kernel.Add, r, c)),
		kernel.AddSub:         do(of(kernel.Add, a, b), of(kernel.Sub, r, c)),
		kernel.SubAdd:         do(of(kernel.Sub, a, b), of(kernel.Add, r, c)),
		kernel.SubSub:         do(of(kernel.Sub, a, b), of(kernel.Sub, r, c)),
		kernel.Mul3:           do(of(kernel.Mul, a, b), of(kernel.Mul, r, c)),
		kernel.DiffMul:        do(of(kernel.Sub, a, b), of(kernel.Mul, r, c)),
		kernel.DiffDiv:        do(of(kernel.Sub, a, b), of(kernel.Div, r, c)),
		kernel.Mul3Add:        do(of(kernel.Mul, a, b), of(kernel.Mul, r, c), of(kernel.Add, s, d)),
		kernel.MulAddAdd:      do(of(kernel.Mul, a, b), of(kernel.Add, r, c), of(kernel.Add, s, d)),
		kernel.MulAddMul:      do(of(kernel.Mul, a, b), of(kernel.Mul, c, d), of(kernel.Add, r, s)),
		kernel.MulSubMul:      do(of(kernel.Mul, a, b), of(kernel.Mul, c, d), of(kernel.Sub, r, s)),
		kernel.DiffMulAdd:     do(of(kernel.Sub, a, b), of(kernel.Mul, r, c), of(kernel.Add, s, d)),
		kernel.Horner:         do(of(kernel.Mul, a, b), of(kernel.Add, r, c), of(kernel.Mul, s, b), of(kernel.Add, u, d)),
		kernel.WhereLess:      chosenBy(kernel.Less),
		kernel.WhereLessEqual: chosenBy(kernel.LessEqual),
		kernel.WhereEqual:     chosenBy(kernel.Equal),
	}
}

// chosenBy is a choice by comparison.
func chosenBy(op kernel.Op) func(l *lowering, t dtype.Type, args []value) value {
	return func(l *lowering, t dtype.Type, args []value) value {
		return l.where(l.apply(op, t, args[:2]), args[2], args[3])
	}
}
