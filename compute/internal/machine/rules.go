package machine

import "github.com/tstore/tstore/compute/internal/kernel"

// A rule says what an operation becomes together with those that make its operands.
type rule struct {
	op    kernel.Op
	match func(m *merger, i *instr) []Value // the operands of op, nil if it does not fit
}

// rules lists the rules of each operation, those that save more first.
var rules = map[kernel.Op][]rule{
	kernel.Mul: {
		{kernel.DiffSquare, same(diffSquare)},
		{kernel.Square, same(square)},
		{kernel.Mul3, either(first(kernel.Mul))},
		{kernel.DiffMul, either(first(kernel.Sub))},
	},
	kernel.Add: {
		{kernel.SumSquares, once(sumSquares)},
		{kernel.Horner, either(horner)},
		{kernel.Mul3Add, either(productWith(kernel.Mul))},
		{kernel.DiffMulAdd, either(productWith(kernel.Sub))},
		{kernel.MulAddMul, once(products)},
		{kernel.MulAddAdd, either(plainMulAdd)},
		{kernel.MulAddAdd, either(mulAdd)},
		{kernel.MulAdd, either(plainProduct)},
		{kernel.MulAdd, either(first(kernel.Mul))},
		{kernel.Add3, either(first(kernel.Add))},
		{kernel.SubAdd, either(first(kernel.Sub))},
	},
	kernel.Sub: {
		{kernel.MulSubMul, once(products)},
		{kernel.MulSub, once(first(kernel.Mul))},
		{kernel.SubMul, swapped(first(kernel.Mul))},
		{kernel.AddSub, once(first(kernel.Add))},
		{kernel.SubSub, once(first(kernel.Sub))},
	},
	kernel.Div: {
		{kernel.DiffOverSum, once(diffOverSum)},
		{kernel.DiffDiv, once(first(kernel.Sub))},
	},
	kernel.Sqrt:  {{kernel.SqrtSumSquares, sqrtSumSquares}},
	kernel.Min:   {{kernel.Clip, once(first(kernel.Max))}},
	kernel.Where: chosen,
}

// A matcher is a rule for the operands x and y.
type matcher func(m *merger, x, y Value) []Value

// once, swapped, either and same try the operands as they are, exchanged, in both orders, and only if they are one.

func once(f matcher) func(*merger, *instr) []Value {
	return func(m *merger, i *instr) []Value { return f(m, i.args[0], i.args[1]) }
}

func swapped(f matcher) func(*merger, *instr) []Value {
	return func(m *merger, i *instr) []Value { return f(m, i.args[1], i.args[0]) }
}

func either(f matcher) func(*merger, *instr) []Value {
	return func(m *merger, i *instr) []Value {
		if args := f(m, i.args[0], i.args[1]); args != nil {
			return args
		}
		return f(m, i.args[1], i.args[0])
	}
}

func same(f matcher) func(*merger, *instr) []Value {
	return func(m *merger, i *instr) []Value {
		if i.args[0] != i.args[1] {
			return nil
		}
		return f(m, i.args[0], i.args[1])
	}
}

// first takes the operands of x, which op makes, and y.
func first(op kernel.Op) matcher {
	return func(m *merger, x, y Value) []Value {
		for a, b := range m.of(x, op, 1) {
			return []Value{a, b, y}
		}
		return nil
	}
}

// plainProduct is first of products whose factors are not products themselves: those are merged with their factors.
func plainProduct(m *merger, x, y Value) []Value {
	for a, b := range m.of(x, kernel.Mul, 1) {
		if m.plain(a, b) {
			return []Value{a, b, y}
		}
	}
	return nil
}

func (m *merger) plain(a, b Value) bool { return !m.is(a, kernel.Mul) && !m.is(b, kernel.Mul) }

func square(_ *merger, x, _ Value) []Value { return []Value{x} }

func diffSquare(m *merger, x, _ Value) []Value {
	for a, b := range m.of(x, kernel.Sub, 2) {
		return []Value{a, b}
	}
	return nil
}

func sumSquares(m *merger, x, y Value) []Value {
	for a, b := range m.of(x, kernel.Mul, 1) {
		for c, d := range m.of(y, kernel.Mul, 1) {
			if a == b && c == d {
				return []Value{a, c}
			}
		}
	}
	return nil
}

func sqrtSumSquares(m *merger, i *instr) []Value {
	for x, y := range m.of(i.args[0], kernel.Add, 1) {
		return sumSquares(m, x, y)
	}
	return nil
}

// horner is (a·b + c)·b + d.
func horner(m *merger, x, d Value) []Value {
	for sum, b := range m.of(x, kernel.Mul, 1) {
		for inner, c := range m.of(sum, kernel.Add, 1) {
			for a, factor := range m.of(inner, kernel.Mul, 1) {
				if factor == b {
					return []Value{a, b, c, d}
				}
			}
		}
	}
	return nil
}

// productWith is x·c and d, where op makes x.
func productWith(op kernel.Op) matcher {
	return func(m *merger, product, d Value) []Value {
		for x, c := range m.of(product, kernel.Mul, 1) {
			for a, b := range m.of(x, op, 1) {
				return []Value{a, b, c, d}
			}
		}
		return nil
	}
}

// products is a·b and c·d.
func products(m *merger, x, y Value) []Value {
	for a, b := range m.of(x, kernel.Mul, 1) {
		for c, d := range m.of(y, kernel.Mul, 1) {
			return []Value{a, b, c, d}
		}
	}
	return nil
}

// mulAdd is a·b + c and d.
func mulAdd(m *merger, x, d Value) []Value {
	for product, c := range m.of(x, kernel.Add, 1) {
		for a, b := range m.of(product, kernel.Mul, 1) {
			return []Value{a, b, c, d}
		}
	}
	return nil
}

// plainMulAdd is mulAdd of plain products.
func plainMulAdd(m *merger, x, d Value) []Value {
	for product, c := range m.of(x, kernel.Add, 1) {
		if args := plainProduct(m, product, c); args != nil {
			return append(args, d)
		}
	}
	return nil
}

func diffOverSum(m *merger, x, y Value) []Value {
	for a, b := range m.of(x, kernel.Sub, 1) {
		for c, d := range m.of(y, kernel.Add, 1) {
			if a == c && b == d {
				return []Value{a, b}
			}
		}
	}
	return nil
}

// chosen are the rules for a choice between two values of the type that its condition compares.
var chosen = []rule{
	{kernel.WhereLess, compared(kernel.Less, 0, 1, 2, 3)},
	{kernel.WhereLessEqual, compared(kernel.LessEqual, 0, 1, 2, 3)},
	{kernel.WhereLess, compared(kernel.Greater, 1, 0, 2, 3)},
	{kernel.WhereLessEqual, compared(kernel.GreaterEqual, 1, 0, 2, 3)},
	{kernel.WhereEqual, compared(kernel.Equal, 0, 1, 2, 3)},
	{kernel.WhereEqual, compared(kernel.NotEqual, 0, 1, 3, 2)},
}

// compared takes what is compared and what is chosen from, in the order given.
func compared(op kernel.Op, order ...int) func(*merger, *instr) []Value {
	return func(m *merger, i *instr) []Value {
		condition := &m.b.instrs[i.args[0]]
		if !m.is(i.args[0], op) || condition.operand != i.operand {
			return nil
		}
		all := [4]Value{condition.args[0], condition.args[1], i.args[1], i.args[2]}
		args := make([]Value, len(all))
		for k, from := range order {
			args[k] = all[from]
		}
		return args
	}
}
