package main

import (
	"fmt"
	"strings"
)

// An operation is one of package kernel on elements of one type.
type operation struct {
	op       string // as package kernel names it
	formula  string
	operands int
	scalars  []int // forms besides 0
	swapped  bool  // the same with a and b exchanged, so that form 1 is form 2
	unroll   int   // with AVX2; 4 if 0
}

// emitOperation emits the forms of an operation on elements of size bytes, for the types that are
// given: named after the first of them. l holds start, and what is not as usual.
func (k *asm) emitOperation(o operation, l loop, size int, types ...string) {
	for _, form := range append([]int{0}, o.scalars...) {
		l := k.formOf(o, l, size, form, types[0])
		if form == 1 && o.swapped {
			k.swap(o.op, l, types)
			continue
		}
		k.emit(l)
		k.register(l.name, o.op, form, types...)
	}
}

// formOf is the loop of one form of an operation, named after a type.
func (k *asm) formOf(o operation, l loop, size, form int, typ string) loop {
	if l.dst == 0 {
		l.dst = size
	}
	if l.lanes == 0 {
		l.lanes = k.width / size
	}
	if !k.wide() {
		l.unroll = o.unroll
	}
	l.name, l.doc = k.funcName(o.op, typ, form), formulaDoc(o.formula, form)
	l.args = args(o.operands, size, form, l.args)
	return l
}

// swap emits form 1 of an operation out of its form 2.
func (k *asm) swap(op string, l loop, types []string) {
	other := k.funcName(op, types[0], 2)
	k.emitSwapped(l.name, l.doc, other)
	k.register(l.name, op, 1, types...)
}

// args are n operands of one size, but for those of special; the bits of form say which are
// scalars.
func args(n, size, form int, special []arg) []arg {
	as := make([]arg, n)
	for i := range as {
		as[i].size = size
		if i < len(special) {
			as[i] = special[i]
		}
		as[i].scalar = form>>i&1 == 1
	}
	return as
}

// funcName names the function of an operation on a type in one form.
func (k *asm) funcName(op, typ string, form int) string {
	suffix := ""
	if form != 0 {
		suffix = fmt.Sprintf("Form%d", form)
	}
	return strings.ToLower(op[:1]) + op[1:] + typ + suffix + k.name
}

// formulaDoc is the comment of a function that computes a formula.
func formulaDoc(formula string, form int) string {
	doc := "dst = " + formula
	var scalars []string
	for i, name := range paramNames {
		if form>>i&1 == 1 {
			scalars = append(scalars, name)
		}
	}
	if len(scalars) > 0 {
		doc += ", scalar " + strings.Join(scalars, ", ")
	}
	return doc
}
