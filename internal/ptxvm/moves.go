package ptxvm

import "strings"

// addMoves adds what moves values between registers.
func (t table) addMoves() {
	for name, k := range kinds {
		if k.bits == 8 || name == "f16" {
			continue
		}
		t["mov."+name] = &operation{compute: map1(same), result: k, parse: parseMove}
		if k != predicate {
			t.add("selp."+name, map3(pick), k, k, k, predicate)
		}
	}
}

func same(a uint64) uint64 { return a }

func pick(yes, no, condition uint64) uint64 {
	if condition != 0 {
		return yes
	}
	return no
}

// parseMove reads what may be moved: a register, a literal, a thread's place, the address of a
// variable, or two registers that make one of twice their size.
func parseMove(b *body, in *instr) {
	k := in.op.result
	if b.peek() == "{" {
		parseUnpack(b, in)
		return
	}

	in.dst = []int{b.result(k, false)}
	b.want(",")
	if b.peek() == "{" {
		parsePack(b, in)
		return
	}

	t := b.tokens[0]
	v, isVariable := b.variable(t.text)
	switch {
	case isSpecial(t.text):
		b.next()
		if !(kind{'u', 32}).holds(k) {
			refuse(t.line, "%s is u32, want %v", t.text, k)
		}
		in.args = []int{b.fixed(t, k, constantKey{special: t.text})}
	case isVariable:
		b.next()
		if k.class == 'f' || k.bits != 64 && !(v.space == ".shared" && k.bits == 32) {
			refuse(t.line, "an address in %s memory is no %v", v.space, k)
		}
		in.args = []int{b.fixed(t, k, constantKey{value: v.address})}
	default:
		in.args = []int{b.use(k, false)}
	}
}

// isSpecial reports whether a name is that of a register with a thread's place.
func isSpecial(name string) bool {
	register, axis, _ := strings.Cut(name, ".")
	switch register {
	case "%tid", "%ntid", "%ctaid", "%nctaid":
		return axis == "x" || axis == "y" || axis == "z"
	}
	return false
}

// halfOf returns the type of the registers that make one of type k.
func halfOf(b *body, k kind) kind {
	if k.class != 'b' || k.bits < 32 {
		refuse(b.line(), "%v is not made of registers in braces", k)
	}
	return kind{'b', k.bits / 2}
}

// parsePack reads the halves of a result, the lower first.
func parsePack(b *body, in *instr) {
	half := halfOf(b, in.op.result)
	in.args = b.vector(2, func() int { return b.use(half, false) })
	in.compute = map2(func(lo, hi uint64) uint64 { return lo | hi<<half.bits })
}

// parseUnpack reads two results, the lower first. It adds the instruction of that one: in is the
// other.
func parseUnpack(b *body, in *instr) {
	k := in.op.result
	half := halfOf(b, k)
	in.dst = b.vector(2, func() int { return b.result(half, false) })
	b.want(",")
	in.args = []int{b.use(k, false)}

	lower := *in
	lower.dst = in.dst[:1]
	lower.compute = map1(func(a uint64) uint64 { return a & half.mask() })
	b.code = append(b.code, lower)

	in.dst = in.dst[1:]
	in.compute = map1(func(a uint64) uint64 { return a >> half.bits })
}
