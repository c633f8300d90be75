package jit

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A value is a node and what it holds. A bool is a mask.
type value struct {
	node  int
	typ   dtype.Type
	loose bool // a bool from memory, whose bytes may be others than 0 and 1
}

// A lowering makes the graph of a program.
type lowering struct {
	isa *instructionSet // of the code
	graph
	values   []value
	plainNaN map[int]bool // what hasPlainNaN found
	outputs  []int        // nodes that are stored
	folds    []addend
}

// lower returns the graph of p. It is of instructions of AVX-512, whatever it is made for: see
// narrow.
func lower(isa *instructionSet, p *Program) *lowering {
	l := &lowering{isa: isa, graph: graph{found: map[node]int{}, scalars: len(p.Scalars)}, plainNaN: map[int]bool{}}

	// The values of p are numbered in this order: inputs, scalars, operations.
	for k, t := range p.Inputs {
		l.values = append(l.values, l.operand(l.input(k, t.Size()), t))
	}
	for k, t := range p.Scalars {
		l.values = append(l.values, l.operand(l.constant(k, t.Size()), t))
	}
	for i := range p.Ops {
		l.values = append(l.values, l.op(&p.Ops[i]))
	}

	for _, v := range p.Outputs {
		l.outputs = append(l.outputs, l.stored(l.values[v]))
	}
	for _, f := range p.Folds {
		l.folds = append(l.folds, l.addend(f.Op, l.values[f.Value]))
	}

	return l
}

// operand is an input or a scalar.
func (l *lowering) operand(node int, t dtype.Type) value {
	switch {
	case t.Kind() == dtype.KindComplex:
		refuse("operands of type %v", t)
	case t == dtype.Bool:
		node = l.vector(node)
		return value{node: l.binary(&testBytes, 0, node, node), typ: t, loose: true}
	}
	return value{node: node, typ: t}
}

// stored is v as it is in memory.
func (l *lowering) stored(v value) int {
	if v.typ != dtype.Bool {
		return l.vector(v.node)
	}
	if v.loose {
		refuse("bools that are stored as they are")
	}
	return l.unary(&absInt.bytes, 1, l.unary(&maskBytes, 1, v.node))
}

func (l *lowering) op(o *Op) value {
	args := make([]value, o.numArgs())
	for k := range args {
		args[k] = l.values[o.Args[k]]
	}
	if o.Op == kernel.Invalid {
		return l.convert(args[0], o.Result)
	}
	if isHalf(o.Operand) && o.Op != kernel.Where {
		for k := range args {
			args[k] = l.convert(args[k], dtype.Float32)
		}
		return l.convert(l.apply(o.Op, dtype.Float32, args), o.Result)
	}
	return l.apply(o.Op, o.Operand, args)
}

// apply is a kernel's operation on operands of type t.
func (l *lowering) apply(op kernel.Op, t dtype.Type, args []value) value {
	switch {
	case op == kernel.Where:
		return l.where(args[0], args[1], args[2])
	case t == dtype.Bool:
		return l.bools(op, args)
	case t.Kind() == dtype.KindComplex || t.Kind() == dtype.KindFloat && t.Size() < 4:
		refuse("%v of type %v", op, t)
	case op == kernel.Mul && t.Size() == 1:
		return value{node: l.mulBytes(args[0].node, args[1].node), typ: t}
	case len(args) == 1:
		return l.unaryOp(op, t, args[0].node)
	case len(args) == 2:
		return l.binaryOp(op, t, args[0].node, args[1].node)
	}
	refuse("%v of type %v", op, t)
	return value{}
}

func (l *lowering) where(condition, yes, no value) value {
	if yes.typ != dtype.Bool {
		if yes.typ.Kind() == dtype.KindComplex {
			refuse("%v of type %v", kernel.Where, yes.typ)
		}
		return value{node: l.choose(yes.typ.Size(), condition.node, yes.node, no.node), typ: yes.typ}
	}
	if yes.loose || no.loose {
		refuse("bools that are moved as they are")
	}
	return truth(l.or(l.and(condition.node, yes.node), l.andNot(condition.node, no.node)))
}

// truth is a bool.
func truth(mask int) value { return value{node: mask, typ: dtype.Bool} }

// bools is an operation on bools.
func (l *lowering) bools(op kernel.Op, args []value) value {
	a, b := args[0].node, args[len(args)-1].node
	switch op {
	case kernel.Not, kernel.Invert:
		return truth(l.not(a))
	case kernel.Abs, kernel.Floor, kernel.Ceil, kernel.Trunc:
		return truth(a)
	case kernel.Or, kernel.Add, kernel.Max, kernel.FMax:
		return truth(l.or(a, b))
	case kernel.And, kernel.Mul, kernel.Min, kernel.FMin:
		return truth(l.and(a, b))
	case kernel.Xor, kernel.NotEqual:
		return truth(l.binary(&xorMasks, 0, a, b))
	case kernel.Equal:
		return truth(l.binary(&sameMasks, 0, a, b))
	case kernel.Less:
		return truth(l.andNot(a, b))
	case kernel.Greater:
		return truth(l.andNot(b, a))
	case kernel.LessEqual:
		return truth(l.not(l.andNot(b, a)))
	case kernel.GreaterEqual:
		return truth(l.not(l.andNot(a, b)))
	}

	refuse("%v of type %v", op, dtype.Bool)
	return value{}
}

// unaryOp is an operation on one number.
func (l *lowering) unaryOp(op kernel.Op, t dtype.Type, a int) value {
	if t.Kind() == dtype.KindFloat {
		return l.unaryFloat(op, t, a)
	}

	size := t.Size()
	signed := t.Kind() == dtype.KindInt
	of := func(node int) value { return value{node: node, typ: t} }

	switch op {
	case kernel.Neg:
		return of(l.binary(subInt.of(size), size, l.literal(0, size), a))
	case kernel.Abs:
		if signed {
			a = l.unary(absInt.of(size), size, a)
		}
		return of(a)
	case kernel.Floor, kernel.Ceil, kernel.Trunc:
		return of(a)
	case kernel.Sign:
		a = l.ordered(&minSigned, &minUnsigned, t, a, l.literal(1, size))
		if signed {
			a = l.binary(maxSigned.of(size), size, a, l.literal(allBits(size), size))
		}
		return of(a)
	case kernel.Relu:
		if signed {
			a = l.binary(maxSigned.of(size), size, a, l.literal(0, size))
		}
		return of(a)
	case kernel.Invert:
		return of(l.binary(xor.of(size), size, a, l.literal(allBits(size), size)))
	case kernel.Not:
		return truth(l.compareInts(intEqual, t, a, l.literal(0, size)))
	}

	refuse("%v of type %v", op, t)
	return value{}
}

// mulBytes multiplies elements of 1 byte as halves of those of 2: each lower one in its place, each
// upper one shifted there and back.
func (l *lowering) mulBytes(a, b int) int {
	a, b = l.vector(a), l.vector(b)
	product := func(a, b int) int { return l.binary(&mulInt.shorts, 1, a, b) }
	up := func(a int) int { return l.unaryBy(&shiftLeftBy.shorts, 1, a, 8) }
	down := func(a int) int { return l.unaryBy(&shiftDownBy.shorts, 1, a, 8) }
	return l.binary(&or.bytes, 1, down(up(product(a, b))), up(product(down(a), down(b))))
}

// ordered is one of two instructions, for signed and for unsigned integers.
func (l *lowering) ordered(signed, unsigned *family, t dtype.Type, a, b int) int {
	if t.Kind() == dtype.KindUint {
		signed = unsigned
	}
	return l.binary(signed.of(t.Size()), t.Size(), a, b)
}

func (l *lowering) compareInts(predicate int, t dtype.Type, a, b int) int {
	p := &cmpSigned
	if t.Kind() == dtype.KindUint {
		p = &cmpUnsigned
	}
	return l.binaryBy(p.of(t.Size()), 0, a, b, predicate)
}

func allBits(size int) uint64 { return 1<<(8*size-1)<<1 - 1 }

func signBit(size int) uint64 { return 1 << (8*size - 1) }

// arithmetic holds the instructions that are an operation on floats, and on integers.
var arithmetic = map[kernel.Op]struct{ floats, integers *family }{
	kernel.Add: {&addFloat, &addInt},
	kernel.Sub: {&subFloat, &subInt},
	kernel.Mul: {&mulFloat, &mulInt},
	kernel.Div: {floats: &divFloat},
	kernel.And: {integers: &and},
	kernel.Or:  {integers: &or},
	kernel.Xor: {integers: &xor},
	kernel.Shl: {integers: &shiftLeft},
}

// comparisons holds the predicates of comparisons of floats, and of integers.
var comparisons = map[kernel.Op][2]int{
	kernel.Equal:        {floatEqual, intEqual},
	kernel.NotEqual:     {floatNotEqual, intNotEqual},
	kernel.Less:         {floatLess, intLess},
	kernel.LessEqual:    {floatLessEqual, intLessEqual},
	kernel.Greater:      {floatGreater, intGreater},
	kernel.GreaterEqual: {floatGreaterEq, intNotLess},
}

// binaryOp is an operation on two numbers.
func (l *lowering) binaryOp(op kernel.Op, t dtype.Type, a, b int) value {
	size, isFloat := t.Size(), t.Kind() == dtype.KindFloat
	of := func(node int) value { return value{node: node, typ: t} }

	if size == 1 && (op == kernel.Shl || op == kernel.Shr) {
		refuse("%v of type %v", op, t)
	}

	p := arithmetic[op].integers
	if isFloat {
		p = arithmetic[op].floats
	}
	if p != nil {
		return of(l.binary(p.of(size), size, a, b))
	}

	if predicate, ok := comparisons[op]; ok {
		if isFloat {
			return truth(l.compareFloats(predicate[0], size, a, b))
		}
		return truth(l.compareInts(predicate[1], t, a, b))
	}

	switch {
	case op == kernel.Shr && t.Kind() == dtype.KindInt:
		return of(l.binary(shiftSigned.of(size), size, a, b))
	case op == kernel.Shr && !isFloat:
		return of(l.binary(shiftRight.of(size), size, a, b))
	case op == kernel.CopySign && isFloat:
		return of(l.copySign(size, a, b))
	case (op == kernel.Min || op == kernel.FMin) && !isFloat:
		return of(l.ordered(&minSigned, &minUnsigned, t, a, b))
	case (op == kernel.Max || op == kernel.FMax) && !isFloat:
		return of(l.ordered(&maxSigned, &maxUnsigned, t, a, b))
	case op == kernel.Min || op == kernel.FMin:
		return of(l.extreme(&minFloat, op == kernel.FMin, size, a, b))
	case op == kernel.Max || op == kernel.FMax:
		return of(l.extreme(&maxFloat, op == kernel.FMax, size, a, b))
	}

	refuse("%v of type %v", op, t)
	return value{}
}
