package machine

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/dtype"
)

// A Lowered is a program for what compiles programs of package jit: the same instructions, without
// a worker's choices.
type Lowered struct {
	Program   *jit.Program
	Inputs    []int          // of each input of Program, its number among those of the machine's
	Constants []dtype.Scalar // the scalars of Program
}

// HasConstantOutput reports whether an output is the same for all elements.
func (l *Lowered) HasConstantOutput() bool {
	return slices.ContainsFunc(l.Program.Outputs, func(v int) bool {
		return v >= len(l.Inputs) && v < len(l.Inputs)+len(l.Constants)
	})
}

// Lower returns p as a Lowered. computes is false if that computes nothing of elements: if all that
// p does is to copy inputs, or an output is a constant.
func (p *Program) Lower() (l Lowered, computes bool) {
	l.Program, computes = &jit.Program{}, true
	values := make([]int, len(p.instrs)) // the number of each instruction in l.Program

	// Values are numbered as jit.Program says: inputs, scalars, operations.
	for v := range p.instrs {
		if i := &p.instrs[v]; i.kind == input {
			values[v] = len(l.Inputs)
			l.Inputs, l.Program.Inputs = append(l.Inputs, i.input), append(l.Program.Inputs, i.result)
		}
	}
	for v := range p.instrs {
		if i := &p.instrs[v]; i.kind == constant {
			values[v] = len(l.Inputs) + len(l.Constants)
			l.Constants, l.Program.Scalars = append(l.Constants, i.scalar), append(l.Program.Scalars, i.result)
		}
	}
	operands := len(l.Inputs) + len(l.Constants)
	for v := range p.instrs {
		i := &p.instrs[v]
		if i.kind != apply && i.kind != convert {
			continue
		}
		o := jit.Op{Op: i.op, Operand: i.operand, Result: i.result}
		for k, arg := range i.args[:i.numArgs()] {
			o.Args[k] = values[arg]
		}
		values[v] = operands + len(l.Program.Ops)
		l.Program.Ops = append(l.Program.Ops, o)
	}

	for _, v := range p.outputs {
		computes = computes && p.instrs[v].kind != constant
		l.Program.Outputs = append(l.Program.Outputs, values[v])
	}
	return l, computes && len(l.Inputs) > 0 && len(l.Program.Ops) > 0
}
