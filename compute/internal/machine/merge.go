package machine

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// merge replaces operations on the results of others by kernels that do both, where a result has no other use.
// These round after each step, so that the values stay the same bits.
func (b *Builder) merge() {
	m := merger{b: b, uses: b.uses()}
	for v := range b.instrs {
		if m.uses[v] == 0 {
			continue
		}
		switch i := &b.instrs[v]; {
		case i.kind == convert:
			m.narrow(i)
		case i.kind == apply && i.operand != dtype.Complex64 && i.operand != dtype.Complex128:
			m.combine(i)
		}
	}
}

// uses counts by how many instructions and outputs each value is needed.
func (b *Builder) uses() []int {
	uses := make([]int, len(b.instrs))
	for _, v := range b.outputs {
		uses[v]++
	}
	for v := len(b.instrs) - 1; v >= 0; v-- {
		if uses[v] == 0 {
			continue
		}
		for k := range b.instrs[v].numArgs() {
			uses[b.instrs[v].args[k]]++
		}
	}
	return uses
}

type merger struct {
	b    *Builder
	uses []int
}

// once returns the instruction of v if it applies op and nothing else uses it.
func (m *merger) once(v Value, op kernel.Op) (*instr, bool) {
	i := &m.b.instrs[v]
	return i, i.kind == apply && i.op == op && m.uses[v] == 1
}

// combine merges i with its operands.
func (m *merger) combine(i *instr) {
	x, y := i.args[0], i.args[1]
	switch i.op {
	case kernel.Mul:
		if x == y {
			m.replace(i, kernel.Square, x)
			m.uses[x]--
		}
	case kernel.Add:
		m.combineSum(i, x, y)
	case kernel.Sub:
		if product, ok := m.once(x, kernel.Mul); ok {
			m.replace(i, kernel.MulSub, product.args[0], product.args[1], y)
		} else if product, ok := m.once(y, kernel.Mul); ok {
			m.replace(i, kernel.SubMul, product.args[0], product.args[1], x)
		}
	case kernel.Sqrt:
		if sum, ok := m.once(x, kernel.SumSquares); ok {
			m.replace(i, kernel.SqrtSumSquares, sum.args[0], sum.args[1])
		}
	case kernel.Min:
		if low, ok := m.once(x, kernel.Max); ok {
			m.replace(i, kernel.Clip, low.args[0], low.args[1], y)
		}
	case kernel.Where:
		m.combineWhere(i)
	}
}

func (m *merger) combineSum(i *instr, x, y Value) {
	p, pSquare := m.once(x, kernel.Square)
	q, qSquare := m.once(y, kernel.Square)
	if pSquare && qSquare {
		m.replace(i, kernel.SumSquares, p.args[0], q.args[0])
		return
	}
	if product, ok := m.once(x, kernel.Mul); ok {
		m.replace(i, kernel.MulAdd, product.args[0], product.args[1], y)
	} else if product, ok := m.once(y, kernel.Mul); ok {
		m.replace(i, kernel.MulAdd, product.args[0], product.args[1], x)
	}
}

// combineWhere merges a choice with the comparison that it depends on, if both are of one type.
func (m *merger) combineWhere(i *instr) {
	compared := &m.b.instrs[i.args[0]]
	if compared.kind != apply || m.uses[i.args[0]] != 1 || compared.operand != i.operand {
		return
	}
	x, y, then, otherwise := compared.args[0], compared.args[1], i.args[1], i.args[2]
	switch compared.op {
	case kernel.Less:
		m.replace(i, kernel.WhereLess, x, y, then, otherwise)
	case kernel.LessEqual:
		m.replace(i, kernel.WhereLessEqual, x, y, then, otherwise)
	case kernel.Greater:
		m.replace(i, kernel.WhereLess, y, x, then, otherwise)
	case kernel.GreaterEqual:
		m.replace(i, kernel.WhereLessEqual, y, x, then, otherwise)
	case kernel.Equal:
		m.replace(i, kernel.WhereEqual, x, y, then, otherwise)
	case kernel.NotEqual:
		m.replace(i, kernel.WhereEqual, x, y, otherwise, then)
	}
}

// replace makes i another operation, if there is a kernel for it.
func (m *merger) replace(i *instr, op kernel.Op, args ...Value) {
	if kernel.Lookup(op, i.operand, 0) == nil {
		return
	}
	i.op, i.args = op, [4]Value{}
	copy(i.args[:], args)
}

// rounds are the operations that round a float32 to what a smaller type holds.
var rounds = map[dtype.Type]kernel.Op{
	dtype.Float16:      kernel.RoundFloat16,
	dtype.BFloat16:     kernel.RoundBFloat16,
	dtype.Float8E4M3FN: kernel.RoundFloat8E4M3FN,
	dtype.Float8E5M2:   kernel.RoundFloat8E5M2,
}

// Round returns the operation that rounds a float32 to what t holds, if t has no registers of its own.
func Round(t dtype.Type) (kernel.Op, bool) {
	op, ok := rounds[t]
	return op, ok
}

// narrow merges the conversion to a type without registers with the rounding before it, and both with the one
// operation before them, if that can work in memory of this type.
func (m *merger) narrow(i *instr) {
	round, ok := rounds[i.result]
	if !ok || i.operand != dtype.Float32 {
		return
	}
	if rounded := &m.b.instrs[i.args[0]]; rounded.kind == apply && rounded.op == round {
		m.release(i.args[0], rounded.args[0])
		i.args[0] = rounded.args[0]
	}
	only := &m.b.instrs[i.args[0]]
	if only.kind != apply || m.uses[i.args[0]] != 1 || kernel.Lookup(only.op, i.result, 0) == nil {
		return
	}
	merged := instr{kind: apply, op: only.op, operand: i.result, result: i.result}
	for k := range only.numArgs() {
		widened := &m.b.instrs[only.args[k]]
		if widened.kind != convert || widened.operand != i.result {
			return
		}
		merged.args[k] = widened.args[0]
	}
	*i = merged
}

// release notes that the instruction of v is by-passed by one of its users, which takes its operand instead.
func (m *merger) release(v, operand Value) {
	m.uses[v]--
	if m.uses[v] > 0 {
		m.uses[operand]++
	}
}
