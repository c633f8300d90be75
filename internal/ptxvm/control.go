package ptxvm

// addControl adds branches, barriers and ends.
func (t table) addControl() {
	t["bra"] = &operation{form: branches, parse: parseBranch}
	t["bra.uni"] = &operation{form: branches, parse: parseBranch}
	t["ret"] = &operation{form: exits, parse: parseNothing}
	t["exit"] = &operation{form: exits, parse: parseNothing}
	t["bar.sync"] = &operation{form: waits, parse: parseBarrier}
}

// parseBranch reads the label, which may come later.
func parseBranch(b *body, in *instr) {
	top := b.top()
	top.branches = append(top.branches, branch{len(b.code), b.name()})
}

// parseBarrier reads the number of the barrier: there is one, for all threads of a block.
func parseBarrier(b *body, in *instr) {
	b.want("0")
	if in.guard >= 0 {
		refuse(in.line, "a barrier under a predicate")
	}
}
