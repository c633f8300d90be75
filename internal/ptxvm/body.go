package ptxvm

import "strconv"

// A body is an entry that is read. Names and labels belong to scopes: what is declared between
// braces is known there and in the braces within.
type body struct {
	*parser
	*entry
	scopes []*names
	known  map[constantKey]int // registers of constants and special registers
}

// names are what one scope declares.
type names struct {
	registers map[string]int
	variables map[string]variable
	labels    map[string]int // of the next instruction
	branches  []branch       // to labels that are not known yet
}

// A branch is an instruction that goes to a label.
type branch struct {
	instr int
	label token
}

// A constantKey says what a constant register holds.
type constantKey struct {
	value   uint64
	special string
}

func (b *body) push() {
	b.scopes = append(b.scopes, &names{registers: map[string]int{}, variables: map[string]variable{}, labels: map[string]int{}})
}

// pop ends a scope. A branch to a label that it does not have may mean one outside.
func (b *body) pop() {
	last := len(b.scopes) - 1
	inner := b.scopes[last]
	b.scopes = b.scopes[:last]

	for _, from := range inner.branches {
		if to, ok := inner.labels[from.label.text]; ok {
			b.code[from.instr].target = to
			continue
		}
		if last == 0 {
			refuse(from.label.line, "there is no label %q", from.label.text)
		}
		outer := b.scopes[last-1]
		outer.branches = append(outer.branches, from)
	}
}

// register adds a register.
func (b *body) register(name token, k kind) int {
	if len(b.registers) == maxRegisters {
		refuse(name.line, "an entry has more than %d registers", maxRegisters)
	}
	b.registers, b.names = append(b.registers, k), append(b.names, name.text)
	return len(b.registers) - 1
}

// fixed returns the register of a constant or a special register.
func (b *body) fixed(t token, k kind, key constantKey) int {
	if r, ok := b.known[key]; ok {
		return r
	}
	r := b.register(t, k)
	b.known[key] = r
	if key.special != "" {
		b.specials = append(b.specials, special{r, key.special})
	} else {
		b.constants = append(b.constants, constant{r, key.value})
	}
	return r
}

// scope reads what stands between braces, up to the one that closes.
func (b *body) scope() {
	b.push()
	for !b.accept("}") {
		switch t := b.peek(); t {
		case "{":
			b.next()
			b.scope()
		case ".reg":
			b.next()
			b.declare()
		case ".shared":
			b.next()
			name, v := b.sharedVariable(&b.entry.shared)
			b.top().variables[name.text] = v
		case "@":
			b.instr()
		default:
			if b.tokens[min(1, len(b.tokens)-1)].text == ":" {
				b.label()
				continue
			}
			b.instr()
		}
	}
	b.pop()
}

func (b *body) top() *names { return b.scopes[len(b.scopes)-1] }

// declare reads registers: names, or a name and how many of it there are.
func (b *body) declare() {
	k := b.typeName()
	if k.bits == 8 {
		refuse(b.line(), "there are no registers of type %v", k)
	}
	for more := true; more; more = b.accept(",") {
		name := b.name()
		if !b.accept("<") {
			b.declareOne(name, k)
			continue
		}
		n := size(b.next(), maxRegisters)
		b.want(">")
		for i := range n {
			b.declareOne(token{name.text + strconv.Itoa(i), name.line}, k)
		}
	}
	b.want(";")
}

func (b *body) declareOne(name token, k kind) {
	registers := b.top().registers
	if _, ok := registers[name.text]; ok {
		refuse(name.line, "%q is declared twice", name.text)
	}
	registers[name.text] = b.register(name, k)
}

func (b *body) label() {
	name := b.name()
	b.want(":")
	labels := b.top().labels
	if _, ok := labels[name.text]; ok {
		refuse(name.line, "the label %q is declared twice", name.text)
	}
	labels[name.text] = len(b.code)
}

// finish ends the entry. Nothing runs past its last instruction.
func (b *body) finish(name token) {
	b.pop()
	if n := len(b.code); n > 0 {
		last := &b.code[n-1]
		if (last.op.form == exits || last.op.form == branches) && last.guard < 0 {
			return
		}
	}
	refuse(b.line(), "the entry %q does not end with ret or bra", name.text)
}
