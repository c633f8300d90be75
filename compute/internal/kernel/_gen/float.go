package main

import (
	"fmt"
	"slices"
	"strings"
)

// A floatOp is an operation on floats with results of the same type.
type floatOp struct {
	op       string // as package kernel names it
	formula  string
	operands int
	scalars  []int // forms besides 0
	unroll   int   // with AVX2; 4 if 0

	// start emits constants and returns what emits the result of a step.
	start func(fp) func(x ...value) value
}

// simple is the start of an operation without constants.
func simple(step func(f fp, x []value) value) func(fp) func(x ...value) value {
	return func(f fp) func(x ...value) value {
		return func(x ...value) value { return step(f, x) }
	}
}

var bothForms = []int{1, 2}

var floatOps = []floatOp{
	{op: "Neg", formula: "-a", operands: 1, start: func(f fp) func(...value) value {
		sign := f.signBit()
		return func(x ...value) value { return f.xor(x[0], sign) }
	}},
	{op: "Abs", formula: "|a|", operands: 1, start: func(f fp) func(...value) value {
		sign := f.signBit()
		return func(x ...value) value { return f.andNot(sign, x[0]) }
	}},
	{op: "Square", formula: "a·a", operands: 1, start: simple(func(f fp, x []value) value { return f.mul(x[0], x[0]) })},
	{op: "Reciprocal", formula: "1/a", operands: 1, start: func(f fp) func(...value) value {
		one := f.one()
		return func(x ...value) value { return f.div(one, x[0]) }
	}},
	{op: "Floor", formula: "⌊a⌋", operands: 1, start: simple(func(f fp, x []value) value { return f.round(down, x[0]) })},
	{op: "Ceil", formula: "⌈a⌉", operands: 1, start: simple(func(f fp, x []value) value { return f.round(up, x[0]) })},
	{op: "Rint", formula: "the integer nearest to a", operands: 1, start: simple(func(f fp, x []value) value { return f.round(toEven, x[0]) })},
	{op: "Trunc", formula: "a towards zero", operands: 1, start: simple(func(f fp, x []value) value { return f.round(toZero, x[0]) })},
	{op: "Sqrt", formula: "√a", operands: 1, start: simple(func(f fp, x []value) value { return f.sqrt(x[0]) })},
	{op: "Relu", formula: "a > 0 ? a : 0", operands: 1, start: func(f fp) func(...value) value {
		zero := f.zero()
		return func(x ...value) value { return f.keep(f.cmp(notLessEqual, x[0], zero), x[0]) }
	}},
	{op: "Sign", formula: "the sign of a", operands: 1, start: startSign},
	{op: "Add", formula: "a + b", operands: 2, scalars: bothForms, start: simple(func(f fp, x []value) value { return f.add(x[0], x[1]) })},
	{op: "Sub", formula: "a - b", operands: 2, scalars: bothForms, start: simple(func(f fp, x []value) value { return f.sub(x[0], x[1]) })},
	{op: "Mul", formula: "a·b", operands: 2, scalars: bothForms, start: simple(func(f fp, x []value) value { return f.mul(x[0], x[1]) })},
	{op: "Div", formula: "a/b", operands: 2, scalars: bothForms, start: simple(func(f fp, x []value) value { return f.div(x[0], x[1]) })},
	{op: "Min", formula: "min(a, b)", operands: 2, scalars: bothForms, start: simple(func(f fp, x []value) value { return f.min(x[0], x[1]) })},
	{op: "Max", formula: "max(a, b)", operands: 2, scalars: bothForms, start: simple(func(f fp, x []value) value { return f.max(x[0], x[1]) })},
	{op: "FMin", formula: "min(a, b), or the one that is no NaN", operands: 2, scalars: bothForms, start: simple(func(f fp, x []value) value {
		return f.choose(f.cmp(unordered, x[1], x[1]), x[0], f.less(x[0], x[1]))
	})},
	{op: "FMax", formula: "max(a, b), or the one that is no NaN", operands: 2, scalars: bothForms, start: simple(func(f fp, x []value) value {
		return f.choose(f.cmp(unordered, x[1], x[1]), x[0], f.more(x[0], x[1]))
	})},
	{op: "CopySign", formula: "|a| with the sign of b", operands: 2, scalars: []int{2}, start: func(f fp) func(...value) value {
		sign := f.signBit()
		return func(x ...value) value { return f.or(f.and(sign, x[1]), f.andNot(sign, x[0])) }
	}},
	{op: "Clip", formula: "min(max(a, b), c)", operands: 3, scalars: []int{6}, unroll: 2, start: simple(func(f fp, x []value) value {
		return f.min(f.max(x[0], x[1]), x[2])
	})},
	{op: "MulAdd", formula: "a·b + c", operands: 3, scalars: []int{2, 4, 6}, unroll: 2, start: simple(func(f fp, x []value) value {
		return f.add(f.mul(x[0], x[1]), x[2])
	})},
	{op: "MulSub", formula: "a·b - c", operands: 3, scalars: []int{2, 4, 6}, unroll: 2, start: simple(func(f fp, x []value) value {
		return f.sub(f.mul(x[0], x[1]), x[2])
	})},
	{op: "SubMul", formula: "c - a·b", operands: 3, scalars: []int{2, 4, 6}, unroll: 2, start: simple(func(f fp, x []value) value {
		return f.sub(x[2], f.mul(x[0], x[1]))
	})},
	{op: "SumSquares", formula: "a·a + b·b", operands: 2, start: simple(sumSquares)},
	{op: "SqrtSumSquares", formula: "√(a·a + b·b)", operands: 2, start: simple(func(f fp, x []value) value { return f.sqrt(sumSquares(f, x)) })},
	{op: "WhereLess", formula: "a < b ? c : d", operands: 4, unroll: 2, scalars: []int{2}, start: whereCompared(lessThan)},
	{op: "WhereLessEqual", formula: "a ≤ b ? c : d", operands: 4, unroll: 2, scalars: []int{2}, start: whereCompared(lessEqual)},
	{op: "WhereEqual", formula: "a = b ? c : d", operands: 4, unroll: 2, scalars: []int{2}, start: whereCompared(equal)},
}

func startSign(f fp) func(x ...value) value {
	sign, one, zero := f.signBit(), f.one(), f.zero()
	return func(x ...value) value {
		signed := f.or(f.and(sign, x[0]), one)
		signed = f.keep(f.cmp(notEqual, x[0], zero), signed)
		return f.choose(f.cmp(unordered, x[0], x[0]), x[0], signed)
	}
}

func sumSquares(f fp, x []value) value { return f.add(f.mul(x[0], x[0]), f.mul(x[1], x[1])) }

func whereCompared(p predicate) func(fp) func(x ...value) value {
	return simple(func(f fp, x []value) value { return f.choose(f.cmp(p, x[0], x[1]), x[2], x[3]) })
}

// A floatTest is an operation on floats with bools as results.
type floatTest struct {
	op       string
	formula  string
	operands int
	start    func(fp) func(x ...value) value // emits the mask of a step
}

var floatTests = []floatTest{
	compared("Equal", "a = b", equal),
	compared("NotEqual", "a ≠ b", notEqual),
	compared("Less", "a < b", lessThan),
	compared("LessEqual", "a ≤ b", lessEqual),
	compared("Greater", "a > b", greaterThan),
	compared("GreaterEqual", "a ≥ b", greaterEqual),
	{"IsNaN", "a is NaN", 1, simple(func(f fp, x []value) value { return f.cmp(unordered, x[0], x[0]) })},
	{"IsInf", "a is infinite", 1, magnitude(equal)},
	{"IsFinite", "a is finite", 1, magnitude(lessThan)},
	{"Not", "a = 0", 1, func(f fp) func(...value) value {
		zero := f.zero()
		return func(x ...value) value { return f.cmp(equal, x[0], zero) }
	}},
	{"SignBit", "the sign bit of a", 1, simple(func(f fp, x []value) value { return f.signMask(x[0]) })},
}

func compared(op, formula string, p predicate) floatTest {
	return floatTest{op, formula, 2, simple(func(f fp, x []value) value { return f.cmp(p, x[0], x[1]) })}
}

// magnitude is the mask of |a| compared with infinity.
func magnitude(p predicate) func(fp) func(x ...value) value {
	return func(f fp) func(...value) value {
		sign, infinity := f.signBit(), f.infinity()
		return func(x ...value) value { return f.cmp(p, f.andNot(sign, x[0]), infinity) }
	}
}

// signMask is a mask of the sign bits of a.
func (f fp) signMask(a value) value {
	if f.wide() {
		mask := f.K()
		if f.size == 4 {
			f.VPMOVD2M(a, mask)
		} else {
			f.VPMOVQ2M(a, mask)
		}
		return mask
	}
	d := f.vec()
	if f.size == 4 {
		f.VPSRAD(imm(31), a, d)
	} else {
		f.VPCMPGTQ(a, f.zero(), d)
	}
	return d
}

func emitFloat(k *asm) {
	for _, size := range []int{4, 8} {
		f := fp{k, size}
		for _, op := range floatOps {
			for _, form := range append([]int{0}, op.scalars...) {
				f.emitOp(op, form)
			}
		}
		for _, test := range floatTests {
			for _, form := range forms(test.operands) {
				f.emitTest(test, form)
			}
		}
	}
}

// forms are those of operations with so many operands of which any can be a scalar, but not all.
func forms(operands int) []int {
	if operands == 2 {
		return []int{0, 1, 2}
	}
	return []int{0}
}

func (f fp) emitOp(op floatOp, form int) {
	l := loop{
		name:   f.funcName(op.op, f.typ(), form, false),
		doc:    formulaDoc(op.formula, form),
		lanes:  f.lanes(),
		unroll: 4,
		dst:    f.size,
		args:   args(f.size, op.operands, form),
		start: func(*asm) func([][]value) []value {
			return each(op.start(f))
		},
	}
	if !f.wide() && op.unroll != 0 {
		l.unroll = op.unroll
	}
	f.emitBoth(l, op.op, form, f.typ())
}

// emitBoth emits l with ordinary and with non-temporal stores, as the kernels of an operation on some types.
func (k *asm) emitBoth(l loop, op string, form int, types ...string) {
	k.emit(l)
	k.register(l.name, op, form, false, types...)
	rest := l.name
	l.name = strings.TrimSuffix(rest, k.name) + "NT" + k.name
	k.emitNT(l, rest)
	k.register(l.name, op, form, true, types...)
}

func (f fp) emitTest(test floatTest, form int) {
	name := f.funcName(test.op, f.typ(), form, false)
	f.emit(loop{
		name:  name,
		doc:   formulaDoc(test.formula, form),
		lanes: f.lanes(),
		dst:   1,
		args:  args(f.size, test.operands, form),
		start: func(*asm) func([][]value) []value {
			pack, mask := f.packBools(f.size), each(test.start(f))
			return func(in [][]value) []value { return pack(mask(in)) }
		},
	})
	f.register(name, test.op, form, false, f.typ())
}

// args are operands of one size; the bits of form say which are scalars.
func args(size, n, form int) []arg {
	as := make([]arg, n)
	for i := range as {
		as[i] = arg{size: size, scalar: form>>i&1 == 1}
	}
	return as
}

// funcName names the function of an operation on a type in one form.
func (k *asm) funcName(op, typ string, form int, nt bool) string {
	suffix := ""
	if form != 0 {
		suffix = "Form" + fmt.Sprint(form)
	}
	if nt {
		suffix += "NT"
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
		doc += ", scalar " + strings.Join(slices.Clip(scalars), ", ")
	}
	return doc
}
