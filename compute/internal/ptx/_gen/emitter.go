package main

import (
	"fmt"
	"go/types"
	"strings"
)

// A line is an instruction, or a label.
type line struct {
	guard string // a predicate, perhaps with a !
	op    string
	dst   string
	args  []string
	label string // of a line that is nothing else, or where a branch goes
}

// An emitter collects the instructions of a translation.
type emitter struct {
	*sources
	lines  []line
	counts map[string]int // registers of each type
	labels int
	tables map[string]bool // those that numbers are looked up in, as "const:name"
}

// letters are the names of registers by their types.
var letters = map[string]string{"pred": "p", "b32": "r", "b64": "q", "f32": "s", "f64": "d"}

// registerTypes is their order in a declaration.
var registerTypes = []string{"pred", "b32", "b64", "f32", "f64"}

// register returns a new register.
func (e *emitter) register(s scalar) *value {
	n := e.counts[s.register]
	e.counts[s.register]++
	return &value{scalar: s, reg: fmt.Sprintf("%%%s%d", letters[s.register], n)}
}

// emit adds an instruction that sets a new register.
func (e *emitter) emit(s scalar, op string, args ...string) *value {
	v := e.register(s)
	e.lines = append(e.lines, line{op: op, dst: v.reg, args: args})
	return v
}

// set adds an instruction that sets a given register.
func (e *emitter) set(dst *value, op string, args ...string) {
	e.lines = append(e.lines, line{op: op, dst: dst.reg, args: args})
}

func (e *emitter) newLabel() string {
	e.labels++
	return fmt.Sprintf("L%d", e.labels)
}

func (e *emitter) mark(label string) { e.lines = append(e.lines, line{label: label}) }

func (e *emitter) branch(guard, label string) {
	e.lines = append(e.lines, line{guard: guard, op: "bra", label: label})
}

// operand is v as an instruction takes it: a register or a literal. There are no literals of
// predicates.
func (e *emitter) operand(v *value) string {
	switch {
	case v.parts != nil || v.cell != nil || v.place != nil:
		refuse("several values as one operand")
	case v.constant == nil:
		return v.reg
	case v.register == "pred":
		truth := "1"
		if v.constant.String() == "false" {
			truth = "0"
		}
		return e.emit(v.scalar, "setp.ne.u32", truth, "0").reg
	}
	return literal(v.scalar, v.constant)
}

// room returns registers for a value of a type.
func (e *emitter) room(t types.Type) *value {
	var parts []*value
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			parts = append(parts, e.room(u.Field(i).Type()))
		}
	case *types.Tuple:
		for i := range u.Len() {
			parts = append(parts, e.room(u.At(i).Type()))
		}
	default:
		return e.register(scalarOf(t))
	}
	return &value{parts: parts}
}

// copy sets the registers of dst to src.
func (e *emitter) copy(dst, src *value) {
	if len(dst.parts) > 0 {
		for i := range dst.parts {
			e.copy(dst.parts[i], src.parts[i])
		}
		return
	}
	if text := e.operand(src); text != dst.reg {
		e.set(dst, "mov."+dst.register, text)
	}
}

// snapshot returns v as it is, for later.
func (e *emitter) snapshot(v *value) *value {
	switch {
	case v.parts != nil:
		s := &value{}
		for _, p := range v.parts {
			s.parts = append(s.parts, e.snapshot(p))
		}
		return s
	case v.constant != nil || v.place != nil:
		return v
	case v.cell != nil:
		refuse("a pointer to a local variable that is kept")
	}
	return e.emit(v.scalar, "mov."+v.register, v.reg)
}

// String is l as PTX.
func (l line) String() string {
	if l.op == "" {
		return l.label + ":\n"
	}
	var words []string
	for _, word := range append([]string{l.dst}, l.args...) {
		if word != "" {
			words = append(words, word)
		}
	}
	if l.op == "bra" {
		words = append(words, l.label)
	}
	guard := ""
	if l.guard != "" {
		guard = "@" + l.guard + " "
	}
	return "\t" + guard + l.op + " " + strings.Join(words, ", ") + ";\n"
}
