package machine

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/fewmap"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A Value is the result of one instruction of a Builder.
type Value int

// kind says where the value of an instruction comes from.
type kind uint8

const (
	input    kind = iota // memory
	constant             // the program
	apply                // an operation on other values
	convert              // another value, converted
)

// maxArgs is the most operands that an instruction has.
const maxArgs = 3

// instr is one instruction. Instructions are compared with == to find those that make the same
// value.
type instr struct {
	kind    kind
	op      kernel.Op  // of apply
	operand dtype.Type // of apply: the type that its kernel is looked up by; of convert: the type converted from
	result  dtype.Type
	args    [maxArgs]Value
	input   int          // of input
	scalar  dtype.Scalar // of constant
}

// numArgs returns how many of args are used.
func (i *instr) numArgs() int {
	switch i.kind {
	case apply:
		return i.op.NumOperands()
	case convert:
		return 1
	}
	return 0
}

// A Builder collects the instructions of a Program. The zero Builder is ready for use, and so is
// one that was Reset.
type Builder struct {
	instrs  []instr
	found   fewmap.Map[instr, Value]
	read    []Value // the value of each input
	outputs []Value
}

// Reset empties b for the next program. It keeps its memory.
func (b *Builder) Reset() {
	b.found.Clear()
	b.instrs, b.read, b.outputs = b.instrs[:0], b.read[:0], b.outputs[:0]
}

// Input adds an input of type t. Inputs count from 0 in the order they are added.
func (b *Builder) Input(t dtype.Type) Value {
	v := b.add(instr{kind: input, result: t, input: len(b.read)})
	b.read = append(b.read, v)
	return v
}

// InputValue returns the value of an input that was added before.
func (b *Builder) InputValue(input int) Value { return b.read[input] }

// Const returns a constant.
func (b *Builder) Const(s dtype.Scalar) Value {
	return b.add(instr{kind: constant, result: s.Type(), scalar: s})
}

// Type returns the type of a value.
func (b *Builder) Type(v Value) dtype.Type { return b.instrs[v].result }

// Op returns the value of an operation. It may replace the operation by others that have fast
// kernels. The operands are of one type, except for the condition of Where. There must be a kernel
// for the operation.
func (b *Builder) Op(op kernel.Op, args ...Value) Value {
	switch op {
	case kernel.Square:
		return b.Op(kernel.Mul, args[0], args[0])
	case kernel.Clip:
		return b.Op(kernel.Min, b.Op(kernel.Max, args[0], args[1]), args[2])
	case kernel.Greater:
		return b.Op(kernel.Less, args[1], args[0])
	case kernel.GreaterEqual:
		return b.Op(kernel.LessEqual, args[1], args[0])
	}

	i := instr{kind: apply, op: op}
	copy(i.args[:], args)
	i.operand = b.instrs[args[len(args)-1]].result
	i.result = kernel.ResultType(op, i.operand)

	if i.result == dtype.Invalid || len(args) != op.NumOperands() {
		panic(fmt.Sprintf("BUG: machine: no operation %v of %d operands of type %v", op, len(args), i.operand))
	}

	return b.fold(i)
}

// Convert returns v converted to another type, as dtype.Convert does it.
func (b *Builder) Convert(v Value, to dtype.Type) Value {
	from := b.instrs[v].result
	if from == to {
		return v
	}
	if i := &b.instrs[v]; i.kind == convert && i.operand == to && from == dtype.Float32 && rounds[to] != kernel.Invalid {
		return i.args[0] // all values of the smaller type are float32 values
	}
	return b.fold(instr{kind: convert, operand: from, result: to, args: [maxArgs]Value{v}})
}

// Output makes v a result of the program. Outputs count from 0 in the order they are added.
func (b *Builder) Output(v Value) int {
	b.outputs = append(b.outputs, v)
	return len(b.outputs) - 1
}

// add returns the value of i, which may be there already.
func (b *Builder) add(i instr) Value {
	if v, ok := b.found.Get(i); ok {
		return v
	}
	v := Value(len(b.instrs))
	b.instrs = append(b.instrs, i)
	b.found.Add(i, v)
	return v
}

// fold adds i, or its value if all its operands are constants.
func (b *Builder) fold(i instr) Value {
	for k := range i.numArgs() {
		if b.instrs[i.args[k]].kind != constant {
			return b.add(i)
		}
	}
	return b.constant(i)
}

// constant adds the value of i, whose operands are constants.
func (b *Builder) constant(i instr) Value {
	var operands [maxArgs][16]byte
	var args [maxArgs]unsafe.Pointer
	for k := range i.numArgs() {
		arg := &b.instrs[i.args[k]]
		arg.scalar.Store(operands[k][:arg.result.Size()])
		args[k] = unsafe.Pointer(&operands[k])
	}
	var result [16]byte
	kernel.Call(function(&i, 0), unsafe.Pointer(&result), args[0], args[1], args[2], 1)
	return b.Const(dtype.Load(i.result, result[:i.result.Size()]))
}

// function returns the kernel of an instruction, nil if there is none in that form.
func function(i *instr, form kernel.Form) kernel.Func {
	if i.kind == convert {
		if form != 0 {
			return nil
		}
		return kernel.Convert(i.operand, i.result)
	}
	return kernel.Lookup(i.op, i.operand, form)
}
