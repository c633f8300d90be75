package machine

// merge lets operations on float16, bfloat16 and float8 read and write these types themselves where
// nothing else uses the float32 values between. It goes from the last instruction to the first.
func (b *Builder) merge() {
	m := merger{b: b, uses: b.uses()}
	for v := len(b.instrs) - 1; v >= 0; v-- {
		if i := &b.instrs[v]; m.uses[v] > 0 && i.kind == convert {
			m.narrow(i)
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

// become replaces i by an instruction that makes the same value.
func (m *merger) become(i *instr, merged instr) {
	for k := range merged.numArgs() {
		m.uses[merged.args[k]]++
	}
	m.release(i)
	*i = merged
}

// release notes that the operands of i have one use less, and that what has none left needs none
// itself.
func (m *merger) release(i *instr) {
	for k := range i.numArgs() {
		v := i.args[k]
		if m.uses[v]--; m.uses[v] == 0 {
			m.release(&m.b.instrs[v])
		}
	}
}
