package jit_test

import (
	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// generator makes programs of what there is machine code for.
var generator = &jittest.Generator{
	Types: []dtype.Type{
		dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64, dtype.Uint32, dtype.Uint64, dtype.Bool,
		dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16, dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16,
	},
	Compiles: isCompiled,
}

var known = map[[2]int]bool{}

// isCompiled reports whether there is code for an operation.
func isCompiled(op kernel.Op, t dtype.Type) bool {
	key := [2]int{int(op), int(t)}
	if _, ok := known[key]; !ok {
		p := &jit.Program{Inputs: []dtype.Type{t, dtype.Float32}, Ops: []jit.Op{{Op: op, Operand: t, Result: kernel.ResultType(op, t)}, {Op: kernel.Neg, Operand: dtype.Float32, Result: dtype.Float32, Args: [3]int{1}}}, Outputs: []int{2, 3}}
		if op == kernel.Where {
			p.Inputs = append(p.Inputs, dtype.Bool)
			p.Ops[0].Args[0], p.Ops[1].Args[0], p.Outputs = 2, 1, []int{3, 4}
		}
		_, err := jit.Assemble("avx512", p)
		known[key] = err == nil
	}
	return known[key]
}
