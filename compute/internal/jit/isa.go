package jit

import "github.com/tstore/tstore/compute/internal/kernel"

// An instructionSet is a set of instructions that code is made of.
type instructionSet struct {
	name    string // as package kernel has it
	bytes   int    // of a vector
	vectors int    // registers of vectors

	// wide stands for what AVX-512 has and AVX2 has not: masks, which comparisons make and which
	// loads and stores may have, and operands in memory that are one element for all.
	wide bool
}

var (
	avx512 = &instructionSet{name: "avx512", bytes: 64, vectors: 32, wide: true}
	avx2   = &instructionSet{name: "avx2", bytes: 32, vectors: 16}
)

// target returns the instruction set that Compile makes code for here, nil if it makes none.
func target() *instructionSet {
	if executable {
		switch kernel.ISA() {
		case avx512.name:
			return avx512
		case avx2.name:
			return avx2
		}
	}
	return nil
}

// ISA names the instruction set of the code that Compile makes here, "" if it makes none.
func ISA() string {
	if isa := target(); isa != nil {
		return isa.name
	}
	return ""
}
