package machine

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// rounds are the operations that round a float32 to what a smaller type holds.
var rounds = map[dtype.Type]kernel.Op{
	dtype.Float16:      kernel.RoundFloat16,
	dtype.BFloat16:     kernel.RoundBFloat16,
	dtype.Float8E4M3FN: kernel.RoundFloat8E4M3FN,
	dtype.Float8E5M2:   kernel.RoundFloat8E5M2,
}

// Round returns the operation that rounds a float32 to what t holds, if t has no registers of its
// own.
func Round(t dtype.Type) (kernel.Op, bool) {
	op, ok := rounds[t]
	return op, ok
}

// narrow merges the conversion to a type without registers with the rounding before it, and both
// with the one operation before them, if that can work in memory of this type.
func (m *merger) narrow(i *instr) {
	round, ok := rounds[i.result]
	if !ok || i.operand != dtype.Float32 {
		return
	}

	if rounded := &m.b.instrs[i.args[0]]; rounded.kind == apply && rounded.op == round {
		m.become(i, instr{kind: convert, operand: i.operand, result: i.result, args: rounded.args})
	}

	only := &m.b.instrs[i.args[0]]
	if only.kind != apply || m.uses[i.args[0]] != 1 || kernel.Lookup(only.op, i.result, 0) == nil {
		return
	}

	// The operation reads the type itself where all its operands are widened from it.
	merged := instr{kind: apply, op: only.op, operand: i.result, result: i.result}
	for k := range only.numArgs() {
		widened := &m.b.instrs[only.args[k]]
		if widened.kind != convert || widened.operand != i.result {
			return
		}
		merged.args[k] = widened.args[0]
	}

	m.become(i, merged)
}
