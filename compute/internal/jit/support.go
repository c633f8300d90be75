package jit

import (
	"sync"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// supported holds what Supports has found out.
var supported sync.Map // of opKey to bool

type opKey struct {
	op              kernel.Op
	operand, result dtype.Type
}

// Supports reports whether there are instructions for an operation, with any operands. A program of
// such operations may still need more registers or operands than there are.
func Supports(o *Op) bool {
	isa, key := target(), opKey{o.Op, o.Operand, o.Result}
	if isa == nil {
		return false
	}
	if known, ok := supported.Load(key); ok {
		return known.(bool)
	}
	ok := lowers(isa, o)
	supported.Store(key, ok)
	return ok
}

// lowers reports whether an operation on operands in memory becomes a graph of instructions that
// there are.
func lowers(isa *instructionSet, o *Op) (ok bool) {
	p := &Program{Ops: []Op{*o}, Outputs: []int{o.numArgs()}}
	for k := range o.numArgs() {
		p.Inputs = append(p.Inputs, o.Operand)
		p.Ops[0].Args[k] = k
	}
	if o.Op == kernel.Where {
		p.Inputs[0] = dtype.Bool
	}
	return refusal(func() {
		if l := lower(isa, p); !isa.wide {
			l.narrow(l.lanes(isa))
		}
	}) == nil
}

// refusal calls f and returns the error that refuse has ended it with.
func refusal(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *UnsupportedError:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}
