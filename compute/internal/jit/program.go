package jit

import (
	"encoding/binary"
	"fmt"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A Program is the input of Compile. Its values are numbered: first the inputs, then the scalars,
// then the results of operations.
type Program struct {
	Inputs  []dtype.Type // elements in memory, one after another
	Scalars []dtype.Type // one element for all
	Ops     []Op
	Outputs []int  // values, each of which is stored; no scalars
	Stream  bool   // whether they are stored past the caches, to addresses that are multiples of 64
	Folds   []Fold // instead of outputs, of as many lanes each
}

// An Op makes one value of others.
type Op struct {
	Op      kernel.Op  // Invalid is a conversion
	Operand dtype.Type // of the kernel, or what is converted
	Result  dtype.Type
	Args    [3]int // as many as the operation has operands
}

// numArgs returns how many of Args are used.
func (o *Op) numArgs() int {
	if o.Op == kernel.Invalid {
		return 1
	}
	return o.Op.NumOperands()
}

// TypeOf returns the type of a value: values are the inputs, the scalars and then the operations.
func (p *Program) TypeOf(v int) dtype.Type {
	if v < len(p.Inputs) {
		return p.Inputs[v]
	}
	if v -= len(p.Inputs); v < len(p.Scalars) {
		return p.Scalars[v]
	}
	return p.Ops[v-len(p.Scalars)].Result
}

// AppendKey appends a key of p, which differs for different programs.
func (p *Program) AppendKey(b []byte) []byte {
	// The lengths come first, so that no two programs have the same bytes.
	b = append(b, byte(len(p.Inputs)), byte(len(p.Scalars)), bit(p.Stream, 0))
	for _, t := range p.Inputs {
		b = append(b, byte(t))
	}
	for _, t := range p.Scalars {
		b = append(b, byte(t))
	}

	b = binary.AppendUvarint(b, uint64(len(p.Ops)))
	for i := range p.Ops {
		o := &p.Ops[i]
		b = append(b, byte(o.Op), byte(o.Operand), byte(o.Result))
		for _, arg := range o.Args[:o.numArgs()] {
			b = binary.AppendUvarint(b, uint64(arg))
		}
	}

	for _, v := range p.Outputs {
		b = binary.AppendUvarint(append(b, 0), uint64(v))
	}
	for _, f := range p.Folds {
		b = binary.AppendUvarint(append(b, 1, byte(f.Op)), uint64(f.Value))
	}

	return b
}

// An UnsupportedError says what keeps a Program from being compiled.
type UnsupportedError struct{ What string }

// Error implements error.
func (e *UnsupportedError) Error() string { return "no machine code for " + e.What }

// refuse ends the lowering of a program with an UnsupportedError.
func refuse(format string, args ...any) {
	panic(&UnsupportedError{fmt.Sprintf(format, args...)})
}
