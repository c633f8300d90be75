package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// onStack is a copy of a register on the stack, for the rest of the step.
func (k *asm) onStack(v value) value {
	if k.taken == len(k.stack) {
		k.stack = append(k.stack, k.AllocLocal(k.width))
	}
	m := k.stack[k.taken]
	k.taken++
	k.VMOVUPD(v, m)
	return m
}

// alone makes of a step one that has the whole stack to itself.
func (k *asm) alone(step func(...value) value) func(...value) value {
	return func(x ...value) value {
		k.taken = 0
		return step(x...)
	}
}

// park is a value that is not needed soon: on the stack with AVX2, which has few registers. again
// is it in a register.
func (k *asm) park(v value) value {
	if k.wide() {
		return v
	}
	return k.onStack(v)
}

func (r real) again(v value) value {
	if _, ok := v.(reg.Register); ok {
		return v
	}
	return r.copy(v.(operand.Mem))
}

func (d double) parkPair(p pair) pair { return pair{d.park(p.hi), d.park(p.lo)} }
