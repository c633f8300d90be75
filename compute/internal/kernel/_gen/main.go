// Command _gen writes the assembly of compute/internal/kernel and the tables that register it:
//
//	go run . DIR
//
// writes NAME_avx2_amd64.{s,go} and NAME_avx512_amd64.{s,go} for each output below into DIR.
package main

import (
	"fmt"
	"os"
)

// outputs holds what is generated: for each name the function that emits all its kernels for one
// instruction set.
var outputs = []struct {
	name string
	emit func(*asm)
}{
	{"float", emitFloat},
	{"integer", emitInteger},
	{"bool", emitBool},
	{"move", emitMove},
	{"stride", emitGather},
	{"convert", emitConvert},
	{"half", emitHalf},
	{"complex", emitComplex},
	{"reduce", emitFolds},
	{"math", emitMath},
	{"modulo", (*asm).emitModulo},
	{"sieve", emitSieve},
	{"slide", emitSlides},
	{"moments", emitJoins},
	{"network", emitNetworks},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . DIR")
		os.Exit(2)
	}
	for _, o := range outputs {
		for _, isa := range []isa{avx2, avx512} {
			k := newAsm(o.name, isa)
			o.emit(k)
			if err := k.write(os.Args[1]); err != nil {
				fmt.Fprintf(os.Stderr, "%s for %s: %v\n", o.name, isa.name, err)
				os.Exit(1)
			}
		}
	}
}
