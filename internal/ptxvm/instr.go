package ptxvm

import (
	"strings"
)

// An instr is an instruction of an entry. All its operands are registers: constants have some too.
type instr struct {
	op      *operation
	line    int
	guard   int // the register of its predicate, -1 if it has none
	negated bool
	compute alu
	dst     []int // results; of stores and copies none
	args    []int // operands; of stores, values
	at      address
	from    address // of a copy
	target  int     // of a branch
	count   int     // bytes of a copy, groups of a wait
}

// An address is a register and what is added to it.
type address struct {
	base   int
	offset uint64
}

// instr reads an instruction.
func (b *body) instr() {
	in := instr{line: b.line(), guard: -1}
	if b.accept("@") {
		in.negated = b.accept("!")
		in.guard = b.use(predicate, false)
	}

	name := b.next()
	in.op = operations[name.text]
	if in.op == nil {
		refuse(name.line, "the instruction %q is not in the table", name.text)
	}
	if in.op.target > b.target {
		refuse(name.line, "%s needs the target sm_%d", name.text, in.op.target)
	}

	in.compute = in.op.compute
	in.op.parse(b, &in)
	b.want(";")
	b.code = append(b.code, in)
}

// use reads a register or a literal that an instruction takes, of a kind.
func (b *body) use(k kind, wider bool) int {
	t := b.next()
	negative := t.text == "-"
	if negative {
		t = b.next()
	}
	switch c := t.text[0]; {
	case c >= '0' && c <= '9':
		v := number(t, negative, k)
		return b.fixed(t, k, constantKey{value: v})
	case negative:
		refuse(t.line, "want a number, found %q", t.text)
	}
	r := b.named(t)
	b.check(t, r, k, wider)
	return r
}

// result reads a register that an instruction writes.
func (b *body) result(k kind, wider bool) int {
	t := b.next()
	r := b.named(t)
	b.check(t, r, k, wider)
	return r
}

// named returns the register of a name.
func (b *body) named(name token) int {
	for i := len(b.scopes) - 1; i >= 0; i-- {
		if r, ok := b.scopes[i].registers[name.text]; ok {
			return r
		}
	}
	refuse(name.line, "there is no register %q", name.text)
	return 0
}

// check compares the type of a register with what an instruction wants.
func (b *body) check(name token, register int, want kind, wider bool) {
	have := b.registers[register]
	if !have.holds(want) && !(wider && have.holdsWider(want)) {
		refuse(name.line, "register %s is %v, want %v", name.text, have, want)
	}
}

// variable returns the variable of a name, if there is one.
func (b *body) variable(name string) (v variable, ok bool) {
	for i := len(b.scopes) - 1; i >= 0; i-- {
		if v, ok = b.scopes[i].variables[name]; ok {
			return v, true
		}
	}
	v, ok = b.parser.variables[name]
	return v, ok
}

// address reads an address in a space: a register or a variable, and an offset.
func (b *body) address(space string) (a address) {
	b.want("[")
	t := b.next()
	if v, ok := b.variable(t.text); ok {
		if v.space != space {
			refuse(t.line, "%q is in %s memory, want %s", t.text, v.space, space)
		}
		a.base = b.fixed(t, kind{'b', 64}, constantKey{value: v.address})
	} else {
		a.base = b.named(t)
		have := b.registers[a.base]
		if have.class == 'f' || have.bits != 64 && !(space == ".shared" && have.bits == 32) {
			refuse(t.line, "register %s is %v, want an address in %s memory", t.text, have, space)
		}
	}

	switch {
	case b.accept("+"):
		negative := b.accept("-")
		a.offset = uint64(int64(int32(number(b.next(), negative, kind{'s', 32}))))
	case b.accept("-"):
		a.offset = uint64(int64(int32(number(b.next(), true, kind{'s', 32}))))
	}
	b.want("]")
	return a
}

// vector reads n registers, in braces unless it is one.
func (b *body) vector(n int, read func() int) (registers []int) {
	if n == 1 {
		return []int{read()}
	}
	b.want("{")
	for i := range n {
		if i > 0 {
			b.want(",")
		}
		registers = append(registers, read())
	}
	b.want("}")
	return registers
}

// text returns the line of an instruction.
func (m *Module) text(in *instr) string {
	return strings.TrimSpace(m.lines[in.line-1])
}
