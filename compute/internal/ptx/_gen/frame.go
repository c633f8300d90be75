package main

import (
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A frame is a call of a function.
type frame struct {
	*emitter
	fn     *ssa.Function
	values map[ssa.Value]*value
	labels map[*ssa.BasicBlock]string
	result *value
	end    string // the label behind it
}

// value returns what a value of SSA is.
func (f *frame) value(v ssa.Value) *value {
	switch v := v.(type) {
	case *ssa.Const:
		return f.constantOf(v)
	case *ssa.Global:
		return &value{place: &place{global: v, typ: v.Type().(*types.Pointer).Elem()}}
	}
	if f.values[v] == nil {
		refuse("%v in %v", v, f.fn)
	}
	return f.values[v]
}

func (f *frame) constantOf(c *ssa.Const) *value {
	if c.Value == nil {
		return zero(c.Type())
	}
	return &value{scalar: scalarOf(c.Type()), constant: c.Value}
}

// zero returns the zero value of a type.
func zero(t types.Type) *value {
	if u, ok := t.Underlying().(*types.Struct); ok {
		v := &value{}
		for i := range u.NumFields() {
			v.parts = append(v.parts, zero(u.Field(i).Type()))
		}
		return v
	}
	s := scalarOf(t)
	if s == truth {
		return &value{scalar: s, constant: constant.MakeBool(false)}
	}
	return &value{scalar: s, constant: constant.MakeInt64(0)}
}

// unrolls reports whether the way through a function is known: it has one block, or its loops
// count the elements of a slice, whose number is known.
func (f *frame) unrolls() bool {
	if len(f.fn.Blocks) == 1 {
		return true
	}
	for _, p := range f.fn.Params {
		if _, ok := p.Type().Underlying().(*types.Slice); ok {
			return true
		}
	}
	return false
}

// trace translates a function block by block, as it would run. Branches go where constants say.
func (f *frame) trace() *value {
	var from *ssa.BasicBlock
	block := f.fn.Blocks[0]
	for {
		f.enter(from, block)
		last := block.Instrs[len(block.Instrs)-1]
		for _, in := range block.Instrs[:len(block.Instrs)-1] {
			f.step(in)
		}

		from = block
		switch last := last.(type) {
		case *ssa.Return:
			return f.returned(last)
		case *ssa.Jump:
			block = block.Succs[0]
		case *ssa.If:
			condition := f.value(last.Cond).constant
			if condition == nil {
				refuse("a loop over a slice with another condition, in %v", f.fn)
			}
			block = block.Succs[1]
			if constant.BoolVal(condition) {
				block = from.Succs[0]
			}
		default:
			refuse("%v", last)
		}
	}
}

// enter gives the values of a block's first instructions, which depend on where it is entered from.
func (f *frame) enter(from, block *ssa.BasicBlock) {
	chosen := map[ssa.Value]*value{}
	for _, in := range block.Instrs {
		if phi, ok := in.(*ssa.Phi); ok {
			chosen[phi] = f.value(phi.Edges[edgeOf(from, block)])
		}
	}
	for phi, v := range chosen {
		f.values[phi] = v
	}
}

// edgeOf returns the number of the edge between two blocks.
func edgeOf(from, to *ssa.BasicBlock) int {
	for i, p := range to.Preds {
		if p == from {
			return i
		}
	}
	return -1
}

// returned is what a return statement returns.
func (f *frame) returned(r *ssa.Return) *value {
	if len(r.Results) == 1 {
		return f.value(r.Results[0])
	}
	v := &value{}
	for _, result := range r.Results {
		v.parts = append(v.parts, f.value(result))
	}
	return v
}

// translate translates a function with branches.
func (f *frame) translate() *value {
	results := f.fn.Signature.Results()
	if f.result = f.room(results); results.Len() == 1 {
		f.result = f.result.parts[0]
	}

	f.end, f.labels = f.newLabel(), map[*ssa.BasicBlock]string{}
	for _, block := range f.fn.Blocks {
		f.labels[block] = f.newLabel()
		for _, in := range block.Instrs {
			if phi, ok := in.(*ssa.Phi); ok {
				f.values[phi] = f.room(phi.Type())
			}
		}
	}

	// A block stands behind those that its values come from.
	reached := reachable(f.fn)
	for _, block := range f.fn.DomPreorder() {
		if !reached[block] {
			continue
		}
		f.mark(f.labels[block])
		for _, in := range block.Instrs[:len(block.Instrs)-1] {
			f.step(in)
		}
		f.leave(block)
	}
	f.mark(f.end)
	return f.result
}

// reachable returns the blocks of a function that conditions which are constants do not exclude.
func reachable(fn *ssa.Function) map[*ssa.BasicBlock]bool {
	reached := map[*ssa.BasicBlock]bool{}
	for todo := fn.Blocks[:1:1]; len(todo) > 0; {
		block := todo[0]
		todo = todo[1:]
		if reached[block] {
			continue
		}
		reached[block] = true

		next := block.Succs
		if last, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If); ok {
			if c, ok := last.Cond.(*ssa.Const); ok && constant.BoolVal(c.Value) {
				next = next[:1]
			} else if ok {
				next = next[1:]
			}
		}
		todo = append(todo, next...)
	}
	return reached
}

// leave translates the last instruction of a block.
func (f *frame) leave(block *ssa.BasicBlock) {
	switch last := block.Instrs[len(block.Instrs)-1].(type) {
	case *ssa.Return:
		f.copy(f.result, f.returned(last))
		f.branch("", f.end)
	case *ssa.Jump:
		f.edge(block, block.Succs[0])
	case *ssa.If:
		yes, no := block.Succs[0], block.Succs[1]
		if known := f.value(last.Cond).constant; known != nil {
			if !constant.BoolVal(known) {
				yes = no
			}
			f.edge(block, yes)
			return
		}
		condition := f.operand(f.value(last.Cond))
		if copies(yes) > 0 && copies(no) == 0 {
			yes, no, condition = no, yes, "!"+condition
		}
		if copies(yes) == 0 {
			f.branch(condition, f.labels[yes])
			f.edge(block, no)
			return
		}
		taken := f.newLabel()
		f.branch(condition, taken)
		f.edge(block, no)
		f.mark(taken)
		f.edge(block, yes)
	default:
		refuse("%v", last)
	}
}

// copies returns how many values of a block depend on where it is entered from.
func copies(to *ssa.BasicBlock) (n int) {
	for _, in := range to.Instrs {
		if _, ok := in.(*ssa.Phi); ok {
			n++
		}
	}
	return n
}

// edge goes from one block to another. The values that depend on the edge change all at once.
func (f *frame) edge(from, to *ssa.BasicBlock) {
	var dst, src []*value
	for _, in := range to.Instrs {
		if phi, ok := in.(*ssa.Phi); ok {
			dst = append(dst, leaves(f.values[phi])...)
			src = append(src, leaves(f.value(phi.Edges[edgeOf(from, to)]))...)
		}
	}

	// What an earlier copy would replace is kept first.
	set := map[string]bool{}
	for i := range dst {
		if src[i].constant == nil && set[src[i].reg] {
			src[i] = f.snapshot(src[i])
		}
		set[dst[i].reg] = true
	}
	for i := range dst {
		f.copy(dst[i], src[i])
	}
	f.branch("", f.labels[to])
}
