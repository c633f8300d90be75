package ptxvm

import (
	"slices"
	"strings"
)

// An Instruction is a line of the tables: an instruction with all its modifiers.
type Instruction struct {
	Name   string
	Target int // the least compute capability that has it, 70 for sm_70
	Form   Form

	Result   string   // the type that is computed, or moved
	Operands []string // the types it is computed of
	Divides  bool     // by the last operand: 0 there has no result
	Space    string   // what is loaded from or stored to, such as ".global"
	Elems    int      // how many registers a load or a store moves
}

// A Form is what an Instruction does.
type Form uint8

// The forms.
const (
	Computes Form = iota // a result of operands, all in registers
	Loads
	Stores
)

// Instructions returns what computes, loads and stores, by name. Left out are branches, barriers,
// copies to shared memory, and loads of parameters: programs show what those do.
func Instructions() (all []Instruction) {
	for name, o := range operations {
		i := Instruction{Name: name, Target: max(o.target, 70), Result: o.result.String(), Divides: o.divides}
		switch o.form {
		case computes:
			for _, k := range o.operands {
				i.Operands = append(i.Operands, k.String())
			}
			if strings.HasPrefix(name, "mov.") {
				i.Operands = []string{i.Result}
			}
		case loads, stores:
			i.Form, i.Result, i.Space, i.Elems = Loads, o.kind.String(), o.space, o.elems
			if o.form == stores {
				i.Form = Stores
			}
		}
		if isCompute := o.form == computes && len(i.Operands) > 0; isCompute || o.form == loads || o.form == stores {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b Instruction) int { return strings.Compare(a.Name, b.Name) })
	return all
}
