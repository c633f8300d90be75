package ptxvm

import (
	"slices"
	"strconv"
)

// addMemory adds loads, stores and copies.
func (t table) addMemory() {
	for name, k := range kinds {
		if k == predicate || name == "f16" {
			continue
		}
		t["ld.param."+name] = &operation{compute: map1(same), result: k, parse: parseParam}
		for elems := 1; elems <= 4 && elems*k.bytes() <= 16; elems *= 2 {
			vector := ""
			if elems > 1 {
				vector = ".v" + strconv.Itoa(elems)
			}
			for _, space := range []string{".global", ".shared", ".const"} {
				t["ld"+space+vector+"."+name] = &operation{form: loads, space: space, kind: k, elems: elems, parse: parseLoad}
			}
			for _, space := range []string{".global", ".shared"} {
				t["st"+space+vector+"."+name] = &operation{form: stores, space: space, kind: k, elems: elems, parse: parseStore}
			}
		}
	}

	t["cp.async.ca.shared.global"] = &operation{form: copies, target: 80, sizes: []int{4, 8, 16}, parse: parseCopy}
	t["cp.async.cg.shared.global"] = &operation{form: copies, target: 80, sizes: []int{16}, parse: parseCopy}
	t["cp.async.commit_group"] = &operation{form: commits, target: 80, parse: parseNothing}
	t["cp.async.wait_group"] = &operation{form: collects, target: 80, parse: parseCount}
	t["cp.async.wait_all"] = &operation{form: collects, target: 80, parse: parseAll}
}

// parseParam reads a load of a parameter, which is a move: its value is in a register.
func parseParam(b *body, in *instr) {
	in.dst = []int{b.result(in.op.result, false)}
	b.want(",")
	b.want("[")
	name := b.name()
	b.want("]")

	i := slices.IndexFunc(b.params, func(p param) bool { return p.name == name.text })
	if i < 0 {
		refuse(name.line, "there is no parameter %q", name.text)
	}
	if !b.params[i].kind.holds(in.op.result) {
		refuse(name.line, "the parameter %q is %v, want %v", name.text, b.params[i].kind, in.op.result)
	}
	in.args = []int{b.params[i].register}
}

func parseLoad(b *body, in *instr) {
	in.dst = b.vector(in.op.elems, func() int { return b.result(in.op.kind, true) })
	b.want(",")
	in.at = b.address(in.op.space)
}

func parseStore(b *body, in *instr) {
	in.at = b.address(in.op.space)
	b.want(",")
	in.args = b.vector(in.op.elems, func() int { return b.use(in.op.kind, true) })
}

// parseCopy reads where bytes of global memory go in shared memory, and how many they are.
func parseCopy(b *body, in *instr) {
	in.at = b.address(".shared")
	b.want(",")
	in.from = b.address(".global")
	b.want(",")
	t := b.next()
	if in.count = size(t, 16); !slices.Contains(in.op.sizes, in.count) {
		refuse(t.line, "a copy of %d bytes, want one of %v", in.count, in.op.sizes)
	}
}

// parseCount reads how many groups may be left.
func parseCount(b *body, in *instr) {
	in.count = int(number(b.next(), false, kind{'u', 8}))
}

// parseAll reads nothing: all copies are waited for, of no group as well.
func parseAll(_ *body, in *instr) { in.count = allCopies }

// allCopies is the count of a wait for all copies.
const allCopies = -1

func parseNothing(*body, *instr) {}
