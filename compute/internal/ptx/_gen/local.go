package main

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// local returns the pointer to a new local variable. Where all that uses it is in one block, its
// value is known at each moment, and it needs no registers of its own.
func (f *frame) local(v *ssa.Alloc) *value {
	t := v.Type().(*types.Pointer).Elem()
	if staysIn(v.Block(), v) {
		return &value{cell: zero(t), fixed: true}
	}
	cell := f.room(t)
	f.copy(cell, zero(t))
	return &value{cell: cell}
}

// staysIn reports whether a pointer, and those to its fields, are used in one block.
func staysIn(block *ssa.BasicBlock, pointer ssa.Value) bool {
	for _, in := range *pointer.Referrers() {
		if in.Block() != block {
			return false
		}
		if field, ok := in.(*ssa.FieldAddr); ok && !staysIn(block, field) {
			return false
		}
	}
	return true
}

// store sets a local variable.
func (f *frame) store(to, v *value) {
	switch {
	case to.cell == nil:
		refuse("a store to what is no local variable, in %v", f.fn)
	case to.fixed:
		*to.cell = *clone(v)
	default:
		f.copy(to.cell, v)
	}
}

// clone returns a value whose parts are its own.
func clone(v *value) *value {
	c := *v
	c.parts = nil
	for _, p := range v.parts {
		c.parts = append(c.parts, clone(p))
	}
	return &c
}
