package main

// chainOps are the operations on floats that do several steps of arithmetic. Where two operands may be exchanged, there
// are forms for the second one only: what calls these kernels puts a scalar there.
var chainOps = []floatOp{
	{operation{op: "DiffSquare", formula: "(a - b)·(a - b)", operands: 2, scalars: []int{2}}, simple(func(f fp, x []value) value {
		diff := f.sub(x[0], x[1])
		return f.mul(diff, diff)
	})},
	{operation{op: "DiffOverSum", formula: "(a - b)/(a + b)", operands: 2}, simple(func(f fp, x []value) value {
		return f.div(f.sub(x[0], x[1]), f.add(x[0], x[1]))
	})},
	{operation{op: "Add3", formula: "(a + b) + c", operands: 3, scalars: []int{2, 4, 6}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.add(f.add(x[0], x[1]), x[2])
	})},
	{operation{op: "AddSub", formula: "(a + b) - c", operands: 3, scalars: []int{2, 4, 6}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.sub(f.add(x[0], x[1]), x[2])
	})},
	{operation{op: "SubAdd", formula: "(a - b) + c", operands: 3, scalars: []int{1, 2, 4, 6}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.add(f.sub(x[0], x[1]), x[2])
	})},
	{operation{op: "SubSub", formula: "(a - b) - c", operands: 3, scalars: []int{1, 2, 4, 6}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.sub(f.sub(x[0], x[1]), x[2])
	})},
	{operation{op: "Mul3", formula: "(a·b)·c", operands: 3, scalars: []int{2, 4}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.mul(f.mul(x[0], x[1]), x[2])
	})},
	{operation{op: "DiffMul", formula: "(a - b)·c", operands: 3, scalars: []int{1, 2, 4, 6}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.mul(f.sub(x[0], x[1]), x[2])
	})},
	{operation{op: "DiffDiv", formula: "(a - b)/c", operands: 3, scalars: []int{2, 4, 6}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.div(f.sub(x[0], x[1]), x[2])
	})},
	{operation{op: "Mul3Add", formula: "(a·b)·c + d", operands: 4, scalars: []int{2, 4, 10}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.add(f.mul(f.mul(x[0], x[1]), x[2]), x[3])
	})},
	{operation{op: "MulAddAdd", formula: "(a·b + c) + d", operands: 4, scalars: []int{2, 8, 10}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.add(f.add(f.mul(x[0], x[1]), x[2]), x[3])
	})},
	{operation{op: "MulAddMul", formula: "a·b + c·d", operands: 4, scalars: []int{2, 8, 10}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.add(f.mul(x[0], x[1]), f.mul(x[2], x[3]))
	})},
	{operation{op: "MulSubMul", formula: "a·b - c·d", operands: 4, scalars: []int{2, 8, 10}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.sub(f.mul(x[0], x[1]), f.mul(x[2], x[3]))
	})},
	{operation{op: "DiffMulAdd", formula: "(a - b)·c + d", operands: 4, scalars: []int{1, 4, 14}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.add(f.mul(f.sub(x[0], x[1]), x[2]), x[3])
	})},
	{operation{op: "Horner", formula: "(a·b + c)·b + d", operands: 4, scalars: []int{12, 13}, unroll: 2}, simple(func(f fp, x []value) value {
		return f.add(f.mul(f.add(f.mul(x[0], x[1]), x[2]), x[1]), x[3])
	})},
}
