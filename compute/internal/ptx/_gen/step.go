package main

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// step translates an instruction that is not the last one of its block.
func (f *frame) step(in ssa.Instruction) {
	switch v := in.(type) {
	case *ssa.Phi, *ssa.DebugRef:
	case *ssa.Alloc:
		f.values[v] = f.local(v)
	case *ssa.Store:
		f.store(f.value(v.Addr), f.value(v.Val))
	case *ssa.FieldAddr:
		f.values[v] = f.fieldOf(f.value(v.X), v.Field)
	case *ssa.IndexAddr:
		f.values[v] = f.indexOf(f.value(v.X), f.value(v.Index))
	case *ssa.Slice:
		f.values[v] = f.value(v.X)
	case *ssa.Field:
		f.values[v] = f.value(v.X).parts[v.Field]
	case *ssa.Extract:
		f.values[v] = f.value(v.Tuple).parts[v.Index]
	case *ssa.ChangeType:
		f.values[v] = f.value(v.X)
	case *ssa.UnOp:
		f.values[v] = f.unary(v)
	case *ssa.BinOp:
		f.values[v] = f.binary(v.Op, f.value(v.X), f.value(v.Y))
	case *ssa.Convert:
		f.values[v] = f.convert(f.value(v.X), scalarOf(v.Type()))
	case *ssa.Call:
		f.values[v] = f.call(v)
	default:
		refuse("%T %v in %v", in, in, f.fn)
	}
}

// fieldOf returns the pointer to a field.
func (f *frame) fieldOf(p *value, field int) *value {
	if p.cell != nil {
		return &value{cell: p.cell.parts[field], fixed: p.fixed}
	}
	t := p.place.typ.Underlying().(*types.Struct)
	to := *p.place
	to.at, to.typ = to.at+fieldOffset(t, field), t.Field(field).Type()
	return &value{place: &to}
}

// indexOf returns the pointer to an element of an array, or of a slice that is a whole one.
func (f *frame) indexOf(p, index *value) *value {
	if p.place == nil {
		refuse("an index of what is no variable of a package, in %v", f.fn)
	}
	array, ok := p.place.typ.Underlying().(*types.Array)
	if !ok {
		refuse("an index of %v", p.place.typ)
	}

	to := *p.place
	to.typ = array.Elem()
	size := sizes.Sizeof(to.typ)
	if index.constant != nil {
		to.at += size * whole(index)
		return &value{place: &to}
	}

	wide := f.convert(index, long)
	offset := f.emit(long, "mul.lo.u64", f.operand(wide), text(size))
	if to.more != "" {
		offset = f.emit(long, "add.u64", offset.reg, to.more)
	}
	to.more = offset.reg
	return &value{place: &to}
}

// unary translates operations on one value. A star is a load.
func (f *frame) unary(v *ssa.UnOp) *value {
	x := f.value(v.X)
	switch {
	case v.Op == token.MUL:
		return f.load(x)
	case v.Op == token.NOT:
		return f.emit(truth, "not.pred", f.operand(x))
	case v.Op == token.SUB && x.isFloat():
		return f.emit(x.scalar, "neg."+x.register, f.operand(x))
	case v.Op == token.SUB:
		return f.wrap(f.emit(x.scalar, "neg.s"+x.register[1:], f.operand(x)))
	case v.Op == token.XOR:
		return f.wrap(f.emit(x.scalar, "not."+x.register, f.operand(x)))
	}
	refuse("%v", v)
	return nil
}

// load returns what a pointer points to.
func (f *frame) load(p *value) *value {
	switch {
	case p.cell != nil && p.fixed:
		return clone(p.cell)
	case p.cell != nil:
		return f.snapshot(p.cell)
	case p.place == nil:
		refuse("a pointer in %v", f.fn)
	}
	return f.loadPlace(*p.place)
}

// loadPlace reads a variable: a constant where its value is one and its place is known, else from a
// table.
func (f *frame) loadPlace(p place) *value {
	if t, ok := p.typ.Underlying().(*types.Struct); ok {
		v := &value{}
		for i := range t.NumFields() {
			field := p
			field.at, field.typ = p.at+fieldOffset(t, i), t.Field(i).Type()
			v.parts = append(v.parts, f.loadPlace(field))
		}
		return v
	}

	s := scalarOf(p.typ)
	if p.more == "" {
		known, ok := f.numbers[p.global.Object()]
		if !ok {
			refuse("the variable %v, which is no constant", p.global)
		}
		if c := known[p.at]; c != nil {
			return &value{scalar: s, constant: c}
		}
		return zero(p.typ)
	}

	if s.bits < 32 {
		refuse("a table of %v", p.typ)
	}
	name, size := p.global.Name(), sizes.Sizeof(p.global.Type().(*types.Pointer).Elem())
	space := spaceOf(size)
	f.tables[space+":"+name] = true
	address := f.emit(long, "mov.u64", name)
	address = f.emit(long, "add.u64", address.reg, p.more)
	return f.emit(s, "ld."+space+"."+s.register, "["+address.reg+"+"+text(p.at)+"]")
}

// spaceOf returns the memory for a table of some bytes: there is little of const memory.
func spaceOf(size int64) string {
	if size > 1<<10 {
		return "global"
	}
	return "const"
}
