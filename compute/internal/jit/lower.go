package jit

import (
	"math"

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
	graph
	values  []value
	outputs []int // nodes that are stored
	sums    []addend
}

// lower returns the graph of p.
func lower(p *Program) *lowering {
	l := &lowering{graph: graph{found: map[node]int{}, scalars: len(p.Scalars)}}
	for k, t := range p.Inputs {
		l.values = append(l.values, l.operand(k, t))
	}
	for k, t := range p.Scalars {
		if t.Size() != 4 && t.Size() != 8 || t.Kind() == dtype.KindComplex {
			refuse("scalars of type %v", t)
		}
		l.values = append(l.values, value{node: l.constant(k, t.Size()), typ: t})
	}
	for i := range p.Ops {
		l.values = append(l.values, l.op(&p.Ops[i]))
	}
	for _, v := range p.Outputs {
		l.outputs = append(l.outputs, l.stored(l.values[v]))
	}
	for _, v := range p.Sums {
		l.sums = append(l.sums, l.addend(l.values[v]))
	}
	return l
}

// operand loads an input.
func (l *lowering) operand(k int, t dtype.Type) value {
	if t.Kind() == dtype.KindComplex {
		refuse("operands of type %v", t)
	}
	v := value{node: l.input(k, t.Size()), typ: t}
	if t == dtype.Bool {
		v.node = l.binary(&testBytes, 0, v.node, v.node)
		v.loose = true
	}
	return v
}

// stored is v as it is in memory.
func (l *lowering) stored(v value) int {
	if v.typ != dtype.Bool {
		return l.vector(v.node)
	}
	if v.loose {
		refuse("bools that are stored as they are")
	}
	return l.unary(&absBytes, 1, l.unary(&maskBytes, 1, v.node))
}

func (l *lowering) op(o *Op) value {
	args := make([]value, o.numArgs())
	for k := range args {
		args[k] = l.values[o.Args[k]]
	}
	if o.Op == kernel.Invalid {
		return l.convert(args[0], o.Result)
	}
	if o.Operand == dtype.Float16 || o.Operand == dtype.BFloat16 {
		for k := range args {
			args[k] = l.convert(args[k], dtype.Float32)
		}
		return l.convert(l.apply(o.Op, dtype.Float32, args), o.Result)
	}
	return l.apply(o.Op, o.Operand, args)
}

// apply is a kernel's operation on operands of type t.
func (l *lowering) apply(op kernel.Op, t dtype.Type, args []value) value {
	steps, ok := chains[op]
	switch {
	case ok:
		return steps(l, t, args)
	case op == kernel.Where:
		return l.where(args[0], args[1], args[2])
	case t == dtype.Bool:
		return l.bools(op, args)
	case t.Size() != 4 && t.Size() != 8 || t.Kind() == dtype.KindComplex:
		refuse("%v of type %v", op, t)
	case len(args) == 1:
		return l.unaryOp(op, t, args[0].node)
	case len(args) == 2:
		return l.binaryOp(op, t, args[0].node, args[1].node)
	}
	refuse("%v of type %v", op, t)
	return value{}
}

// chains holds the operations that are several, in terms of these.
var chains map[kernel.Op]func(l *lowering, t dtype.Type, args []value) value

func init() {
	const a, b, c, d = 0, 1, 2, 3
	// do returns the steps of a chain: each an operation and its operands, counted from 0, with the results of steps before
	// it from 4 on.
	type step struct {
		op   kernel.Op
		args []int
	}
	do := func(steps ...step) func(l *lowering, t dtype.Type, args []value) value {
		return func(l *lowering, t dtype.Type, args []value) value {
			all := make([]value, 4, 4+len(steps))
			copy(all, args)
			for _, s := range steps {
				operands := make([]value, len(s.args))
				for k, from := range s.args {
					operands[k] = all[from]
				}
				all = append(all, l.apply(s.op, t, operands))
			}
			return all[len(all)-1]
		}
	}
	of := func(op kernel.Op, args ...int) step { return step{op, args} }
	const r, s, u = 4, 5, 6 // results of the first three steps
	chains = map[kernel.Op]func(l *lowering, t dtype.Type, args []value) value{
		kernel.Square:         do(of(kernel.Mul, a, a)),
		kernel.SumSquares:     do(of(kernel.Mul, a, a), of(kernel.Mul, b, b), of(kernel.Add, r, s)),
		kernel.SqrtSumSquares: do(of(kernel.Mul, a, a), of(kernel.Mul, b, b), of(kernel.Add, r, s), of(kernel.Sqrt, u)),
		kernel.DiffSquare:     do(of(kernel.Sub, a, b), of(kernel.Mul, r, r)),
		kernel.DiffOverSum:    do(of(kernel.Sub, a, b), of(kernel.Add, a, b), of(kernel.Div, r, s)),
		kernel.Clip:           do(of(kernel.Max, a, b), of(kernel.Min, r, c)),
		kernel.MulAdd:         do(of(kernel.Mul, a, b), of(kernel.Add, r, c)),
		kernel.MulSub:         do(of(kernel.Mul, a, b), of(kernel.Sub, r, c)),
		kernel.SubMul:         do(of(kernel.Mul, a, b), of(kernel.Sub, c, r)),
		kernel.Add3:           do(of(kernel.Add, a, b), of(kernel.Add, r, c)),
		kernel.AddSub:         do(of(kernel.Add, a, b), of(kernel.Sub, r, c)),
		kernel.SubAdd:         do(of(kernel.Sub, a, b), of(kernel.Add, r, c)),
		kernel.SubSub:         do(of(kernel.Sub, a, b), of(kernel.Sub, r, c)),
		kernel.Mul3:           do(of(kernel.Mul, a, b), of(kernel.Mul, r, c)),
		kernel.DiffMul:        do(of(kernel.Sub, a, b), of(kernel.Mul, r, c)),
		kernel.DiffDiv:        do(of(kernel.Sub, a, b), of(kernel.Div, r, c)),
		kernel.Mul3Add:        do(of(kernel.Mul, a, b), of(kernel.Mul, r, c), of(kernel.Add, s, d)),
		kernel.MulAddAdd:      do(of(kernel.Mul, a, b), of(kernel.Add, r, c), of(kernel.Add, s, d)),
		kernel.MulAddMul:      do(of(kernel.Mul, a, b), of(kernel.Mul, c, d), of(kernel.Add, r, s)),
		kernel.MulSubMul:      do(of(kernel.Mul, a, b), of(kernel.Mul, c, d), of(kernel.Sub, r, s)),
		kernel.DiffMulAdd:     do(of(kernel.Sub, a, b), of(kernel.Mul, r, c), of(kernel.Add, s, d)),
		kernel.Horner:         do(of(kernel.Mul, a, b), of(kernel.Add, r, c), of(kernel.Mul, s, b), of(kernel.Add, u, d)),
		kernel.WhereLess:      chosenBy(kernel.Less),
		kernel.WhereLessEqual: chosenBy(kernel.LessEqual),
		kernel.WhereEqual:     chosenBy(kernel.Equal),
	}
}

// chosenBy is a choice by comparison.
func chosenBy(op kernel.Op) func(l *lowering, t dtype.Type, args []value) value {
	return func(l *lowering, t dtype.Type, args []value) value {
		return l.where(l.apply(op, t, args[:2]), args[2], args[3])
	}
}

func (l *lowering) where(condition, yes, no value) value {
	if yes.typ != dtype.Bool {
		if size := yes.typ.Size(); size != 4 && size != 8 || yes.typ.Kind() == dtype.KindComplex {
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

// unaryOp is an operation on one operand of 4 or 8 bytes.
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

// ordered is one of two instructions, for signed and for unsigned integers.
func (l *lowering) ordered(signed, unsigned *pair, t dtype.Type, a, b int) int {
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

func (l *lowering) compareFloats(predicate, size, a, b int) int {
	return l.binaryBy(cmpFloat.of(size), 0, a, b, predicate)
}

func allBits(size int) uint64 { return 1<<(8*size-1)<<1 - 1 }

func signBit(size int) uint64 { return 1 << (8*size - 1) }

// unaryFloat is an operation on one float.
func (l *lowering) unaryFloat(op kernel.Op, t dtype.Type, a int) value {
	size := t.Size()
	of := func(node int) value { return value{node: node, typ: t} }
	zero := func() int { return l.literal(0, size) }
	switch op {
	case kernel.Neg:
		return of(l.binary(xor.of(size), size, a, l.literal(signBit(size), size)))
	case kernel.Abs:
		return of(l.absolute(size, a))
	case kernel.Sign:
		above := l.compareFloats(floatGreater, size, a, zero())
		below := l.compareFloats(floatLess, size, a, zero())
		nan := l.compareFloats(floatUnordered, size, a, a)
		small := l.choose(size, nan, a, zero())
		return of(l.choose(size, above, l.number(1, size), l.choose(size, below, l.number(-1, size), small)))
	case kernel.Reciprocal:
		return of(l.binary(divFloat.of(size), size, l.number(1, size), a))
	case kernel.Floor:
		return of(l.unaryBy(round.of(size), size, a, roundDown))
	case kernel.Ceil:
		return of(l.unaryBy(round.of(size), size, a, roundUp))
	case kernel.Trunc:
		return of(l.unaryBy(round.of(size), size, a, roundZero))
	case kernel.Rint:
		return of(l.unaryBy(round.of(size), size, a, roundNearest))
	case kernel.Sqrt:
		return of(l.unary(sqrtFloat.of(size), size, a))
	case kernel.Relu:
		return of(l.choose(size, l.compareFloats(floatNotLE, size, a, zero()), a, zero()))
	case kernel.Not:
		return truth(l.compareFloats(floatEqual, size, a, zero()))
	case kernel.IsNaN:
		return truth(l.compareFloats(floatUnordered, size, a, a))
	case kernel.IsInf:
		return truth(l.compareFloats(floatEqual, size, l.absolute(size, a), l.number(math.Inf(1), size)))
	case kernel.IsFinite:
		return truth(l.compareFloats(floatLess, size, l.absolute(size, a), l.number(math.Inf(1), size)))
	case kernel.SignBit:
		return truth(l.unary(signs.of(size), 0, a))
	case kernel.RoundFloat16:
		return l.convert(l.convert(of(a), dtype.Float16), t)
	case kernel.RoundBFloat16:
		return l.convert(l.convert(of(a), dtype.BFloat16), t)
	}
	if y, ok := l.function(op, size, a); ok {
		return of(y)
	}
	refuse("%v of type %v", op, t)
	return value{}
}

// absolute is a float without its sign.
func (l *lowering) absolute(size, a int) int {
	return l.binary(and.of(size), size, a, l.literal(signBit(size)-1, size))
}

// arithmetic holds the instructions that are an operation on floats, and on integers.
var arithmetic = map[kernel.Op]struct{ floats, integers *pair }{
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

// binaryOp is an operation on two operands of 4 or 8 bytes.
func (l *lowering) binaryOp(op kernel.Op, t dtype.Type, a, b int) value {
	size, isFloat := t.Size(), t.Kind() == dtype.KindFloat
	of := func(node int) value { return value{node: node, typ: t} }
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

// copySign is |a| with the sign of b.
func (l *lowering) copySign(size, a, b int) int {
	sign := l.literal(signBit(size), size)
	return l.binary(or.of(size), size, l.absolute(size, a), l.binary(and.of(size), size, b, sign))
}

// extreme is the less or the greater of two floats. The instruction gives b where either is NaN; what has to be a is chosen:
// where a is NaN, or, where NaN is to be left out, where b is.
func (l *lowering) extreme(p *pair, leaveOut bool, size, a, b int) int {
	a = l.vector(a)
	x, of := l.binary(p.of(size), size, a, b), a
	if leaveOut {
		of = l.vector(b)
	}
	return l.choose(size, l.compareFloats(floatUnordered, size, of, of), a, x)
}
