package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// translate returns the text of a function: a line with its name, the types of its arguments and
// of its results, and the tables that it looks numbers up in; then its block.
func (s *sources) translate(f function) (text []byte, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case untranslatable:
			err = errors.New("no translation of " + r.what)
		default:
			panic(r)
		}
	}()

	e := &emitter{sources: s, counts: map[string]int{}, tables: map[string]bool{}}
	args, argTypes := e.arguments(f)
	result := e.inline(f.fn, args)
	if f.widened {
		result = e.emit(single, "cvt.rn.f32.f64", e.operand(result))
	}
	resultTypes := e.results(result)
	e.tidy()

	var b strings.Builder
	fmt.Fprintf(&b, "\n// %s: %s = %s", f.name, strings.Join(resultTypes, " "), strings.Join(argTypes, " "))
	for _, name := range slices.Sorted(maps.Keys(e.tables)) {
		fmt.Fprintf(&b, " %s", name)
	}
	b.WriteString("\n{\n")
	for _, typ := range registerTypes {
		if n := e.counts[typ]; n > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %%%s<%d>;\n", typ, letters[typ], n)
		}
	}
	for _, l := range e.lines {
		b.WriteString(l.String())
	}
	b.WriteString("}\n")
	return []byte(b.String()), nil
}

var (
	single = scalar{"f32", 32, false}
	double = scalar{"f64", 64, false}
	truth  = scalar{"pred", 1, false}
	word   = scalar{"b32", 32, true}
	long   = scalar{"b64", 64, true}
)

// arguments returns the values of the parameters and the types of their registers.
func (e *emitter) arguments(f function) (args []*value, registers []string) {
	for _, p := range f.fn.Params {
		v := e.room(p.Type())
		for _, part := range leaves(v) {
			part.reg = fmt.Sprintf("%%x%d", len(registers))
			typ := part.register
			if f.widened {
				x := &value{scalar: single, reg: part.reg}
				*part = *e.emit(double, "cvt.f64.f32", part.reg)
				part.single, typ = x, "f32"
			}
			registers = append(registers, typ)
		}
		args = append(args, v)
	}
	return args, registers
}

// results moves a value to the registers of results and returns their types.
func (e *emitter) results(v *value) (registers []string) {
	for _, part := range leaves(v) {
		e.set(&value{reg: fmt.Sprintf("%%y%d", len(registers))}, "mov."+part.register, e.operand(part))
		registers = append(registers, part.register)
	}
	return registers
}

// leaves returns the scalars of a value.
func leaves(v *value) []*value {
	if v.parts == nil {
		return []*value{v}
	}
	var all []*value
	for _, p := range v.parts {
		all = append(all, leaves(p)...)
	}
	return all
}

// inline translates a call.
func (e *emitter) inline(fn *ssa.Function, args []*value) *value {
	if fn.Blocks == nil {
		refuse("%v, which has no body", fn)
	}
	f := &frame{emitter: e, fn: fn, values: map[ssa.Value]*value{}}
	for i, p := range fn.Params {
		f.values[p] = args[i]
	}
	if f.unrolls() {
		return f.trace()
	}
	return f.translate()
}
