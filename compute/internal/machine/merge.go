package machine

import (
	"iter"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// merge replaces operations on the results of others by kernels that do all of them, where these results have no other
// use. The kernels round after each step, so that the values stay the same bits. It begins with the last instruction:
// each takes as many of those before it as one kernel can, and these are not there any more when it is their turn.
func (b *Builder) merge() {
	m := merger{b: b, uses: b.uses()}
	for v := len(b.instrs) - 1; v >= 0; v-- {
		if m.uses[v] == 0 {
			continue
		}
		switch i := &b.instrs[v]; {
		case i.kind == convert:
			m.narrow(i)
		case i.kind == apply && i.operand.Kind() != dtype.KindComplex:
			m.combine(i)
		}
	}
}

// uses counts by how many operands and outputs each value is needed.
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

// combine merges i with its operands by the first rule that fits.
func (m *merger) combine(i *instr) {
	for _, r := range rules[i.op] {
		if kernel.Lookup(r.op, i.operand, 0) == nil {
			continue
		}
		args := r.match(m, i)
		if args == nil {
			continue
		}
		merged := instr{kind: apply, op: r.op, operand: i.operand, result: i.result}
		copy(merged.args[:], args)
		m.become(i, merged)
		return
	}
}

// become replaces i by an instruction that makes the same value.
func (m *merger) become(i *instr, merged instr) {
	for k := range merged.numArgs() {
		m.uses[merged.args[k]]++
	}
	m.release(i)
	*i = merged
}

// release notes that the operands of i have one use less, and that what has none left needs none itself.
func (m *merger) release(i *instr) {
	for k := range i.numArgs() {
		v := i.args[k]
		if m.uses[v]--; m.uses[v] == 0 {
			m.release(&m.b.instrs[v])
		}
	}
}

// of yields the operands of v if op makes v and it has n uses, those of sums and products in both orders.
func (m *merger) of(v Value, op kernel.Op, n int) iter.Seq2[Value, Value] {
	return func(yield func(x, y Value) bool) {
		i := &m.b.instrs[v]
		if i.kind != apply || i.op != op || m.uses[v] != n {
			return
		}
		if yield(i.args[0], i.args[1]) && i.op.Exchangeable(0) && i.args[0] != i.args[1] {
			yield(i.args[1], i.args[0])
		}
	}
}

// is reports whether v is made by op and has one use.
func (m *merger) is(v Value, op kernel.Op) bool {
	i := &m.b.instrs[v]
	return i.kind == apply && i.op == op && m.uses[v] == 1
}
