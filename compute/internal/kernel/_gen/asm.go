package main

import (
	"fmt"
	"go/types"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is an instruction set that kernels are written for.
type isa struct {
	name      string
	width     int // of a vector in bytes
	registers int // number of vector registers
}

var (
	avx2   = isa{"AVX2", 32, 16}
	avx512 = isa{"AVX512", 64, 32}
)

// A value is a vector register, an opmask register or the address of a constant.
type value = operand.Op

// An asm collects the functions of one output for one instruction set. Its instructions are those
// of avo, with operands in the order of Go's assembler: sources in reverse, the result last.
type asm struct {
	*build.Context
	isa
	output string

	replicas map[string]operand.Mem // constants in memory by name
	labels   int                    // used so far in the function
	stack    []operand.Mem          // places for vectors on the stack of the function
	taken    int                    // how many of them the current step has taken
	unit     value                  // a register of ones, of float64
	kernels  []registration
	converts []registration
	gathers  []registration
	streams  []registration
}

func newAsm(output string, isa isa) *asm {
	k := &asm{Context: build.NewContext(), isa: isa, output: output, replicas: map[string]operand.Mem{}}
	k.Constraint(buildtags.Term("amd64").ToConstraint())
	k.Constraint(buildtags.Not("noasm").ToConstraint())
	return k
}

// wide reports whether this is AVX-512.
func (k *asm) wide() bool { return k.width == avx512.width }

// function starts a function with the signature of kernel.Func. doc says what it does.
func (k *asm) function(name, doc string) {
	k.Function(name)
	k.Doc(doc)
	k.Pragma("noescape")
	k.Attributes(attrNoSplit)
	k.Signature(funcSignature())
	k.labels, k.stack, k.taken = 0, nil, 0
}

// funcSignature is that of kernel.Func.
func funcSignature() *gotypes.Signature {
	pointer := types.Typ[types.UnsafePointer]
	var params []*types.Var
	for _, name := range []string{"dst", "a", "b", "c", "d"} {
		params = append(params, types.NewParam(0, nil, name, pointer))
	}
	params = append(params, types.NewParam(0, nil, "n", types.Typ[types.Int]))
	return gotypes.NewSignature(nil, types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false))
}

// param loads a parameter into a new register.
func (k *asm) param(name string) reg.GPVirtual {
	r := k.GP64()
	k.MOVQ(k.address(name), r)
	return r
}

// address is that of a parameter.
func (k *asm) address(name string) operand.Mem {
	basic, err := k.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// label makes a new label for a place in the current function.
func (k *asm) label(what string) string {
	k.labels++
	return fmt.Sprintf("%s%d", what, k.labels)
}

// align makes the next instruction start at a multiple of 32 bytes, as the head of a hot loop
// should.
func (k *asm) align() {
	k.Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []operand.Op{operand.Imm(32)}})
}

// tailCall goes on in another function of this output, which finds the parameters as they are now.
func (k *asm) tailCall(fn string) {
	jump := "JMP"
	if len(k.stack) > 0 {
		jump = "RET" // which takes the frame away, and jumps
	}
	k.Instruction(&ir.Instruction{Opcode: jump, Operands: []operand.Op{operand.LabelRef("·" + fn + "(SB)")}, IsTerminal: true})
}

// ret ends the function.
func (k *asm) ret() {
	k.VZEROUPPER()
	k.RET()
}

// vec is a new vector register of full width.
func (k *asm) vec() reg.VecVirtual { return k.vecOf(k.width) }

// vecOf is the smallest new vector register that holds a number of bytes.
func (k *asm) vecOf(sizeBytes int) reg.VecVirtual {
	switch {
	case sizeBytes <= 16:
		return k.XMM()
	case sizeBytes == 32:
		return k.YMM()
	}
	return k.ZMM()
}

// op is the result of an instruction, in a new register of full width.
func (k *asm) op(instruction func(...operand.Op), sources ...operand.Op) value {
	return k.opOf(k.width, instruction, sources...)
}

// opOf is op with a result of fewer bytes.
func (k *asm) opOf(sizeBytes int, instruction func(...operand.Op), sources ...operand.Op) value {
	d := k.vecOf(sizeBytes)
	instruction(append(sources, d)...)
	return d
}

// reading emits an instruction that depends on these registers only. What avo says of it by itself
// is too much: parts that have never been written, or a result that a mask would keep. Registers
// would be taken for them in whole loops.
func (k *asm) reading(i *ir.Instruction, err error, inputs ...operand.Op) {
	if err != nil {
		panic(err)
	}
	i.Inputs = inputs
	k.Instruction(i)
}

// like is a new register of the size of r.
func (k *asm) like(r value) reg.VecVirtual { return k.vecOf(size(r)) }

// likeOf is the part of a that is of the size of r.
func likeOf(a, r value) value { return narrow(a, size(r)) }

// size is that of a register in bytes.
func size(r value) int { return int(r.(reg.Register).Size()) }

// An instruction is a method of avo's with any number of operands.
type instruction = func(...operand.Op)

// of2, of3 and of4 make instructions of methods with so many operands.
func of2(f func(a, b operand.Op)) instruction {
	return func(x ...operand.Op) { f(x[0], x[1]) }
}

func of3(f func(a, b, c operand.Op)) instruction {
	return func(x ...operand.Op) { f(x[0], x[1], x[2]) }
}

func of4(f func(a, b, c, d operand.Op)) instruction {
	return func(x ...operand.Op) { f(x[0], x[1], x[2], x[3]) }
}
